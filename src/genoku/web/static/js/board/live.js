// @ts-check
// A board that changes while one watches: coloured by its complete units; changed cells flash for a moment.

import { contextOf } from "../plot.js";
import { ink, onPrefs } from "../prefs.js";
import { count } from "../words.js";
import { drawLines, layOut } from "./layout.js";
import { drawRing, lookOf, OPEN, Tiles } from "./tiles.js";

/** @import { BoardFrame, Puzzle } from "../types.d.ts" */
/** @import { Layout } from "./layout.js" */

const FLASH = 400; // milliseconds that a change is marked
const DESCRIBED = 2000; // milliseconds between two labels for screen readers
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class LiveBoard {
  /** @type {Puzzle | null} */
  #puzzle = null;
  #stepWord = "step";
  /** @type {Layout | null} */
  #at = null; // null until the canvas has a size
  /** @type {Tiles | null} */
  #tiles = null;
  #isFirst = true; // the first frame of a puzzle does not flash
  #isFading = false;
  #described = -DESCRIBED;
  #looks = new Int16Array(); // of every cell, as drawn
  #since = new Float64Array(); // when a cell began to flash, 0 if it does not
  #strength = new Float32Array(); // of its flash
  #flashInks = ["", ""];

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = contextOf(canvas, { alpha: false });
    canvas.setAttribute("role", "img");
    if (!canvas.hasAttribute("aria-label")) canvas.setAttribute("aria-label", "A board");
    this.watcher = new ResizeObserver(() => this.#fit());
    this.watcher.observe(canvas);
    this.forget = onPrefs(() => this.#renew());
  }

  // Set the puzzle, whose givens stay as they are. `stepWord` is what the label counts.
  /** @type {(puzzle: Puzzle, stepWord?: string) => void} */
  setPuzzle(puzzle, stepWord = "step") {
    const cells = puzzle.side ** 2;
    this.#puzzle = puzzle;
    this.#stepWord = stepWord;
    this.#isFirst = true;
    this.#looks = Int16Array.from(puzzle.digits, (digit) => lookOf(digit, 0, true));
    this.#since = new Float64Array(cells);
    this.#strength = new Float32Array(cells);
    this.#described = -DESCRIBED;
    this.#at = null; // the layout of another puzzle must not be used while the canvas is hidden
    this.#fit();
  }

  /** @param {BoardFrame} frame */
  draw(frame) {
    if (!this.#puzzle) return;
    const { digits } = this.#puzzle;
    const changed = [];
    for (let cell = 0; cell < digits.length; cell += 1) {
      const look = lookOf(frame.board[cell], frame.units[cell], digits[cell] > 0);
      const before = this.#looks[cell];
      if (look === before) continue;
      if (before >> 3 !== look >> 3 && !this.#isFirst) changed.push(cell);
      this.#looks[cell] = look;
      if (this.#since[cell] === 0) this.#drawCell(cell); // cells that flash are drawn with their rings
    }
    this.#isFirst = false;
    if (changed.length && !calm.matches) this.#flash(changed);
    this.#describe(frame);
  }

  close() {
    this.watcher.disconnect();
    this.forget();
  }

  #fit() {
    const { canvas } = this;
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
    if (!this.#puzzle || !width || !height) return;
    if (this.#at && canvas.width === width && canvas.height === height) return;
    canvas.width = width;
    canvas.height = height;
    const { side, boxRows, boxCols } = this.#puzzle;
    this.#at = layOut(width, height, side, boxRows, boxCols);
    this.#renew();
  }

  // Draw all of it anew, with new tiles: the theme, the palette or the size has changed.
  #renew() {
    if (!this.#puzzle || !this.#at) return;
    const { context, canvas } = this;
    this.#tiles = new Tiles(this.#at.size, this.#puzzle.side);
    this.#flashInks = [ink("--flash"), ink("--flash-edge")];
    context.globalAlpha = 1;
    context.fillStyle = ink("--paper");
    context.fillRect(0, 0, canvas.width, canvas.height);
    drawLines(context, this.#at, this.#puzzle.boxRows, this.#puzzle.boxCols, ink("--lines"));
    for (let cell = 0; cell < this.#looks.length; cell += 1) this.#drawCell(cell);
  }

  // Draw a cell; returns where it is.
  /** @param {number} cell */
  #drawCell(cell) {
    if (!this.#at || !this.#puzzle) return { x: 0, y: 0 };
    const { side } = this.#puzzle;
    const [x, y] = [this.#at.xs[cell % side], this.#at.ys[Math.floor(cell / side)]];
    this.#tiles?.copy(this.context, this.#looks[cell], x, y);
    return { x, y };
  }

  // Where much of the board changes at once a strong flash would hide it; where most does, any flash would.
  /** @param {number[]} cells */
  #flash(cells) {
    const now = performance.now();
    const share = cells.length / this.#looks.length;
    if (share > 0.5) return;
    for (const cell of cells) {
      this.#since[cell] = now;
      this.#strength[cell] = share > 0.25 ? 0.45 : 1;
    }
    if (this.#isFading) return;
    this.#isFading = true;
    /** @param {number} time */
    const fade = (time) => {
      this.#isFading = this.#drawRings(time) && this.canvas.isConnected;
      if (this.#isFading) requestAnimationFrame(fade);
    };
    this.#drawRings(now);
    requestAnimationFrame(fade);
  }

  // Draw the rings of recent changes; returns whether any are left.
  /** @param {number} now */
  #drawRings(now) {
    if (!this.#at) return false;
    const { context } = this;
    const { size } = this.#at;
    const [colour, edge] = this.#flashInks;
    const wide = Math.max(1, Math.round(size / 9));
    let isLeft = false;
    for (let cell = 0; cell < this.#since.length; cell += 1) {
      if (this.#since[cell] === 0) continue;
      const { x, y } = this.#drawCell(cell);
      const age = Math.max(0, now - this.#since[cell]) / FLASH;
      if (age >= 1) {
        this.#since[cell] = 0;
        continue;
      }
      isLeft = true;
      context.globalAlpha = (1 - age) * this.#strength[cell];
      drawRing(context, x, y, size, wide, colour);
      if (wide > 1) drawRing(context, x + wide, y + wide, size - 2 * wide, 1, edge);
      context.globalAlpha = 1;
    }
    return isLeft;
  }

  /** @param {BoardFrame} frame */
  #describe({ name = "the run", step, score, solved, ended }) {
    const now = performance.now();
    if (now - this.#described < DESCRIBED && !ended) return;
    this.#described = now;
    const cells = [0, 0, 0, 0];
    let open = 0;
    for (const look of this.#looks) {
      if (look === OPEN) open += 1;
      else cells[(look >> 1) & 3] += 1;
    }
    const units = cells.map((n, complete) => `${n} with ${complete}`).reverse().join(", ");
    this.canvas.setAttribute("aria-label", [
      `Best board of ${name || "the run"} at ${this.#stepWord} ${count(step)}`,
      score, `cells by complete units: ${units}`, open ? `${open} open` : "", solved ? "solved" : "",
    ].filter(Boolean).join("; "));
  }
}
