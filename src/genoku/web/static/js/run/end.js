// @ts-check
// The result of a run: the verdict, the solution, whether there is another; and what can be shared and downloaded.

import { post } from "../api.js";
import { Grid } from "../board/grid.js";
import { copyText, fill, h } from "../dom.js";
import { paletteName } from "../prefs.js";
import { link } from "../share.js";
import { puzzleOf } from "../symbols.js";

/** @import { Facts, Frame, Verdict } from "../types.d.ts" */
/** @import { Shared } from "../share.js" */

const FILES = [
  ["board.svg", "Board, SVG"], ["board.png", "Board, PNG"], ["solution.txt", "Board, text"],
  ["history.csv", "History, CSV"], ["recipe.toml", "Recipe, TOML"], ["run.gif", "Film, GIF"],
];

/** @type {Partial<Record<Verdict, string>>} */
const OTHERS = { unique: "It is the only solution.", several: "The puzzle has other solutions too." };

// `shared()` gives all settings for a link.
/** @param {{ shared: () => Shared }} options */
export function runEnd({ shared }) {
  const verdict = h("div", { class: "run-verdict", "aria-live": "polite" });
  const host = h("div", { class: "solution-grid" });
  const solution = h("section", { class: "card run-solution", "aria-label": "Solution", hidden: true },
    h("h2", {}, "Solution"), host);
  const files = h("ul", { class: "files" });
  const address = h("input", {
    type: "text", readonly: true, "aria-label": "Link to these settings", onfocus: () => { address.select(); },
  });
  const copy = h("button", { type: "button", onclick: () => {
    address.value = link("solve", shared());
    return copyText(address.value, "Link", () => address.focus());
  } }, "Copy link");
  const take = h("section", { class: "card run-take", "aria-label": "Share and download" },
    h("h2", {}, "Share and download"),
    h("p", { class: "small soft" }, "The link opens this page with the same puzzle, recipe and seed."),
    h("div", { class: "row share" }, address, copy), files);
  /** @type {Facts | null} */
  let facts = null;
  /** @type {Grid | null} */
  let grid = null;
  let hasEnded = false;

  // Images have the board's colours at the time of the click.
  /** @type {(id: string, name: string, label: string) => HTMLElement} */
  function fileLink(id, name, label) {
    const path = () => `/api/runs/${id}/files/${name}?palette=${paletteName()}`;
    const anchor = h("a", { href: path(), download: name, onclick: () => { anchor.href = path(); } }, label);
    return anchor;
  }

  // The verdict with what the exact solver knows: whether there is another solution, or none at all.
  /** @type {(frame: Frame, run: Facts) => Promise<string[]>} */
  async function completeVerdict({ lanes: [lane], verdict: said }, { puzzle, box }) {
    const { verdict: found, words } = await post("/api/puzzles/check", { puzzle, box });
    if (lane.solved) return [...said, OTHERS[found] || ""];
    const isNews = lane.ended !== "no solution" && (found === "none" || found === "clashes");
    return isNews ? [words, ...said] : said;
  }

  /** @type {(kind: string, said: string[]) => void} */
  function showVerdict(kind, said) {
    const sentences = said.map((text, i) => h(i === 0 ? "strong" : "span", {}, `${text} `));
    fill(verdict, h("div", { class: `notice ${kind}` }, sentences));
  }

  /** @type {(frame: Frame, run: Facts) => Promise<void>} */
  async function end(frame, run) {
    const [lane] = frame.lanes;
    const kind = lane.solved ? "good" : lane.ended === "error" ? "bad" : "warn";
    showVerdict(kind, frame.verdict);
    if (lane.ended === "error") return;
    if (lane.solved) {
      solution.hidden = false;
      host.classList.toggle("large", run.side > 16);
      grid ||= new Grid(host, { editable: false, label: "Solution" });
      grid.set({ ...puzzleOf(run), digits: lane.board, givens: run.digits });
    }
    const said = await completeVerdict(frame, run).catch(() => frame.verdict);
    if (run === facts && hasEnded) showVerdict(kind, said);
  }

  return {
    verdict, solution, take,
    /** @param {Facts} next */
    setRun(next) {
      facts = next;
      hasEnded = false;
      fill(verdict);
      solution.hidden = true;
      address.value = link("solve", shared());
      fill(files, FILES.map(([name, label]) => h("li", {}, fileLink(next.id, name, label))));
    },
    /** @param {Frame} frame */
    show(frame) {
      if (frame.phase !== "ended" || hasEnded || !facts) return;
      hasEnded = true;
      end(frame, facts);
    },
  };
}
