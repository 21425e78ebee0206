// The puzzle: a grid to type into, ways to bring a puzzle, the instant check and hints.

import { post } from "../api.js";
import { Grid } from "../board/grid.js";
import { askFirst } from "../dialog.js";
import { h, toast } from "../dom.js";
import { boardText, boxShapes, boxText, readBoard } from "../symbols.js";
import { generatePuzzle } from "./generate.js";
import { hintCard } from "./hint.js";
import { keypad } from "./keypad.js";
import { chooseBundled } from "./list.js";
import { readFile, readText, typePuzzle } from "./text.js";
import { verdictLine } from "./verdict.js";

// What a newcomer sees: bundled, and of a difficulty that a report's own algorithm can evolve away.
const FIRST = {
  name: "poderosas-medium",
  puzzle: "530070000600195000098000060800060003400803001700020006060000280000419005000080079",
  box: "3x3",
};
const SIZES = [4, 6, 9, 12, 16, 25, 36];
const KEPT = "genoku.puzzle";
const CHANGED = " (changed)";

export function puzzlePanel({ onChange = () => {} }) {
  const host = h("div", { class: "puzzle-board" });
  const title = h("span", { class: "puzzle-name soft", title: "Name" });
  const wrong = h("div", { class: "notice bad", role: "alert", hidden: true });
  const picker = h("input", { type: "file", hidden: true, tabindex: "-1", "aria-hidden": "true", onchange: picked });
  const size = h("select", { "aria-label": "Size of the board", onchange: resized });
  const boxes = h("select", { "aria-label": "Shape of the boxes", onchange: resized });
  let ask = 0;
  let made = false;

  const grid = new Grid(host, { label: "Puzzle", onChange: changed, onPaste: pasted, onRefuse: complain });
  const verdict = verdictLine({ onClashes: (clashes) => grid.mark({ ...grid.marks, clashes }) });
  const hint = hintCard(grid);
  const keys = keypad(grid);

  const button = (label, onclick, more = {}) => h("button", { type: "button", onclick, ...more }, label);
  const undo = button("↶", () => grid.undo(), { class: "icon", "aria-label": "Undo", title: "Undo (Ctrl+Z)" });
  const redo = button("↷", () => grid.redo(), { class: "icon", "aria-label": "Redo", title: "Redo (Ctrl+Shift+Z)" });
  const clear = button("Clear", cleared);

  const element = h("section", { class: "card stack puzzle-panel", "aria-label": "Puzzle" },
    h("div", { class: "row spread" }, h("div", { class: "row" }, h("h2", {}, "Puzzle"), title)),
    h("div", { class: "row puzzle-tools" },
      button("Puzzles…", () => chooseBundled(load)),
      button("Paste…", () => typePuzzle(load), { "aria-label": "Paste or type a puzzle" }),
      button("Generate…", () => generatePuzzle(grid, load)),
      button("Import…", () => picker.click(), { "aria-label": "Import a file" }), picker),
    wrong, host, keys.element,
    h("div", { class: "row spread puzzle-foot" },
      h("div", { class: "row" }, size, boxes),
      h("div", { class: "row" }, undo, redo, clear, button("Hint", () => hint.ask(), { class: "hint-button" }))),
    verdict.element, hint.element);
  acceptDrops(element, (file) => attempt(() => readFile(file, load)));

  const value = () => {
    const { side, boxRows, boxCols, digits } = grid;
    const [puzzle, box] = [boardText(digits, side), boxText(boxRows, boxCols)];
    return { puzzle, box, name: grid.name, side, boxRows, boxCols, digits };
  };

  // Show what the server or a link says a puzzle is.
  function load(one) {
    ask++;
    complain("");
    const { side, digits, name = "" } = one;
    grid.set({ side, boxRows: one.boxRows ?? one.box_rows, boxCols: one.boxCols ?? one.box_cols, digits, name });
    changed("loaded");
  }

  function changed(how) {
    if (how === "typed") complain("");
    if (how === "typed" && grid.name && !grid.name.endsWith(CHANGED)) grid.name += CHANGED;
    title.textContent = grid.name;
    undo.disabled = !grid.canUndo;
    redo.disabled = !grid.canRedo;
    clear.disabled = !grid.digits.some(Boolean);
    offerSizes();
    element.classList.toggle("large", grid.side > 16);
    keys.fit();
    hint.changed();
    verdict.check(grid);
    keep(value());
    if (made) onChange(value());
  }

  function complain(text) {
    wrong.textContent = text;
    wrong.hidden = !text;
  }

  async function attempt(work) {
    complain("");
    try {
      await work();
    } catch (error) {
      complain(error.message);
    }
  }

  function pasted(text) {
    attempt(() => readText(text, (one) => {
      const silent = one.side === grid.side && !/box/i.test(text); // says nothing of boxes: these stay
      load(silent ? { ...one, ...shape() } : one);
      grid.focus();
    }));
  }

  function picked() {
    const [file] = picker.files;
    picker.value = "";
    if (file) attempt(() => readFile(file, load));
  }

  function cleared() {
    grid.set({ ...shape(), digits: new Array(grid.side ** 2).fill(0) });
    changed("loaded");
    toast("Cleared. Undo brings it back.");
  }

  const shape = () => ({ side: grid.side, boxRows: grid.boxRows, boxCols: grid.boxCols });

  function offerSizes() {
    const sides = SIZES.includes(grid.side) ? SIZES : [...SIZES, grid.side].sort((a, b) => a - b);
    offer(size, sides.map((side) => [side, `${side}×${side}`]), grid.side);
    const shapes = boxShapes(grid.side);
    const options = shapes.map(([rows, cols]) => [boxText(rows, cols), `boxes ${rows}×${cols}`]);
    offer(boxes, options, boxText(grid.boxRows, grid.boxCols));
    boxes.hidden = shapes.length < 2;
  }

  // Another size starts an empty board; other boxes keep the digits.
  async function resized(event) {
    const side = Number(size.value);
    const same = side === grid.side;
    const [boxRows, boxCols] = same ? boxes.value.split("x").map(Number) : boxShapes(side)[0];
    const loss = `The digits of this ${grid.side}×${grid.side} board are dropped. Undo brings them back.`;
    const asks = !same && grid.digits.some(Boolean);
    if (asks && !await askFirst("Change the size?", loss, `Start an empty ${side}×${side}`)) {
      offerSizes();
      event.target.focus();
      return;
    }
    if (same) grid.set({ side, boxRows, boxCols, digits: grid.digits, name: grid.name });
    else grid.set({ side, boxRows, boxCols, digits: new Array(side * side).fill(0) });
    changed("loaded");
    event.target.focus();
  }

  // A puzzle as text in any format. Resolves when it is shown; rejects in the server's words.
  async function set(one) {
    const now = ++ask;
    const known = readBoard(one.puzzle, one.box);
    if (known) return load({ ...known, name: one.name });
    try {
      const read = await post("/api/puzzles/parse", { text: one.puzzle, box: one.box || null });
      if (now === ask) load({ ...read, name: one.name || read.name });
    } catch (error) {
      complain(error.message);
      throw error;
    }
    return undefined;
  }

  set(kept() || FIRST);
  made = true;
  return { element, get value() { return value(); }, set };
}

// Fill a select only where its options differ, so that an open one stays as it is.
function offer(select, options, value) {
  const wanted = options.map(([key]) => key).join();
  if (select.dataset.options !== wanted) {
    select.replaceChildren(...options.map(([key, label]) => h("option", { value: key }, label)));
    select.dataset.options = wanted;
  }
  select.value = value;
}

function acceptDrops(element, onFile) {
  const carries = (event) => event.dataTransfer?.types.includes("Files");
  element.addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    element.classList.add("dropping");
  });
  element.addEventListener("dragleave", (event) => {
    if (!element.contains(event.relatedTarget)) element.classList.remove("dropping");
  });
  element.addEventListener("drop", (event) => {
    element.classList.remove("dropping");
    if (!carries(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  });
}

// The last puzzle, for the next page and the next visit.
function keep({ puzzle, box, name }) {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ puzzle, box, name }));
  } catch { /* a private window */ }
}

// The puzzle of the last visit, if there was one.
export function kept() {
  try {
    const { puzzle, box, name } = JSON.parse(localStorage.getItem(KEPT)) || {};
    return typeof puzzle === "string" && readBoard(puzzle, box) ? { puzzle, box, name: String(name || "") } : null;
  } catch {
    return null;
  }
}
