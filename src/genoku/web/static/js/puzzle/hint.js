// The next step, explained: its cells are marked in the grid, and it can be carried out.

import { post } from "../api.js";
import { fill, h, toast } from "../dom.js";
import { boardText, boxText } from "../symbols.js";
import { capital } from "../words.js";

const NO_DIGIT = "No digit follows yet; once applied, later hints build on it.";
const TITLES = { solved: "Solved", clashes: "Digits clash", mistake: "A mistake", impossible: "No way on" };

export function hintCard(grid) {
  const body = h("div", { class: "stack", role: "status" });
  const buttons = h("div", { class: "row" });
  const element = h("section", { class: "hint-card", "aria-label": "Hint", hidden: true }, body, buttons);
  let removed = []; // candidates that earlier hints ruled out, which the digits do not show
  let step = null;
  let visit = 0;
  let applying = false;

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
      fill(body, h("p", { class: "notice bad" }, error.message));
      fill(buttons, button("Close", close));
    }
  }

  function show(found) {
    step = found.state === "step" ? found : null;
    const title = step ? capital(found.technique) : TITLES[found.state];
    const words = step ? found.explanation.slice(title.length + 2) : found.explanation;
    fill(body,
      h("div", { class: "row" }, h("h3", {}, title), step ? h("span", { class: "badge live" }, found.level) : null),
      h("p", {}, capital(words)),
      step && found.about ? h("p", { class: "soft small" }, found.about) : null,
      step && !step.placements.length ? h("p", { class: "soft small" }, NO_DIGIT) : null);
    const changed = [...found.placements, ...found.eliminations].map((each) => each.cell);
    const { clashes } = grid.marks;
    const among = (pairs, cell, digit) => pairs.some((each) => each.cell === cell && each.digit === digit);
    const note = (cell, digit) =>
      ({ digit, gone: among(found.eliminations, cell, digit), placed: among(found.placements, cell, digit) });
    const notes = found.candidates.map(({ cell, digits }) => [cell, digits.map((digit) => note(cell, digit))]);
    grid.mark({ clashes, units: found.unit_cells, highlight: found.cells, result: changed, notes });
    const ways = step ? [button("Apply", applyAndClose, true), button("Next hint", next)] : [];
    fill(buttons, ways, button("Close", close));
    element.scrollIntoView({ block: "nearest" });
  }

  // A hint's digits are entered as they follow; what it rules out is kept in mind.
  function apply() {
    if (!step) return;
    applying = true;
    removed = [...removed, ...step.eliminations];
    for (const { cell, digit } of step.placements) grid.put(cell, digit, { given: false });
    applying = false;
    step = null;
  }

  function applyAndClose() {
    if (!step.placements.length) toast("Noted: later hints build on it.");
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
    // The digits changed: by the hint itself, or so that it no longer holds.
    changed() {
      if (applying) return;
      removed = [];
      if (!element.hidden) close();
    },
  };
}
