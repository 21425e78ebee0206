// @ts-check
// One board of the population, in a dialog.

import { messageOf } from "../api.js";
import { LiveBoard } from "../board/live.js";
import { fact, fill, h } from "../dom.js";
import { puzzleOf, symbol } from "../symbols.js";
import { count } from "../words.js";
import { fitnessOfAll } from "./scale.js";

/** @import { Facts } from "../types.d.ts" */
/** @import { RunSession } from "../live.js" */

/** @param {RunSession} session */
export function individualDialog(session) {
  const title = h("h2", { id: "individual-title" });
  const facts = h("dl", { class: "facts" });
  const canvas = h("canvas", { class: "board-canvas" });
  const rows = h("div", { class: "unseen" });
  const trouble = h("p", { class: "notice bad", hidden: true, role: "alert" });
  const better = h("button", { type: "button", onclick: () => open(rank - 1) }, "‹ Better");
  const worse = h("button", { type: "button", onclick: () => open(rank + 1) }, "Worse ›");
  const dialog = h("dialog", { class: "individual", "aria-labelledby": title.id },
    h("div", { class: "stack" }, title, trouble, facts, h("div", { class: "board-box" }, canvas), rows,
      h("div", { class: "row spread" }, h("div", { class: "row" }, better, worse),
        h("button", { type: "button", class: "primary", onclick: () => { dialog.close(); } }, "Close"))));
  /** @type {LiveBoard | null} */
  let board = null;
  let rank = 0;
  let size = 1;
  /** @type {Facts | null} */
  let shown = null;

  /** @type {(wanted: number, all?: number) => Promise<void>} */
  async function open(wanted, all = size) {
    const run = session.facts;
    if (!run) return;
    let found;
    try {
      found = await session.individual(wanted);
    } catch (error) {
      if (!dialog.open) throw error;
      trouble.hidden = false;
      trouble.textContent = messageOf(error);
      return;
    }
    [rank, size] = [wanted, all];
    trouble.hidden = true;
    title.textContent = `Board at rank ${count(rank + 1)}`;
    const { scale, partial } = run.lanes[0];
    fill(facts, scale ? fact("Fitness", fitnessOfAll(scale, found.cost)) : null,
      fact("Errors left", count(found.errors)), partial ? fact("Open cells", count(found.cost)) : null,
      fact("ID", String(found.id)), fact("Rank", `${count(rank + 1)} of ${count(size)}`));
    better.disabled = rank === 0;
    worse.disabled = rank + 1 >= size;
    if (!dialog.open) dialog.showModal();
    board ||= new LiveBoard(canvas);
    if (shown !== run) board.setPuzzle(puzzleOf(run));
    shown = run;
    board.draw({ ...found, step: session.frame?.lanes[0].step ?? 0, name: title.textContent, ended: "yes" });
    const { side } = run;
    fill(rows, Array.from({ length: side }, (_, row) => h("p", {}, `Row ${row + 1}: ${found.board
      .slice(row * side, (row + 1) * side).map((digit) => (digit ? symbol(digit, side) : "open")).join(" ")}`)));
  }

  return { element: dialog, open, close: () => board?.close() };
}
