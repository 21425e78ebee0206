// How digits, cells and boards are written: as genoku's own notation has them.

const ONE = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
export const SIDES = [4, 6, 8, 9, 10, 12, 14, 15, 16, 18, 20, 21, 22, 24, 25, 26, 27, 28, 30, 32, 33, 34, 35, 36];

// "A" for 10, a plain number where letters do not reach, nothing for a blank.
export function symbol(digit, side) {
  if (!digit) return "";
  return side <= ONE.length ? ONE[digit - 1] : String(digit);
}

// The digit a text stands for: 0 for a blank, null where it is none of this side's.
export function digitOf(text, side) {
  const said = text.trim().toUpperCase();
  if (["", ".", "0", "-", "_", "*", "?"].includes(said)) return 0;
  const digit = side <= ONE.length && said.length === 1 ? ONE.indexOf(said) + 1
    : /^\d{1,2}$/.test(said) ? Number(said) : 0;
  return digit >= 1 && digit <= side ? digit : null;
}

// "1 to 9", "1 to 9 and A to G", "1 to 36"
export function symbolSpan(side) {
  if (side <= 9 || side > ONE.length) return `1 to ${side}`;
  return side === 10 ? "1 to 9 and A" : `1 to 9 and A to ${symbol(side, side)}`;
}

const cellName = (cell, side) => `r${Math.floor(cell / side) + 1}c${(cell % side) + 1}`;

// The canonical text of a board.
export function boardText(digits, side) {
  if (side > ONE.length) return Array.from(digits).join(" ");
  return Array.from(digits, (digit) => symbol(digit, side) || ".").join("");
}

// The shapes that boxes of a side can have, the squarest (never taller than wide) first.
export function boxShapes(side) {
  const shapes = [];
  for (let rows = 2; rows * 2 <= side; rows++) {
    if (side % rows === 0) shapes.push([rows, side / rows]);
  }
  const wide = shapes.filter(([rows, cols]) => rows <= cols).reverse();
  return wide.flatMap(([rows, cols]) => (rows === cols ? [[rows, cols]] : [[rows, cols], [cols, rows]]));
}

export const boxText = (rows, cols) => `${rows}x${cols}`;

// A board of a side and box such as "2x3"; null where they do not go together.
function shapeOf(side, box) {
  const shapes = boxShapes(side);
  const [rows, cols] = shapes.find((each) => boxText(...each) === box) || (box ? [] : shapes[0] || []);
  return rows ? { side, boxRows: rows, boxCols: cols } : null;
}

// A board from its canonical text; null where only the server can tell what is meant.
export function readBoard(text, box = null) {
  const said = text.trim();
  const numbers = said.includes(" ") ? said.split(" ") : null;
  const parts = numbers || Array.from(said);
  const shape = shapeOf(Math.round(Math.sqrt(parts.length)), box);
  if (!shape || parts.length !== shape.side ** 2) return null;
  if (!numbers && (shape.side > ONE.length || (shape.side > 9 && said.includes("0")))) return null;
  const digits = parts.map((part) =>
    (numbers ? (/^\d{1,2}$/.test(part) && Number(part) <= shape.side ? Number(part) : null)
      : part === "." || part === "0" ? 0 : ONE.slice(0, shape.side).indexOf(part) + 1 || null));
  return digits.includes(null) ? null : { ...shape, digits };
}

// The puzzle of a run, a race or a list, as the server tells it.
export const puzzleOf = ({ side, box_rows: boxRows, box_cols: boxCols, digits }) =>
  ({ side, boxRows, boxCols, digits });

// Which cells clash: a digit that stands twice or more in a unit, as the server would say it.
export function clashesOf({ digits, side, boxRows, boxCols }) {
  const found = [];
  const perBand = side / boxCols;
  const places = {
    row: (unit, i) => unit * side + i,
    column: (unit, i) => i * side + unit,
    box: (unit, i) => (Math.floor(unit / perBand) * boxRows + Math.floor(i / boxCols)) * side
      + (unit % perBand) * boxCols + (i % boxCols),
  };
  for (const [kind, place] of Object.entries(places)) {
    for (let unit = 0; unit < side; unit++) {
      const standing = new Map();
      for (let i = 0; i < side; i++) {
        const cell = place(unit, i);
        const digit = digits[cell];
        if (!digit) continue;
        if (standing.has(digit)) standing.get(digit).push(cell);
        else standing.set(digit, [cell]);
      }
      for (const [digit, cells] of standing) {
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
