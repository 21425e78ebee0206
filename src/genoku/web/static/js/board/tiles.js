// The cells of a live board, drawn once each and then copied: a copy is several times quicker than text.

import { ink, palette } from "../prefs.js";
import { symbol } from "../symbols.js";

export const OPEN = 0;

// What a cell looks like as one number: nothing for an open cell, else digit, complete units and whether it is given.
export const lookOf = (digit, units, given) => (digit === 0 ? OPEN : (digit * 4 + units) * 2 + (given ? 1 : 0));

// Draw one cell from (x, y): its colour, its digit, and for a given a corner and a heavier digit.
export function drawCell(context, x, y, size, { text, units, given, open = false }) {
  const { colours, inks } = palette();
  context.fillStyle = open ? ink("--open") : colours[units];
  context.fillRect(x, y, size, size);
  if (open) return;
  context.fillStyle = inks[units];
  if (given) corner(context, x, y, size);
  if (size < 8) return;
  const height = Math.round(size * (text.length > 1 ? 0.46 : 0.58));
  context.font = `${given ? 800 : 400} ${height}px ${ink("--sans")}`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  const box = context.measureText("8");
  const middle = (box.actualBoundingBoxAscent - box.actualBoundingBoxDescent) / 2;
  context.fillText(text, x + size / 2, Math.round(y + size / 2 + middle), size * 0.92);
}

// The mark of a given: a triangle, so that nobody needs to tell bold from regular.
function corner(context, x, y, size) {
  const leg = Math.max(2, Math.round(size * 0.19));
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + leg, y);
  context.lineTo(x, y + leg);
  context.fill();
}

// A sheet of tiles of one size, filled as they are asked for.
export class Tiles {
  constructor(size, side) {
    this.size = size;
    this.side = side;
    this.across = side + 1;
    this.sheet = document.createElement("canvas");
    this.sheet.width = this.across * size;
    this.sheet.height = 8 * size;
    this.context = this.sheet.getContext("2d");
    this.made = new Uint8Array(this.across * 8);
  }

  copy(context, look, x, y) {
    const { size } = this;
    const digit = look >> 3;
    const row = look & 7;
    const place = row * this.across + digit;
    if (!this.made[place]) {
      const [units, given] = [row >> 1, (row & 1) === 1];
      const text = digit ? symbol(digit, this.side) : "";
      drawCell(this.context, digit * size, row * size, size, { text, units, given, open: look === OPEN });
      this.made[place] = 1;
    }
    context.drawImage(this.sheet, digit * size, row * size, size, size, x, y, size, size);
  }
}
