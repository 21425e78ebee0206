// @ts-check
// The cells of a live board, drawn once each and then copied, which is several times faster than drawing text.

import { contextOf } from "../plot.js";
import { ink, palette } from "../prefs.js";
import { symbol } from "../symbols.js";

export const OPEN = 0;

// A cell's looks as one number: 0 if it is open, else its digit, its complete units and whether it is given.
/** @type {(digit: number, units: number, given: boolean) => number} */
export const lookOf = (digit, units, given) => (digit === 0 ? OPEN : (digit * 4 + units) * 2 + (given ? 1 : 0));

/** @typedef {{ text: string, units: number, given?: boolean, open?: boolean }} Cell */

// Draw one cell at (x, y): its colour, its digit, and for a given a corner and a heavier digit.
/** @type {(context: CanvasRenderingContext2D, x: number, y: number, size: number, cell: Cell) => void} */
export function drawCell(context, x, y, size, { text, units, given = false, open = false }) {
  const { colours, inks } = palette();
  context.fillStyle = open ? ink("--open") : colours[units];
  context.fillRect(x, y, size, size);
  if (open) return;
  context.fillStyle = inks[units];
  if (given) drawCorner(context, x, y, size);
  if (size < 8) return;
  const height = Math.round(size * (text.length > 1 ? 0.46 : 0.58));
  context.font = `${given ? 800 : 400} ${height}px ${ink("--sans")}`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  const box = context.measureText("8");
  const middle = (box.actualBoundingBoxAscent - box.actualBoundingBoxDescent) / 2;
  context.fillText(text, x + size / 2, Math.round(y + size / 2 + middle), size * 0.92);
}

// The mark of a given: a triangle, so that nobody has to tell bold from regular.
/** @type {(context: CanvasRenderingContext2D, x: number, y: number, size: number) => void} */
function drawCorner(context, x, y, size) {
  const leg = Math.max(2, Math.round(size * 0.19));
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + leg, y);
  context.lineTo(x, y + leg);
  context.fill();
}

// Draw a square outline `wide` pixels thick, inside (x, y, size).
/** @type {(context: CanvasRenderingContext2D, x: number, y: number, size: number, wide: number, colour: string) => void} */
export function drawRing(context, x, y, size, wide, colour) {
  context.strokeStyle = colour;
  context.lineWidth = wide;
  context.strokeRect(x + wide / 2, y + wide / 2, size - wide, size - wide);
}

// A sheet of tiles of one size, drawn when they are first needed.
export class Tiles {
  /**
   * @param {number} size pixels
   * @param {number} side
   */
  constructor(size, side) {
    this.size = size;
    this.side = side;
    this.across = side + 1;
    this.sheet = document.createElement("canvas");
    this.sheet.width = this.across * size;
    this.sheet.height = 8 * size;
    this.context = contextOf(this.sheet);
    this.made = new Uint8Array(this.across * 8);
  }

  /** @type {(context: CanvasRenderingContext2D, look: number, x: number, y: number) => void} */
  copy(context, look, x, y) {
    const { size } = this;
    const digit = look >> 3;
    const row = look & 7;
    const place = row * this.across + digit;
    if (!this.made[place]) {
      const [units, given] = [row >> 1, (row & 1) === 1];
      const text = symbol(digit, this.side);
      drawCell(this.context, digit * size, row * size, size, { text, units, given, open: look === OPEN });
      this.made[place] = 1;
    }
    context.drawImage(this.sheet, digit * size, row * size, size, size, x, y, size, size);
  }
}
