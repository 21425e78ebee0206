// @ts-check
// What a person prefers, kept in this browser: the theme and the colours of the board.

// A cell by its complete units, from 0 to 3. "003" are the report's black, red, blue and green as
// the rest of genoku draws them; "safe" can be told apart with any colour vision (after Okabe & Ito).
const INKS = ["#ffffff", "#22252b", "#22252b", "#22252b"];
/** @type {Record<string, { name: string, colours: string[], inks: string[] }>} */
export const PALETTES = {
  "003": { name: "Report colours", colours: ["#3b3f46", "#e06c5f", "#6fa3e8", "#6fc28b"], inks: INKS },
  safe: { name: "Colour-blind safe", colours: ["#3b3f46", "#e69f00", "#56b4e9", "#f0e442"], inks: INKS },
};

// A value stored in this browser; null where there is none, or where storage is not allowed (a private window).
/** @type {(name: string, store?: () => Storage) => string | null} */
export function recall(name, store = () => localStorage) {
  try {
    return store().getItem(`genoku.${name}`);
  } catch {
    return null;
  }
}

/** @type {(name: string, value: string, store?: () => Storage) => void} */
export function keep(name, value, store = () => localStorage) {
  try {
    store().setItem(`genoku.${name}`, value);
  } catch { /* a private window: forgotten with the page */ }
}

/** @type {Set<() => void>} */
const listeners = new Set();
const chosen = {
  theme: preference("theme", "auto", ["auto", "light", "dark"]),
  palette: preference("palette", "003", Object.keys(PALETTES)),
};

/** @type {(name: string, fallback: string, known: string[]) => string} */
function preference(name, fallback, known) {
  const value = recall(name);
  return value !== null && known.includes(value) ? value : fallback;
}

const system = matchMedia("(prefers-color-scheme: dark)");
system.addEventListener("change", apply);

export const theme = () => chosen.theme;
const isDark = () => chosen.theme === "dark" || (chosen.theme === "auto" && system.matches);
export const palette = () => /** @type {typeof PALETTES[string]} */ (PALETTES[chosen.palette]);
export const paletteName = () => chosen.palette;

/** @type {(name: "theme" | "palette", value: string) => void} */
export function setPreference(name, value) {
  chosen[name] = value;
  keep(name, value);
  apply();
}

// Call a listener whenever the theme or the palette changes; returns a function that ends it.
/** @type {(listener: () => void) => () => void} */
export function onPrefs(listener) {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
}

// Draw now, and again whenever the theme or the palette changes, until the element has left the page.
/** @type {(element: Element, draw: () => void) => void} */
export function redrawWithPrefs(element, draw) {
  let wasConnected = false;
  const forget = onPrefs(() => {
    if (wasConnected && !element.isConnected) return forget();
    wasConnected ||= element.isConnected;
    draw();
  });
  draw();
}

function apply() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

apply();

// A colour of the theme, for canvases: ink("--accent")
/** @type {(name: string) => string} */
export const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
