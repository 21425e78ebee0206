// The frame around the pages: which one is shown, the menu, the theme.

import { answers, whenBack } from "./api.js";
import { fill, h } from "./dom.js";
import { PALETTES, paletteName, setPalette, setTheme, theme } from "./prefs.js";
import { forgetScreens, turned } from "./screens.js";

// Every page is a module with `show(main, query, rest)`, which may return what ends it.
const PAGES = {
  solve: ["Solve", () => import("./pages/solve.js")],
  race: ["Race", () => import("./pages/race.js")],
  studies: ["Studies", () => import("./pages/studies.js")],
  reports: ["Reports", () => import("./pages/reports.js")],
  learn: ["Learn", () => import("./pages/learn.js")],
};

let leave = null;
let visit = 0;
let address = location.hash; // of the place on show

// A part of an address; one that somebody broke stays as it is.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// "#/studies/mine?x=1" is the page "studies", the rest of its path, and a query.
export function place(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [name, ...rest] = path.split("/").map(decoded);
  return { name: name in PAGES ? name : "solve", rest, query: new URLSearchParams(query) };
}

// Write down where one is without leaving the page, with `push` as a further place of the browser's history; the
// query as text or as pairs.
export function remember(path, query, { state = null, push = false } = {}) {
  if (place().name !== path.split("/")[0]) return; // one is on the way to another page already
  const text = typeof query === "string" ? query : new URLSearchParams(query).toString();
  const hash = `#/${path}${text ? `?${text}` : ""}`;
  if (push) history.pushState(state, "", hash);
  else if (state?.mode !== history.state?.mode || hash !== location.hash) history.replaceState(state, "", hash);
  address = location.hash;
  document.querySelector(`#nav a[data-page="${path}"]`)?.setAttribute("href", hash); // the menu leads back to it
}

async function showPage() {
  if (turned()) return;
  const now = ++visit;
  forgetScreens();
  const { name, rest, query } = place();
  if (leave) leave();
  leave = null;
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.dataset.page === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const main = document.getElementById("main");
  document.title = `${PAGES[name][0]} · genoku`;
  try {
    const page = await PAGES[name][1]();
    if (now !== visit) return;
    // A page that is still waiting for an answer when the next one is asked for fills a room that nobody sees.
    const room = h("div");
    fill(main, room);
    const ended = (await page.show(room, query, rest)) || null;
    if (now === visit) leave = ended;
    else ended?.();
  } catch (error) {
    const isThere = await answers();
    if (now !== visit) return;
    const said = isThere ? `This page could not be shown: ${error.message}`
      : "The server does not answer. This page opens as soon as it does.";
    fill(main, h("h1", {}, PAGES[name][0]), h("div", { class: "notice bad", role: "alert" }, said));
    if (isThere) throw error;
    await whenBack();
    if (now === visit) location.reload(); // a module that could not be loaded once is not asked for again
  }
}

function menu() {
  const links = Object.entries(PAGES).map(([name, [label]]) =>
    h("li", {}, h("a", { href: `#/${name}`, "data-page": name }, label)));
  fill(document.getElementById("nav"), h("ul", {}, links));
  const themes = { auto: "Auto theme", light: "Light theme", dark: "Dark theme" };
  const themed = h("select", { "aria-label": "Theme", title: "Theme", onchange: () => setTheme(themed.value) },
    Object.entries(themes).map(([name, label]) => h("option", { value: name }, label)));
  themed.value = theme();
  const board = "Colours of the board";
  const coloured = h("select", { "aria-label": board, title: board, onchange: () => setPalette(coloured.value) },
    Object.entries(PALETTES).map(([name, each]) => h("option", { value: name }, each.name)));
  coloured.value = paletteName();
  fill(document.getElementById("prefs"), coloured, themed);
}

menu();
// The place that it leads to is none of the addresses that name pages.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
// Not "hashchange", which comes later: until then, the page that is left could write its settings to the new place.
window.addEventListener("popstate", () => {
  if (location.hash === address) return;
  address = location.hash;
  showPage();
});
showPage();
