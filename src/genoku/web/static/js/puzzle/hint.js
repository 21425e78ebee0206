// @ts-check
// The next step, explained: its cells are marked in the grid, and it can be applied.

import { messageOf, post } from "../api.js";
import { fill, h, toast } from "../dom.js";
import { boardText, boxText } from "../symbols.js";
import { capital } from "../words.js";

/** @import { Candidate, Hint } from "../types.d.ts" */
/** @import { Grid } from "../board/grid.js" */

const NO_DIGIT = "It places no digit yet; once applied, later hints build on it.";
const TITLES = { solved: "Solved", clashes: "Digits clash", mistake: "A mistake", impossible: "No next step" };

/** @param {Grid} grid */
export function hintCard(grid) {
  const body = h("div", { class: "stack", role: "status" });
  const buttons = h("div", { class: "row" });
  const element = h("section", { class: "hint-card", "aria-label": "Hint", hidden: true }, body, buttons);
  /** @type {Candidate[]} */
  let removed = []; // candidates that earlier hints ruled out, which the digits do not show
  /** @type {Hint | null} */
  let step = null;
  let visit = 0;
  let applying = false;

  /** @type {(label: string, onclick: () => unknown, primary?: boolean) => HTMLElement} */
  const button = (label, onclick, primary = false) =>
    h("button", { type: "button", class: primary ? "primary" : null, onclick }, label);

  async function ask() {
    const now = ++visit;
    step = null;
    element.hidden = false;
    fill(body, h("p", { class: "soft" }, "Looking for the next step…"));
    fill(buttons);
    try {
      const found = await post("/api/puzzles/hint", {
        puzzle: boardText(grid.digits, grid.side), box: boxText(grid.boxRows, grid.boxCols), removed,
      });
      if (now === visit) show(found);
    } catch (error) {
      if (now !== visit) return;
      fill(body, h("p", { class: "notice bad" }, messageOf(error)));
      fill(buttons, button("Close", close));
    }
  }

  /** @param {Hint} found */
  function show(found) {
    step = found.state === "step" ? found : null;
    const title = found.state === "step" ? capital(found.technique) : TITLES[found.state];
    const words = step ? found.explanation.slice(title.length + 2) : found.explanation;
    fill(body,
      h("div", { class: "row" }, h("h3", {}, title), step ? h("span", { class: "badge live" }, found.level) : null),
      h("p", {}, capital(words)),
      step && found.about ? h("p", { class: "soft small" }, found.about) : null,
      step && !step.placements.length ? h("p", { class: "soft small" }, NO_DIGIT) : null);
    const changed = [...found.placements, ...found.eliminations].map((each) => each.cell);
    const { clashes } = grid.marks;
    /** @type {(pairs: Candidate[], cell: number, digit: number) => boolean} */
    const among = (pairs, cell, digit) => pairs.some((each) => each.cell === cell && each.digit === digit);
    /** @type {(cell: number, digit: number) => { digit: number, gone: boolean, placed: boolean }} */
    const note = (cell, digit) =>
      ({ digit, gone: among(found.eliminations, cell, digit), placed: among(found.placements, cell, digit) });
    const notes = found.candidates.map(({ cell, digits }) =>
      /** @type {const} */ ([cell, digits.map((digit) => note(cell, digit))]));
    grid.mark({ clashes, units: found.unit_cells, highlight: found.cells, result: changed, notes });
    const actions = step ? [button("Apply", applyAndClose, true), button("Next hint", next)] : [];
    fill(buttons, actions, button("Close", close));
    element.scrollIntoView({ block: "nearest" });
  }

  // Enter the digits of the hint, and remember the candidates it rules out.
  function apply() {
    if (!step) return;
    applying = true;
    removed = [...removed, ...step.eliminations];
    for (const { cell, digit } of step.placements) grid.put(cell, digit, { given: false });
    applying = false;
    step = null;
  }

  function applyAndClose() {
    if (!step?.placements.length) toast("Noted: later hints build on it.");
    apply();
    close();
    grid.focus();
  }

  async function next() {
    apply();
    await ask();
    buttons.querySelectorAll("button")[1]?.focus();
  }

  function close() {
    visit++;
    step = null;
    element.hidden = true;
    grid.mark({ clashes: grid.marks.clashes });
  }

  return {
    element,
    ask,
    // The digits changed: unless the hint did it itself, it no longer holds.
    changed() {
      if (applying) return;
      removed = [];
      if (!element.hidden) close();
    },
  };
}
