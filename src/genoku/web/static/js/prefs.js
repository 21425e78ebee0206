// What a person prefers, kept in this browser: theme and colours of the board.

// A cell by its complete units, from 0 to 3. "003" are the report's black, red, blue and green as
// the rest of genoku draws them; "safe" can be told apart with any colour vision (after Okabe & Ito).
export const PALETTES = {
  "003": { name: "003 colours", colours: ["#3b3f46", "#e06c5f", "#6fa3e8", "#6fc28b"], inks: ["#ffffff", "#22252b", "#22252b", "#22252b"] },
  safe: { name: "Colour-blind safe", colours: ["#3b3f46", "#e69f00", "#56b4e9", "#f0e442"], inks: ["#ffffff", "#22252b", "#22252b", "#22252b"] },
};

const listeners = new Set();

function read(name, fallback, known) {
  try {
    const value = localStorage.getItem(`genoku.${name}`);
    return known.includes(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

function write(name, value) {
  try {
    localStorage.setItem(`genoku.${name}`, value);
  } catch { /* a private window: kept for this page only */ }
}

const chosen = {
  theme: read("theme", "auto", ["auto", "light", "dark"]),
  palette: read("palette", "003", Object.keys(PALETTES)),
};

const system = matchMedia("(prefers-color-scheme: dark)");
system.addEventListener("change", apply);

export const theme = () => chosen.theme;
const isDark = () => chosen.theme === "dark" || (chosen.theme === "auto" && system.matches);
export const palette = () => PALETTES[chosen.palette];
export const paletteName = () => chosen.palette;

export function setTheme(value) {
  chosen.theme = value;
  write("theme", value);
  apply();
}

export function setPalette(value) {
  chosen.palette = value;
  write("palette", value);
  apply();
}

// Called whenever theme or palette change; returns what ends it.
export function onPrefs(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function apply() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

apply();

// A colour of the theme, for canvases: ink("--accent")
export const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
