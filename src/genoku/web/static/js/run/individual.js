// One board of the population, in a window of its own.

import { LiveBoard } from "../board/live.js";
import { fill, h } from "../dom.js";
import { puzzleOf, symbol } from "../symbols.js";
import { count } from "../words.js";

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
        h("button", { type: "button", class: "primary", onclick: () => dialog.close() }, "Close"))));
  let board = null;
  let rank = 0;
  let size = 1;
  let known = null;

  const fact = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));

  async function open(wanted, all = size) {
    let found;
    try {
      found = await session.individual(wanted);
    } catch (error) {
      if (!dialog.open) throw error;
      trouble.hidden = false;
      trouble.textContent = error.message;
      return;
    }
    [rank, size] = [wanted, all];
    trouble.hidden = true;
    const run = session.facts;
    title.textContent = `Board at rank ${count(rank + 1)}`;
    fill(facts, fact("Cost", count(found.cost)), fact("Score", found.score.replace(/^score /, "")), fact("Board", count(found.id)),
      fact("Rank", `${count(rank + 1)} of ${count(size)}`));
    better.disabled = rank === 0;
    worse.disabled = rank + 1 >= size;
    if (!dialog.open) dialog.showModal();
    board ||= new LiveBoard(canvas);
    const { side } = run;
    if (known !== run) board.setPuzzle(puzzleOf(run));
    known = run;
    board.draw({ ...found, step: session.frame.lanes[0].step, name: title.textContent, ended: "yes" });
    fill(rows, Array.from({ length: side }, (_, row) => h("p", {}, `Row ${row + 1}: ${found.board
      .slice(row * side, (row + 1) * side).map((digit) => (digit ? symbol(digit, side) : "open")).join(" ")}`)));
  }

  return { element: dialog, open, close: () => board?.close() };
}
