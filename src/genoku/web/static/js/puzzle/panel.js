// @ts-check
// The puzzle: a grid to type into, ways to load a puzzle, the instant check and hints.

import { messageOf, post } from "../api.js";
import { Grid } from "../board/grid.js";
import { confirmFirst, errorLine } from "../dialog.js";
import { fill, h, toast } from "../dom.js";
import { keep, recall } from "../prefs.js";
import { boardText, boxShapes, boxText, isSamePuzzle, puzzleOf, readBoard, symbol } from "../symbols.js";
import { generatePuzzle } from "./generate.js";
import { hintCard } from "./hint.js";
import { chooseBundled } from "./list.js";
import { readFile, readText, typePuzzle } from "./text.js";
import { verdictLine } from "./verdict.js";

/** @import { Attributes, Puzzle, PuzzleText, ServerPuzzle } from "../types.d.ts" */
/** @import { Source } from "./preset-puzzle.js" */
/** @typedef {Puzzle & { puzzle: string, box: string, name: string }} PuzzleValue */

// What a newcomer sees: bundled, printed by three of the reports, and the puzzle of the first preset.
const FIRST = {
  name: "poderosas-medium",
  puzzle: "530070000600195000098000060800060003400803001700020006060000280000419005000080079",
  box: "3x3",
};
const SIZES = [4, 6, 9, 12, 16, 25, 36];
const CHANGED = " (changed)";

/** @type {(side: number) => number[]} */
const blankDigits = (side) => Array.from({ length: side * side }, () => 0);

/** @param {{ onChange?: () => void }} options */
export function puzzlePanel({ onChange = () => {} }) {
  const host = h("div", { class: "puzzle-board" });
  const title = h("span", { class: "puzzle-name soft", title: "Name" });
  const wrong = errorLine();
  const picker = h("input", { type: "file", hidden: true, tabindex: "-1", "aria-hidden": "true", onchange: onPick });
  const size = h("select", { "aria-label": "Size of the board", onchange: () => { resize(size); } });
  const boxes = h("select", { "aria-label": "Shape of the boxes", onchange: () => { resize(boxes); } });
  let visit = 0;
  let isReady = false;
  /** @type {Source} */
  let source = "remembered";

  const grid = new Grid(host, { label: "Puzzle", onChange: changed, onPaste, onRefuse: wrong.say });
  const verdict = verdictLine({ onClashes: (clashes) => grid.mark({ ...grid.marks, clashes }) });
  const hint = hintCard(grid);
  const keys = keypad(grid);

  /** @type {(label: string, onclick: () => unknown, more?: Attributes) => HTMLButtonElement} */
  const button = (label, onclick, more = {}) => h("button", { type: "button", onclick, ...more }, label);
  const undo = button("↶", () => grid.undo(), { class: "icon", "aria-label": "Undo", title: "Undo (Ctrl+Z)" });
  const redo = button("↷", () => grid.redo(), { class: "icon", "aria-label": "Redo", title: "Redo (Ctrl+Shift+Z)" });
  const clear = button("Clear", () => {
    grid.set({ ...shape(), digits: blankDigits(grid.side) });
    changed("loaded");
    toast("Cleared. Undo brings it back.");
  });

  const element = h("section", { class: "card stack puzzle-panel", "aria-label": "Puzzle" },
    h("div", { class: "row spread" }, h("div", { class: "row" }, h("h2", {}, "Puzzle"), title)),
    h("div", { class: "row puzzle-tools" },
      button("Puzzles…", () => chooseBundled(load)),
      button("Paste…", () => typePuzzle(load), { "aria-label": "Paste or type a puzzle" }),
      button("Generate…", () => generatePuzzle(grid, load)),
      button("Import…", () => picker.click(), { "aria-label": "Import a file" }), picker),
    wrong.element, host, keys.element,
    h("div", { class: "row spread puzzle-foot" },
      h("div", { class: "row" }, size, boxes),
      h("div", { class: "row" }, undo, redo, clear, button("Hint", () => hint.ask(), { class: "hint-button" }))),
    verdict.element, hint.element);
  acceptDrops(element, (file) => attempt(() => readFile(file, load)));

  const shape = () => ({ side: grid.side, boxRows: grid.boxRows, boxCols: grid.boxCols });

  /** @type {() => PuzzleValue} */
  const value = () => ({
    puzzle: boardText(grid.digits, grid.side), box: boxText(grid.boxRows, grid.boxCols), name: grid.name,
    ...shape(), digits: grid.digits,
  });

  // Show a puzzle of the server.
  /** @param {ServerPuzzle} puzzle */
  const load = (puzzle) => show(puzzleOf(puzzle), puzzle.name);

  /** @type {(puzzle: Puzzle, name?: string, from?: Source) => void} */
  function show(puzzle, name = "", from = "person") {
    visit++;
    wrong.say("");
    if (from === "preset" && isSamePuzzle(puzzle, grid)) grid.name = name; // there is nothing to undo
    else grid.set({ ...puzzle, name });
    changed("loaded", from);
  }

  /** @type {(how: "typed" | "undone" | "loaded", from?: Source) => void} */
  function changed(how, from = "person") {
    source = from;
    if (how === "typed") wrong.say("");
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
    const { puzzle, box, name } = value();
    // For the next page and the next visit, where a preset brings its own.
    if (source !== "preset") keep("puzzle", JSON.stringify({ puzzle, box, name }));
    if (isReady) onChange();
  }

  /** @param {() => Promise<void>} work */
  async function attempt(work) {
    wrong.say("");
    try {
      await work();
    } catch (error) {
      wrong.say(messageOf(error));
    }
  }

  /** @param {string} text */
  function onPaste(text) {
    attempt(() => readText(text, (one) => {
      const keepsBoxes = one.side === grid.side && !/box/i.test(text); // the text says nothing of boxes
      show({ ...puzzleOf(one), ...(keepsBoxes ? shape() : {}) }, one.name);
      grid.focus();
    }));
  }

  function onPick() {
    const [file] = picker.files ?? [];
    picker.value = "";
    if (file) attempt(() => readFile(file, load));
  }

  function offerSizes() {
    const sides = SIZES.includes(grid.side) ? SIZES : [...SIZES, grid.side].sort((a, b) => a - b);
    offer(size, sides.map((side) => [String(side), `${side}×${side}`]), String(grid.side));
    const shapes = boxShapes(grid.side);
    offer(boxes, shapes.map(([rows, cols]) => [boxText(rows, cols), `boxes ${rows}×${cols}`]),
      boxText(grid.boxRows, grid.boxCols));
    boxes.hidden = shapes.length < 2;
  }

  // Another size starts an empty board; other boxes keep the digits.
  /** @param {HTMLSelectElement} changedSelect */
  async function resize(changedSelect) {
    const side = Number(size.value);
    const same = side === grid.side;
    const [boxRows, boxCols] = same ? boxes.value.split("x").map(Number) : boxShapes(side)[0];
    const loss = `The digits of this ${grid.side}×${grid.side} board are dropped. Undo brings them back.`;
    const asks = !same && grid.digits.some(Boolean);
    if (asks && !await confirmFirst("Change the size?", loss, `Start an empty ${side}×${side}`)) {
      offerSizes();
      changedSelect.focus();
      return;
    }
    if (same) grid.set({ side, boxRows, boxCols, digits: grid.digits, name: grid.name });
    else grid.set({ side, boxRows, boxCols, digits: blankDigits(side) });
    changed("loaded");
    changedSelect.focus();
  }

  // Show a puzzle from text in any format. Resolves when it is shown; rejects with the server's message.
  /** @type {(text: PuzzleText, from?: Source) => Promise<void>} */
  async function set({ puzzle, box, name }, from = "person") {
    const now = ++visit;
    const known = readBoard(puzzle, box);
    if (known) return show(known, name, from);
    source = from; // no preset takes its place while it is read
    try {
      const read = await post("/api/puzzles/parse", { text: puzzle, box: box || null });
      if (now === visit) show(puzzleOf(read), name || read.name, from);
    } catch (error) {
      wrong.say(messageOf(error));
      throw error;
    }
  }

  set(lastPuzzle() || FIRST, "remembered");
  isReady = true;
  return {
    element, value, set,
    get source() { return source; },
  };
}

