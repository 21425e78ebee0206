// @ts-check
// The frame around the pages: which one is on show, the menu, the theme.

import { isServerUp, messageOf, untilServerIsBack } from "./api.js";
import { byId, fill, h } from "./dom.js";
import { PALETTES, paletteName, setPreference, theme } from "./prefs.js";
import { forgetScreens, turnToEntry } from "./screens.js";

/** @typedef {() => void} Leave ends a page */
/** @typedef {{ show: (main: HTMLElement, query: URLSearchParams, rest: string[]) => unknown }} Page `show` may return a `Leave`, or a promise of one */

/** @type {Record<string, [string, () => Promise<Page>]>} */
const PAGES = {
  solve: ["Solve", () => import("./pages/solve.js")],
  race: ["Race", () => import("./pages/race.js")],
  studies: ["Studies", () => import("./pages/studies.js")],
  reports: ["Reports", () => import("./pages/reports.js")],
  learn: ["Learn", () => import("./pages/learn.js")],
};

/** @type {Leave | null} */
let leave = null;
let visit = 0;
let address = location.hash; // of what is on show

// A part of an address; one that is not encoded correctly stays as it is.
/** @type {(part: string) => string} */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// "#/studies/mine?x=1" is the page "studies", the rest of its path, and a query.
function currentPlace() {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [name = "", ...rest] = path.split("/").map(decode);
  return { name: name in PAGES ? name : "solve", rest, query: new URLSearchParams(query) };
}

// Update the address without leaving the page; `push` adds an entry to the browser's history.
/** @type {(path: string, query: string | URLSearchParams, options?: { state?: { key: string, mode: string } | null, push?: boolean }) => void} */
export function remember(path, query, { state = null, push = false } = {}) {
  if (currentPlace().name !== path.split("/")[0]) return; // the browser is already on its way to another page
  const text = query.toString();
  const hash = `#/${path}${text ? `?${text}` : ""}`;
  if (push) history.pushState(state, "", hash);
  else if (state?.mode !== history.state?.mode || hash !== location.hash) history.replaceState(state, "", hash);
  address = location.hash;
  document.querySelector(`#nav a[data-page="${path}"]`)?.setAttribute("href", hash); // the menu leads back here
}

async function showPage() {
  if (turnToEntry()) return;
  const now = ++visit;
  forgetScreens();
  const { name, rest, query } = currentPlace();
  const [label, load] = PAGES[name];
  if (leave) leave();
  leave = null;
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#nav a"))) {
    if (link.dataset.page === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const main = byId("main");
  document.title = `${label} · genoku`;
  try {
    const page = await load();
    if (now !== visit) return;
    // Each visit has its own element: a page whose answer comes too late fills one that is no longer on show.
    const room = h("div");
    fill(main, room);
    const end = /** @type {Leave | null} */ ((await page.show(room, query, rest)) || null);
    if (now === visit) leave = end;
    else end?.();
  } catch (error) {
    const isUp = await isServerUp();
    if (now !== visit) return;
    const said = isUp ? `This page could not be shown: ${messageOf(error)}`
      : "The server does not answer. This page opens as soon as it does.";
    fill(main, h("h1", {}, label), h("div", { class: "notice bad", role: "alert" }, said));
    if (isUp) throw error;
    await untilServerIsBack();
    if (now === visit) location.reload(); // browsers do not retry a module that failed to load
  }
}

/** @type {(label: string, options: [string, string][], value: string, onChange: (value: string) => void) => HTMLSelectElement} */
function chooser(label, options, value, onChange) {
  const select = h("select", { "aria-label": label, title: label, onchange: () => { onChange(select.value); } },
    options.map(([key, text]) => h("option", { value: key }, text)));
  select.value = value;
  return select;
}

function showMenu() {
  const links = Object.entries(PAGES).map(([name, [label]]) =>
    h("li", {}, h("a", { href: `#/${name}`, "data-page": name }, label)));
  fill(byId("nav"), h("ul", {}, links));
  fill(byId("prefs"),
    chooser("Colours of the board", Object.entries(PALETTES).map(([key, { name }]) => [key, name]), paletteName(),
      (value) => setPreference("palette", value)),
    chooser("Theme", [["auto", "Auto theme"], ["light", "Light theme"], ["dark", "Dark theme"]], theme(),
      (value) => setPreference("theme", value)));
}

showMenu();
// The skip link's target is not an address of a page.
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
// Not "hashchange", which comes later: until then, the old page could write its settings to the new address.
window.addEventListener("popstate", () => {
  if (location.hash === address) return;
  address = location.hash;
  showPage();
});
showPage();
