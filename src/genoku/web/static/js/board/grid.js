// @ts-check
// A board as a grid of cells that can be navigated by keyboard, read out and typed into.

import { h } from "../dom.js";
import { boardText, digitOf, symbol, symbolSpan } from "../symbols.js";
import { History } from "./history.js";

/** @import { Note, Puzzle, Shape } from "../types.d.ts" */

/** @typedef {Puzzle & { givens?: (number | boolean)[] | null, name?: string }} Board `givens`: which cells are given, by default all that are filled */

/**
 * @typedef {object} Marks cells that stand out
 * @property {Iterable<number>} [clashes]
 * @property {Iterable<number>} [units] the units that a hint is about
 * @property {Iterable<number>} [highlight] the pattern of a hint
 * @property {Iterable<number>} [result] what a hint changes
 * @property {Iterable<readonly [number, Note[]]>} [notes] the candidates of blanks
 */

// Pixels of a cell: below, a letter or a number of two figures cannot be read, so the grid scrolls.
const SMALLEST = 15;
const SMALLEST_NUMBERS = 18;
const LARGEST = 62;
const FRAME = 10; // the lines around the board, and room for the focus ring
const WIDEST = 640; // of boards up to 16×16; larger ones may be as wide as the window is high

const NAVIGATION = "Arrow keys move, Page Up and Page Down by a box, Home and End to the ends of the row.";
const HELP = `${NAVIGATION} Type a digit to fill a cell, Delete to clear it, Ctrl+Z to undo; whole puzzles can be pasted.`;
const MOST_NOTED = 16; // the largest side whose candidates fit in a cell
const CLEARING = ["Backspace", "Delete", "0", ".", " ", "-"];
const TWO_DIGITS_WITHIN = 1200; // milliseconds between the two figures of a number
let grids = 0;

// The cell that a navigation key leads to; null for other keys. `command`: Ctrl or Cmd is held.
/** @type {(key: string, command: boolean, at: number, shape: Pick<Shape, "side" | "boxRows">) => number | null} */
export function targetOf(key, command, at, { side, boxRows }) {
  const row = Math.floor(at / side);
  const column = at % side;
  /** @param {number} value */
  const clamp = (value) => Math.max(0, Math.min(side - 1, value));
  switch (key) {
    case "ArrowLeft": return command ? row * side : row * side + clamp(column - 1);
    case "ArrowRight": return command ? row * side + side - 1 : row * side + clamp(column + 1);
    case "ArrowUp": return command ? column : clamp(row - 1) * side + column;
    case "ArrowDown": return command ? (side - 1) * side + column : clamp(row + 1) * side + column;
    case "Home": return command ? 0 : row * side;
    case "End": return command ? side * side - 1 : row * side + side - 1;
    case "PageUp": return clamp(row - boxRows) * side + column;
    case "PageDown": return clamp(row + boxRows) * side + column;
    case "Enter": return (at + 1) % (side * side);
    default: return null;
  }
}

export class Grid {
  name = "";
  /** @type {Shape} */
  #shape = { side: 0, boxRows: 0, boxCols: 0 };
  /** @type {number[]} */
  #digits = [];
  /** @type {boolean[]} */
  #givens = [];
  /** @type {HTMLElement[]} */
  #cells = [];
  /** @type {string[]} */
  #places = []; // the classes of a cell that its position gives it
  /** @type {string[]} */
  #painted = []; // how every cell looks now, so that only changes are written
  #marks = marksOf({});
  #at = 0;
  /** @type {HTMLElement[]} */
  #tinted = [];
  /** @type {History<Board>} */
  #history = new History();
  #typed = { cell: -1, figure: 0, time: 0 };