// Fill a select only if its options differ, so that an open one stays as it is.
/** @type {(select: HTMLSelectElement, options: [string, string][], value: string) => void} */
function offer(select, options, value) {
  const keys = options.map(([key]) => key).join();
  if (select.dataset.options !== keys) {
    fill(select, options.map(([key, label]) => h("option", { value: key }, label)));
    select.dataset.options = keys;
  }
  select.value = value;
}

// Digits to tap, for screens without a keyboard.
/** @param {Grid} grid */
function keypad(grid) {
  const element = h("div", {
    class: "keypad", role: "group", "aria-label": "Digits",
    onmousedown: (event) => event.preventDefault(), // a tap leaves the focus in its cell
  });
  let side = 0;

  /** @type {(label: string, digit: number, words: string) => HTMLElement} */
  const key = (label, digit, words) =>
    h("button", { type: "button", "aria-label": words, onclick: () => grid.put(grid.at, digit) }, label);

  return {
    element,
    fit() {
      if (side === grid.side) return;
      side = grid.side;
      element.classList.toggle("few", side <= 9);
      const labels = Array.from({ length: side }, (_, i) => symbol(i + 1, side));
      fill(element, labels.map((label, i) => key(label, i + 1, `Enter ${label}`)), key("⌫", 0, "Clear the cell"));
    },
  };
}

/** @type {(element: HTMLElement, onFile: (file: File) => void) => void} */
function acceptDrops(element, onFile) {
  /** @param {DragEvent} event */
  const carriesFile = (event) => event.dataTransfer?.types.includes("Files");
  element.addEventListener("dragover", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    element.classList.add("dropping");
  });
  element.addEventListener("dragleave", (event) => {
    if (!element.contains(/** @type {Node | null} */ (event.relatedTarget))) element.classList.remove("dropping");
  });
  element.addEventListener("drop", (event) => {
    element.classList.remove("dropping");
    if (!carriesFile(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer?.files ?? [];
    if (file) onFile(file);
  });
}

// The puzzle of the last visit, if there was one.
/** @type {() => PuzzleText | null} */
export function lastPuzzle() {
  try {
    const { puzzle, box, name } = JSON.parse(recall("puzzle") ?? "{}");
    return typeof puzzle === "string" && readBoard(puzzle, box) ? { puzzle, box, name: String(name || "") } : null;
  } catch {
    return null;
  }
}
