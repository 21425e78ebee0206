// @ts-check
// Digits, cells and boards as text, in genoku's own notation.

/** @import { Clash, Puzzle, ServerPuzzle, Shape } from "./types.d.ts" */

const ONE = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Sides of boards that can be generated.
export const SIDES = [4, 6, 8, 9, 10, 12, 14, 15, 16, 18, 20, 21, 22, 24, 25, 26, 27, 28, 30, 32, 33, 34, 35, 36];

// "A" for 10, a plain number on boards too large for letters, nothing for a blank.
/** @type {(digit: number, side: number) => string} */
export function symbol(digit, side) {
  if (!digit) return "";
  return side <= ONE.length ? ONE[digit - 1] : String(digit);
}

// The digit that a text means: 0 for a blank, null if it is not a digit of this side.
/** @type {(text: string, side: number) => number | null} */
export function digitOf(text, side) {
  const said = text.trim().toUpperCase();
  if (["", ".", "0", "-", "_", "*", "?"].includes(said)) return 0;
  const digit = side <= ONE.length && said.length === 1 ? ONE.indexOf(said) + 1
    : /^\d{1,2}$/.test(said) ? Number(said) : 0;
  return digit >= 1 && digit <= side ? digit : null;
}

// "1 to 9", "1 to 9 and A to G", "1 to 36"
/** @type {(side: number) => string} */
export function symbolSpan(side) {
  if (side <= 9 || side > ONE.length) return `1 to ${side}`;
  return side === 10 ? "1 to 9 and A" : `1 to 9 and A to ${symbol(side, side)}`;
}

/** @type {(cell: number, side: number) => string} */
const cellName = (cell, side) => `r${Math.floor(cell / side) + 1}c${(cell % side) + 1}`;

// The canonical text of a board.
/** @type {(digits: number[], side: number) => string} */
export function boardText(digits, side) {
  if (side > ONE.length) return Array.from(digits).join(" ");
  return Array.from(digits, (digit) => symbol(digit, side) || ".").join("");
}

// The shapes that boxes of a side can have as [rows, columns], the squarest (never taller than wide) first.
/** @type {(side: number) => [number, number][]} */
export function boxShapes(side) {
  /** @type {[number, number][]} */
  const shapes = [];
  for (let rows = 2; rows * 2 <= side; rows++) {
    if (side % rows === 0) shapes.push([rows, side / rows]);
  }
  const wide = shapes.filter(([rows, cols]) => rows <= cols).reverse();
  return wide.flatMap(([rows, cols]) => (rows === cols ? [[rows, cols]] : [[rows, cols], [cols, rows]]));
}

/** @type {(rows: number, cols: number) => string} */
export const boxText = (rows, cols) => `${rows}x${cols}`;

// The shape of a board with a box such as "2x3", by default the squarest; null if the side has no such box.
/** @type {(side: number, box?: string | null) => Shape | null} */
function shapeOf(side, box) {
  const found = boxShapes(side).find((each) => !box || boxText(...each) === box);
  return found ? { side, boxRows: found[0], boxCols: found[1] } : null;
}

// A board from its canonical text; null for other formats, which the server reads.
/** @type {(text: string, box?: string | null) => Puzzle | null} */
export function readBoard(text, box = null) {
  const said = text.trim();
  const numbers = said.includes(" ") ? said.split(" ") : null;
  const parts = numbers || Array.from(said);
  const shape = shapeOf(Math.round(Math.sqrt(parts.length)), box);
  if (!shape || parts.length !== shape.side ** 2) return null;
  if (!numbers && (shape.side > ONE.length || (shape.side > 9 && said.includes("0")))) return null;
  const digits = parts.map((part) =>
    (numbers ? (/^\d{1,2}$/.test(part) && Number(part) <= shape.side ? Number(part) : -1)
      : part === "." || part === "0" ? 0 : ONE.slice(0, shape.side).indexOf(part) + 1 || -1));
  return digits.includes(-1) ? null : { ...shape, digits };
}

// A puzzle as the page keeps it, from the server's description.
/** @type {(puzzle: ServerPuzzle) => Puzzle} */
export const puzzleOf = ({ side, box_rows: boxRows, box_cols: boxCols, digits }) =>
  ({ side, boxRows, boxCols, digits });

/** @type {(one: Puzzle, other: Puzzle) => boolean} */
export const isSamePuzzle = (one, other) => one.side === other.side && one.boxRows === other.boxRows
  && one.boxCols === other.boxCols && one.digits.every((digit, cell) => digit === other.digits[cell]);

// Every digit that is repeated in a row, column or box, in the server's words.
/** @type {(puzzle: Puzzle) => Clash[]} */
export function clashesOf({ digits, side, boxRows, boxCols }) {
  /** @type {Clash[]} */
  const found = [];
  const perBand = side / boxCols;
  /** @type {Record<string, (unit: number, i: number) => number>} */
  const cellAt = {
    row: (unit, i) => unit * side + i,
    column: (unit, i) => i * side + unit,
    box: (unit, i) => (Math.floor(unit / perBand) * boxRows + Math.floor(i / boxCols)) * side
      + (unit % perBand) * boxCols + (i % boxCols),
  };
  for (const [kind, place] of Object.entries(cellAt)) {
    for (let unit = 0; unit < side; unit++) {
      /** @type {Map<number, number[]>} */
      const cellsOf = new Map();
      for (let i = 0; i < side; i++) {
        const cell = place(unit, i);
        if (digits[cell]) cellsOf.set(digits[cell], [...(cellsOf.get(digits[cell]) ?? []), cell]);
      }
      for (const [digit, cells] of cellsOf) {
        if (cells.length < 2) continue;
        const times = cells.length === 2 ? "twice" : `${cells.length} times`;
        const names = cells.map((cell) => cellName(cell, side)).join(", ");
        const words = `${symbol(digit, side)} appears ${times} in ${kind} ${unit + 1} (${names}).`;
        found.push({ cells, digit, words });
      }
    }
  }
  return found;
}