  /**
   * @param {HTMLElement} host
   * @param {object} options
   * @param {boolean} [options.editable]
   * @param {string} options.label
   * @param {(how: "typed" | "undone") => void} [options.onChange]
   * @param {(text: string) => void} [options.onPaste]
   * @param {(problem: string) => void} [options.onRefuse] a key was typed that is no digit of this board
   */
  constructor(host, { editable = true, label, onChange = () => {}, onPaste = () => {}, onRefuse = () => {} }) {
    this.editable = editable;
    this.label = label;
    this.onChange = onChange;
    this.onRefuse = onRefuse;
    this.table = h("div", { class: "grid", role: "grid", "aria-label": label, "aria-readonly": String(!editable) });
    const help = h("span", { class: "unseen", id: `grid-help-${++grids}` }, editable ? HELP : NAVIGATION);
    this.table.setAttribute("aria-describedby", help.id);
    this.element = h("div", { class: "grid-host" }, this.table, help);
    host.append(this.element);
    this.table.addEventListener("keydown", (event) => this.#press(event));
    this.table.addEventListener("focusin", (event) => this.#arrive(cellOf(event)));
    this.table.addEventListener("focusout", (event) => {
      if (!this.table.contains(/** @type {Node | null} */ (event.relatedTarget))) this.#clearTints();
    });
    this.table.addEventListener("mousedown", (event) => {
      const cell = cellOf(event);
      if (!cell) return;
      event.preventDefault();
      cell.focus({ preventScroll: true });
    });
    this.table.addEventListener("paste", (event) => {
      if (!this.editable) return;
      event.preventDefault();
      onPaste(event.clipboardData?.getData("text/plain") ?? "");
    });
    this.table.addEventListener("copy", (event) => {
      if (String(getSelection())) return;
      event.preventDefault();
      event.clipboardData?.setData("text/plain", boardText(this.#digits, this.side));
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

  // Show a board.
  /** @param {Board} board */
  set(board) {
    if (this.side) this.#history.note(this.#state());
    this.#show(board);
  }

  // Put a digit (0 for a blank) in a cell. One that a person types is a given, one of a hint is not.
  /** @type {(cell: number, digit: number, options?: { given?: boolean }) => void} */
  put(cell, digit, { given = true } = {}) {
    if (this.#digits[cell] === digit) return;
    this.#history.note(this.#state());
    this.#digits[cell] = digit;
    this.#givens[cell] = given && digit > 0;
    this.#paint(cell);
    this.#tint();
    this.onChange("typed");
  }

  undo() {
    this.#goTo(this.#history.undo(this.#state()));
  }

  redo() {
    this.#goTo(this.#history.redo(this.#state()));
  }

  /** @param {Marks} marks */
  mark(marks) {
    const before = this.#marks;
    this.#marks = marksOf(marks);
    const all = [...Object.values(before), ...Object.values(this.#marks)];
    const touched = new Set(all.flatMap((cells) => [...cells.keys()]));
    for (const cell of touched) if (cell < this.#cells.length) this.#paint(cell);
  }

  get marks() {
    return { ...this.#marks };
  }

  focus(cell = this.#at) {
    this.#cells[cell]?.focus();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.altKey) return;
    const command = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    const target = targetOf(event.key, command, this.#at, this.#shape);
    if (target !== null) this.focus(target);
    else if (!this.editable) return;
    else if (command) {
      if (key !== "z" && key !== "y") return;
      if (key === "y" || event.shiftKey) this.redo();
      else this.undo();
    } else if (event.key.length === 1 || CLEARING.includes(event.key)) this.#type(event.key);
    else return;
    event.preventDefault();
  }

  // A figure, letter or clearing key in the current cell. Numbers beyond 9 on boards without letters are typed figure
  // by figure.
  /** @param {string} key */
  #type(key) {
    const { side } = this;
    const now = performance.now();
    const before = this.#typed;
    this.#typed = { cell: -1, figure: 0, time: 0 };
    if (side > 35 && /^\d$/.test(key) && before.cell === this.#at && now - before.time < TWO_DIGITS_WITHIN) {
      const number = before.figure * 10 + Number(key);
      if (number <= side) return this.put(this.#at, number);
    }
    if (CLEARING.includes(key)) return this.put(this.#at, 0);
    const digit = digitOf(key, side);
    if (!digit) return this.onRefuse(`A ${side}×${side} board has the digits ${symbolSpan(side)}; got ${key}.`);
    if (side > 35) this.#typed = { cell: this.#at, figure: digit, time: now };
    this.put(this.#at, digit);
  }

  #state() {
    return { ...this.#shape, digits: this.digits, givens: [...this.#givens], name: this.name };
  }

  /** @param {Board | null} state */
  #goTo(state) {
    if (!state) return;
    const focused = this.table.contains(document.activeElement);
    this.#show(state);
    if (focused) this.focus();
    this.onChange("undone");
  }

  /** @param {Board} board */
  #show({ side, boxRows, boxCols, digits, givens = null, name = "" }) {
    const same = side === this.side && boxRows === this.boxRows && boxCols === this.boxCols;
    this.#shape = { side, boxRows, boxCols };
    this.#digits = [...digits];
    this.#givens = digits.map((digit, cell) => digit > 0 && (givens === null || Boolean(givens[cell])));
    this.name = name;
    this.#marks = marksOf({});
    if (!same) this.#build();
    for (let cell = 0; cell < this.#cells.length; cell++) this.#paint(cell);
    this.#tint();
  }

  #build() {
    const { side, boxRows, boxCols } = this.#shape;
    const focused = this.table.contains(document.activeElement);
    this.#cells = [];
    this.#places = [];
    this.#painted = [];
    this.#tinted = [];
    this.#at = 0;
    const rows = Array.from({ length: side }, (_, row) => {
      const cells = Array.from({ length: side }, (__, column) => {
        const shaded = (Math.floor(row / boxRows) + Math.floor(column / boxCols)) % 2 === 1;
        this.#places.push(["cell", shaded && "shaded", (column + 1) % boxCols === 0 && column + 1 < side && "right",
          (row + 1) % boxRows === 0 && row + 1 < side && "below"].filter(Boolean).join(" "));
        return h("div", {
          role: "gridcell", tabindex: "-1", "data-cell": row * side + column, "aria-colindex": column + 1,
        });
      });
      this.#cells.push(...cells);
      return h("div", { role: "row", class: "grid-row", "aria-rowindex": row + 1 }, cells);
    });
    this.table.setAttribute("aria-rowcount", String(side));
    this.table.setAttribute("aria-colcount", String(side));
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
    this.table.style.setProperty("--side", String(this.side));
    this.table.classList.toggle("tiny", size < 26);
    this.table.classList.toggle("numbers", this.side > 35);
  }

  /** @param {number} cell */
  #paint(cell) {
    const digit = this.#digits[cell];
    const { clashes, units, highlight, result, notes } = this.#marks;
    const element = this.#cells[cell];
    const kind = !digit ? "" : this.#givens[cell] ? "given" : "entered";
    const classes = [this.#places[cell], kind, clashes.has(cell) && "clash", units.has(cell) && "unit",
      highlight.has(cell) && "highlight", result.has(cell) && "result"].filter(Boolean).join(" ");
    const text = symbol(digit, this.side);
    const noted = (!digit && notes.get(cell)) || null;
    const painted = `${text}|${classes}|${noted ? JSON.stringify(noted) : ""}`;
    if (this.#painted[cell] === painted) return;
    this.#painted[cell] = painted;
    if (noted && this.side <= MOST_NOTED) element.replaceChildren(noteGrid(noted, this.side));
    else if (element.textContent !== text || element.firstElementChild) element.textContent = text;
    element.className = classes;
    if (clashes.has(cell)) element.setAttribute("aria-invalid", "true");
    else element.removeAttribute("aria-invalid");
    element.setAttribute("aria-label", this.#describe(cell, digit, kind));
  }

  /** @type {(cell: number, digit: number, kind: string) => string} */
  #describe(cell, digit, kind) {
    const { clashes, highlight, result, notes } = this.#marks;
    const place = `row ${Math.floor(cell / this.side) + 1} column ${(cell % this.side) + 1}`;
    const what = !digit ? "blank" : `${kind} ${symbol(digit, this.side)}`;
    const hinted = result.has(cell) ? "changed by the hint" : highlight.has(cell) && "part of the hint";
    const more = [clashes.has(cell) && "clashes", hinted];
    const noted = (!digit && notes.get(cell)) || [];
    if (noted.length) more.push(`could be ${noted.map((each) => symbol(each.digit, this.side)).join(" ")}`);
    return [`${place}, ${what}`, ...more.filter(Boolean)].join(", ");
  }

  /** @param {HTMLElement | null} element */
  #arrive(element) {
    if (!element) return;
    if (this.#cells[this.#at]) this.#cells[this.#at].tabIndex = -1;
    this.#at = Number(element.dataset.cell);
    element.tabIndex = 0;
    this.#tint();
  }

  #clearTints() {
    for (const element of this.#tinted) element.removeAttribute("data-near");
    this.#tinted = [];
  }

  // Tint the units of the current cell, and the cells with the same digit.
  #tint() {
    this.#clearTints();
    if (!this.table.contains(document.activeElement)) return;
    const { side, boxRows, boxCols } = this.#shape;
    const row = Math.floor(this.#at / side);
    const column = this.#at % side;
    const digit = this.#digits[this.#at];
    this.#cells.forEach((element, cell) => {
      const r = Math.floor(cell / side);
      const c = cell % side;
      const same = digit > 0 && this.#digits[cell] === digit && cell !== this.#at;
      const inBand = Math.floor(r / boxRows) === Math.floor(row / boxRows);
      const inStack = Math.floor(c / boxCols) === Math.floor(column / boxCols);
      const near = r === row || c === column || (inBand && inStack);
      if (!same && !near) return;
      element.dataset.near = same ? "same" : "unit";
      this.#tinted.push(element);
    });
  }
}

// The cell that an event happened in.
/** @type {(event: Event) => HTMLElement | null} */
const cellOf = ({ target }) => (target instanceof Element ? target.closest("[data-cell]") : null);

/** @param {Marks} marks */
function marksOf({ clashes = [], units = [], highlight = [], result = [], notes = [] }) {
  return {
    clashes: new Set(clashes), units: new Set(units),
    highlight: new Set(highlight), result: new Set(result), notes: new Map(notes),
  };
}

// The candidates of a blank, every digit at its place.
/** @type {(notes: Note[], side: number) => HTMLElement} */
function noteGrid(notes, side) {
  const columns = Math.ceil(Math.sqrt(side));
  const element = h("span", { class: "notes", "aria-hidden": "true" });
  element.style.setProperty("--columns", String(columns));
  for (const { digit, gone, placed } of notes) {
    const note = h("span", { class: gone ? "gone" : placed ? "placed" : null }, symbol(digit, side));
    note.style.gridArea = `${Math.ceil(digit / columns)} / ${((digit - 1) % columns) + 1}`;
    element.append(note);
  }
  return element;
}
