// A board as a grid of cells that can be walked, read out and typed into.

import { h } from "../dom.js";
import { boardText, symbol } from "../symbols.js";
import { CellKeys } from "./grid-keys.js";
import { History } from "./history.js";

// Pixels of a cell: below, its letter or its number of two figures cannot be read, and the grid scrolls.
const SMALLEST = 15;
const SMALLEST_NUMBERS = 18;
const LARGEST = 62;
const FRAME = 10; // the lines around the board, and room for the focus ring
const WIDEST = 640; // of boards up to 16×16; larger ones may be as wide as the window is high

const WALK = "Arrow keys move, Page Up and Page Down by a box, Home and End to the ends of the row.";
const HELP = `${WALK} Type a digit to fill a cell, Delete to clear it, Ctrl+Z to undo; a whole puzzle can be pasted.`;
const MOST_NOTED = 16; // the side up to which what a blank could hold fits in its cell
let grids = 0;

export class Grid {
  #shape = { side: 0, boxRows: 0, boxCols: 0 };
  #digits = [];
  #givens = [];
  #cells = [];
  #shown = []; // what every cell looks like now, so that only changes are written
  #marks = marked({});
  #at = 0;
  #near = [];
  #history = new History();

  constructor(host, { editable = true, label = "Puzzle", ...calls } = {}) {
    this.editable = editable;
    this.label = label;
    this.name = "";
    const nothing = () => {};
    this.onChange = calls.onChange || nothing; // after every change: "typed" or "undone"
    this.onPaste = calls.onPaste || nothing; // with text that was pasted anywhere in the grid
    this.onRefuse = calls.onRefuse || nothing; // with what is wrong with a key
    this.table = h("div", { class: "grid", role: "grid", "aria-label": label, "aria-readonly": String(!editable) });
    const help = h("span", { class: "unseen", id: `grid-help-${++grids}` }, editable ? HELP : WALK);
    this.table.setAttribute("aria-describedby", help.id);
    this.element = h("div", { class: "grid-host" }, this.table, help);
    host.append(this.element);
    const keys = new CellKeys(this);
    this.table.addEventListener("keydown", (event) => keys.press(event));
    this.table.addEventListener("focusin", (event) => this.#arrive(Number(event.target.dataset.cell)));
    this.table.addEventListener("focusout", (event) => {
      if (!this.table.contains(event.relatedTarget)) this.#lookAway();
    });
    this.table.addEventListener("mousedown", (event) => {
      const cell = event.target.closest("[data-cell]");
      if (!cell) return;
      event.preventDefault();
      cell.focus({ preventScroll: true });
    });
    this.table.addEventListener("paste", (event) => {
      if (!this.editable) return;
      event.preventDefault();
      this.onPaste(event.clipboardData.getData("text/plain"));
    });
    this.table.addEventListener("copy", (event) => {
      if (String(getSelection())) return;
      event.preventDefault();
      event.clipboardData.setData("text/plain", boardText(this.#digits, this.side));
    });
    new ResizeObserver(() => this.#fit()).observe(this.element);
  }

  get side() { return this.#shape.side; }
  get boxRows() { return this.#shape.boxRows; }
  get boxCols() { return this.#shape.boxCols; }
  get digits() { return [...this.#digits]; }
  get at() { return this.#at; }
  get canUndo() { return this.#history.canUndo; }
  get canRedo() { return this.#history.canRedo; }

  // Show a board. `givens` says which cells are given, as digits or yes and no; all that are filled otherwise.
  set(board) {
    if (this.side) this.#history.note(this.#state());
    this.#show(board);
  }

  // Put a digit (0 for a blank) in a cell. One that a person types is a given; a hint's is not.
  put(cell, digit, { given = true } = {}) {
    if (this.#digits[cell] === digit) return;
    this.#history.note(this.#state());
    this.#digits[cell] = digit;
    this.#givens[cell] = given && digit > 0;
    this.#paint(cell);
    this.#lookAround();
    this.onChange("typed");
  }

  undo() {
    this.#goTo(this.#history.undo(this.#state()));
  }

  redo() {
    this.#goTo(this.#history.redo(this.#state()));
  }

  // Mark cells that clash; of a hint, the units it looks at, its pattern, what it changes, and what
  // blanks could hold: `notes` are pairs of a cell and [{ digit, gone, placed }].
  mark(marks = {}) {
    const before = this.#marks;
    this.#marks = marked(marks);
    const all = [...Object.values(before), ...Object.values(this.#marks)];
    const touched = new Set(all.flatMap((cells) => [...cells.keys()]));
    for (const cell of touched) if (cell < this.#cells.length) this.#paint(cell);
  }

  get marks() {
    return Object.fromEntries(Object.entries(this.#marks).map(([kind, cells]) => [kind, [...cells]]));
  }

  focus(cell = this.#at) {
    this.#cells[cell]?.focus();
  }

  #state() {
    return { ...this.#shape, digits: this.digits, givens: [...this.#givens], name: this.name };
  }

  #goTo(state) {
    if (!state) return;
    const focused = this.table.contains(document.activeElement);
    this.#show(state);
    if (focused) this.focus();
    this.onChange("undone");
  }

  #show({ side, boxRows, boxCols, digits, givens = null, name = "" }) {
    const same = side === this.side && boxRows === this.boxRows && boxCols === this.boxCols;
    this.#shape = { side, boxRows, boxCols };
    this.#digits = Array.from(digits);
    this.#givens = this.#digits.map((digit, cell) => digit > 0 && (givens === null || Boolean(givens[cell])));
    this.name = name;
    this.#marks = marked({});
    if (!same) this.#build();
    for (let cell = 0; cell < this.#cells.length; cell++) this.#paint(cell);
    this.#lookAround();
  }

  #build() {
    const { side, boxRows, boxCols } = this.#shape;
    const focused = this.table.contains(document.activeElement);
    this.#cells = [];
    this.#shown = new Array(side * side).fill("");
    this.#near = [];
    this.#at = 0;
    const rows = [];
    for (let row = 0; row < side; row++) {
      const cells = [];
      for (let column = 0; column < side; column++) {
        const cell = h("div", {
          role: "gridcell", tabindex: "-1", "data-cell": row * side + column,
          "aria-colindex": column + 1,
        });
        const shaded = (Math.floor(row / boxRows) + Math.floor(column / boxCols)) % 2 === 1;
        cell.dataset.place = ["cell", shaded && "shaded", (column + 1) % boxCols === 0 && column + 1 < side && "right",
          (row + 1) % boxRows === 0 && row + 1 < side && "below"].filter(Boolean).join(" ");
        cells.push(cell);
      }
      this.#cells.push(...cells);
      rows.push(h("div", { role: "row", class: "grid-row", "aria-rowindex": row + 1 }, cells));
    }
    this.table.setAttribute("aria-rowcount", side);
    this.table.setAttribute("aria-colcount", side);
    this.table.setAttribute("aria-label", `${this.label}, ${side} by ${side}`);
    this.table.replaceChildren(...rows);
    this.#cells[0].tabIndex = 0;
    this.#fit();
    if (focused) this.focus();
  }

  // Cells as large as fit, in whole pixels so that lines stay even.
  #fit() {
    const width = this.element.clientWidth;
    if (!width || !this.side) return;
    const most = this.side <= 16 ? WIDEST : Math.max(WIDEST, innerHeight - 2 * FRAME);
    const room = Math.min(width - FRAME, most);
    const smallest = this.side > 35 ? SMALLEST_NUMBERS : SMALLEST;
    const size = Math.max(smallest, Math.min(LARGEST, Math.floor(room / this.side)));
    this.table.style.setProperty("--size", `${size}px`);
    this.table.style.setProperty("--side", this.side);
    this.table.classList.toggle("tiny", size < 26);
    this.table.classList.toggle("numbers", this.side > 35);
  }

  #paint(cell) {
    const digit = this.#digits[cell];
    const { clashes, units, highlight, result, notes } = this.#marks;
    const element = this.#cells[cell];
    const kind = !digit ? "" : this.#givens[cell] ? "given" : "entered";
    const looks = [element.dataset.place, kind, clashes.has(cell) && "clash", units.has(cell) && "unit",
      highlight.has(cell) && "highlight", result.has(cell) && "result"].filter(Boolean).join(" ");
    const text = symbol(digit, this.side);
    const noted = (!digit && notes.get(cell)) || null;
    const shown = `${text}|${looks}|${noted ? JSON.stringify(noted) : ""}`;
    if (this.#shown[cell] === shown) return;
    this.#shown[cell] = shown;
    if (noted && this.side <= MOST_NOTED) element.replaceChildren(noteGrid(noted, this.side));
    else if (element.textContent !== text || element.firstElementChild) element.textContent = text;
    element.className = looks;
    if (clashes.has(cell)) element.setAttribute("aria-invalid", "true");
    else element.removeAttribute("aria-invalid");
    element.setAttribute("aria-label", this.#words(cell, digit, kind));
  }

  #words(cell, digit, kind) {
    const { clashes, highlight, result, notes } = this.#marks;
    const place = `row ${Math.floor(cell / this.side) + 1} column ${(cell % this.side) + 1}`;
    const what = !digit ? "blank" : `${kind} ${symbol(digit, this.side)}`;
    const hinted = result.has(cell) ? "changed by the hint" : highlight.has(cell) && "part of the hint";
    const more = [clashes.has(cell) && "clashes", hinted];
    const noted = (!digit && notes.get(cell)) || [];
    if (noted.length) more.push(`could be ${noted.map((each) => symbol(each.digit, this.side)).join(" ")}`);
    return [`${place}, ${what}`, ...more.filter(Boolean)].join(", ");
  }

  #arrive(cell) {
    if (Number.isNaN(cell)) return;
    if (this.#cells[this.#at]) this.#cells[this.#at].tabIndex = -1;
    this.#at = cell;
    this.#cells[cell].tabIndex = 0;
    this.#lookAround();
  }

  #lookAway() {
    for (const element of this.#near) element.removeAttribute("data-near");
    this.#near = [];
  }

  // Tint the units of the cell one is at, and the cells with the same digit.
  #lookAround() {
    this.#lookAway();
    if (!this.table.contains(document.activeElement)) return;
    const { side, boxRows, boxCols } = this.#shape;
    const row = Math.floor(this.#at / side);
    const column = this.#at % side;
    const digit = this.#digits[this.#at];
    for (let cell = 0; cell < side * side; cell++) {
      const r = Math.floor(cell / side);
      const c = cell % side;
      const same = digit > 0 && this.#digits[cell] === digit && cell !== this.#at;
      const inBand = Math.floor(r / boxRows) === Math.floor(row / boxRows);
      const inStack = Math.floor(c / boxCols) === Math.floor(column / boxCols);
      const near = r === row || c === column || (inBand && inStack);
      if (!same && !near) continue;
      this.#cells[cell].dataset.near = same ? "same" : "unit";
      this.#near.push(this.#cells[cell]);
    }
  }
}

function marked({ clashes = [], units = [], highlight = [], result = [], notes = [] }) {
  return {
    clashes: new Set(clashes), units: new Set(units),
    highlight: new Set(highlight), result: new Set(result), notes: new Map(notes),
  };
}

// What a blank could hold, every digit at its place.
function noteGrid(notes, side) {
  const columns = Math.ceil(Math.sqrt(side));
  const element = h("span", { class: "notes", "aria-hidden": "true" });
  element.style.setProperty("--columns", columns);
  for (const { digit, gone, placed } of notes) {
    const note = h("span", { class: gone ? "gone" : placed ? "placed" : null }, symbol(digit, side));
    note.style.gridArea = `${Math.ceil(digit / columns)} / ${((digit - 1) % columns) + 1}`;
    element.append(note);
  }
  return element;
}
