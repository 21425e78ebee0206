// What came of a run: the verdict, the solution, whether there is another; and what one can take home.

import { post } from "../api.js";
import { Grid } from "../board/grid.js";
import { fill, h, toast } from "../dom.js";
import { paletteName } from "../prefs.js";
import { link } from "../share.js";
import { puzzleOf } from "../symbols.js";

const FILES = [
  ["board.svg", "Board, SVG"], ["board.png", "Board, PNG"], ["solution.txt", "Board, text"],
  ["history.csv", "History, CSV"], ["recipe.toml", "Recipe, TOML"], ["run.gif", "Film, GIF"],
];

const OTHERS = { unique: "It is the only solution.", several: "The puzzle has other solutions too." };

// `shared()` gives all settings as they go into a link.
export function runEnd({ shared }) {
  const verdict = h("div", { class: "run-verdict", "aria-live": "polite" });
  const host = h("div", { class: "solution-grid" });
  const solution = h("section", { class: "card run-solution", "aria-label": "Solution", hidden: true },
    h("h2", {}, "Solution"), host);
  const files = h("ul", { class: "files" });
  const address = h("input", {
    type: "text", readonly: true, "aria-label": "Link to these settings", onfocus: () => address.select(),
  });
  const copy = h("button", { type: "button", onclick: () => share() }, "Copy link");
  const take = h("section", { class: "card run-take", "aria-label": "Share and download" },
    h("h2", {}, "Share and download"),
    h("p", { class: "small soft" }, "The link opens this page with the same puzzle, recipe and seed."),
    h("div", { class: "row share" }, address, copy), files);
  let facts = null;
  let grid = null;
  let ended = false;

  // Pictures have the colours that the board has on the page when they are asked for.
  function file(id, name, label) {
    const path = () => `/api/runs/${id}/files/${name}?palette=${paletteName()}`;
    const taken = h("a", { href: path(), download: name, onclick: () => { taken.href = path(); } }, label);
    return taken;
  }

  async function share() {
    address.value = link("solve", shared());
    try {
      await navigator.clipboard.writeText(address.value);
      toast("The link is copied.");
    } catch {
      address.focus();
      toast("Copy the link from the field: this browser does not let the page do it.");
    }
  }

  // What the search does not know and the oracle does: whether there is another solution, or none at all.
  async function explained({ lanes: [look], verdict: said }, mine) {
    const { verdict: found, words } = await post("/api/puzzles/check", { puzzle: mine.puzzle, box: mine.box });
    if (look.solved) return [...said, OTHERS[found] || ""];
    const isNews = look.ended !== "no solution" && (found === "none" || found === "clashes");
    return isNews ? [words, ...said] : said;
  }

  function tell(kind, said) {
    const sentences = said.map((text, i) => h(i === 0 ? "strong" : "span", {}, `${text} `));
    fill(verdict, h("div", { class: `notice ${kind}` }, sentences));
  }

  async function end(frame) {
    const mine = facts;
    const [look] = frame.lanes;
    const kind = look.solved ? "good" : look.ended === "error" ? "bad" : "warn";
    tell(kind, frame.verdict);
    if (look.ended === "error") return;
    if (look.solved) {
      solution.hidden = false;
      host.classList.toggle("large", mine.side > 16);
      grid ||= new Grid(host, { editable: false, label: "Solution" });
      grid.set({ ...puzzleOf(mine), digits: look.board, givens: mine.digits });
    }
    const said = await explained(frame, mine).catch(() => frame.verdict);
    if (mine === facts && ended) tell(kind, said);
  }

  return {
    verdict, solution, take,
    setRun(next) {
      facts = next;
      ended = false;
      fill(verdict);
      solution.hidden = true;
      address.value = link("solve", shared());
      fill(files, FILES.map(([name, label]) => h("li", {}, file(next.id, name, label))));
    },
    show(frame) {
      if (frame.phase !== "ended" || ended) return;
      ended = true;
      end(frame);
    },
  };
}
