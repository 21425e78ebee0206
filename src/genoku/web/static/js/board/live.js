// A board that changes while one looks at it: coloured by its complete units, changes flash for a moment.

import { ink, onPrefs } from "../prefs.js";
import { count } from "../words.js";
import { drawLines, layOut } from "./layout.js";
import { lookOf, OPEN, Tiles } from "./tiles.js";

const FLASH = 400; // milliseconds that a change is seen
const TOLD = 2000; // milliseconds between two labels for screen readers
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class LiveBoard {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.puzzle = null;
    this.look = null;
    this.told = -TOLD;
    canvas.setAttribute("role", "img");
    if (!canvas.hasAttribute("aria-label")) canvas.setAttribute("aria-label", "A board");
    this.watcher = new ResizeObserver(() => this.#fit());
    this.watcher.observe(canvas);
    this.forget = onPrefs(() => this.#renew());
  }

  // Which puzzle is played: its givens stay as they are. `stepWord` is how the label counts.
  setPuzzle({ side, boxRows, boxCols, digits, stepWord = "step" }) {
    this.puzzle = { side, boxRows, boxCols, digits, stepWord };
    this.look = null;
    this.shown = new Int16Array(side * side);
    this.since = new Float64Array(side * side);
    this.force = new Float32Array(side * side);
    digits.forEach((digit, cell) => { this.shown[cell] = lookOf(digit, 0, true); });
    this.told = -TOLD;
    this.at = null; // laid out for another puzzle, and not to be used while the canvas is out of sight
    this.#fit();
  }

  draw(look) {
    if (!this.puzzle) return;
    const first = this.look === null;
    this.look = look;
    const { digits } = this.puzzle;
    const changed = [];
    for (let cell = 0; cell < digits.length; cell += 1) {
      const now = lookOf(look.board[cell], look.units[cell], digits[cell] > 0);
      if (now === this.shown[cell]) continue;
      if (this.shown[cell] >> 3 !== now >> 3 && !first) changed.push(cell);
      this.shown[cell] = now;
      if (this.since[cell] === 0) this.#cell(cell); // those that flash are drawn with their frames
    }
    if (changed.length && !calm.matches) this.#flash(changed);
    this.#tell();
  }

  redraw() {
    if (!this.puzzle || !this.at) return;
    const { context, canvas } = this;
    context.globalAlpha = 1;
    context.fillStyle = ink("--paper");
    context.fillRect(0, 0, canvas.width, canvas.height);
    drawLines(context, this.at, this.puzzle.boxRows, this.puzzle.boxCols, ink("--lines"));
    for (let cell = 0; cell < this.shown.length; cell += 1) this.#cell(cell);
  }

  close() {
    this.watcher.disconnect();
    this.forget();
  }

  #fit() {
    const { canvas, puzzle } = this;
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
    if (!puzzle || !width || !height) return;
    if (this.at && canvas.width === width && canvas.height === height) return;
    canvas.width = width;
    canvas.height = height;
    this.at = layOut(width, height, puzzle.side, puzzle.boxRows, puzzle.boxCols);
    this.#renew();
  }

  // After the theme, the palette or the size have changed every tile is another.
  #renew() {
    if (!this.puzzle || !this.at) return;
    this.tiles = new Tiles(this.at.size, this.puzzle.side);
    this.colour = ink("--flash");
    this.dark = ink("--flash-edge");
    this.redraw();
  }

  #cell(cell) {
    if (!this.at) return;
    const { side } = this.puzzle;
    this.tiles.copy(this.context, this.shown[cell], this.at.xs[cell % side], this.at.ys[Math.floor(cell / side)]);
  }

  // Where much of the board changes at once a strong flash would hide it; where most does, any flash would.
  #flash(cells) {
    const now = performance.now();
    const share = cells.length / this.shown.length;
    if (share > 0.5) return;
    for (const cell of cells) {
      this.since[cell] = now;
      this.force[cell] = share > 0.25 ? 0.45 : 1;
    }
    if (this.fading) return;
    this.fading = true;
    const fade = (time) => {
      this.fading = this.#frames(time);
      if (this.fading && this.canvas.isConnected) requestAnimationFrame(fade);
      else this.fading = false;
    };
    this.#frames(now);
    requestAnimationFrame(fade);
  }

  // The frames of what has changed lately; whether any are left.
  #frames(now) {
    if (!this.at) return false;
    const { context, at, since } = this;
    const { side } = this.puzzle;
    const wide = Math.max(1, Math.round(at.size / 9));
    let left = false;
    for (let cell = 0; cell < since.length; cell += 1) {
      if (since[cell] === 0) continue;
      this.#cell(cell);
      const age = Math.max(0, now - since[cell]) / FLASH;
      if (age >= 1) {
        since[cell] = 0;
        continue;
      }
      left = true;
      const [x, y] = [at.xs[cell % side], at.ys[Math.floor(cell / side)]];
      context.globalAlpha = (1 - age) * this.force[cell];
      ring(context, x, y, at.size, wide, this.colour);
      if (wide > 1) ring(context, x + wide, y + wide, at.size - 2 * wide, 1, this.dark);
      context.globalAlpha = 1;
    }
    return left;
  }

  #tell() {
    const now = performance.now();
    const { look, puzzle } = this;
    if (now - this.told < TOLD && !look.ended) return;
    this.told = now;
    const cells = [0, 0, 0, 0];
    let open = 0;
    for (const each of this.shown) {
      if (each === OPEN) open += 1;
      else cells[(each >> 1) & 3] += 1;
    }
    const units = cells.map((n, complete) => `${n} with ${complete}`).reverse().join(", ");
    this.canvas.setAttribute("aria-label", [
      `Best board of ${look.name || "the run"} at ${puzzle.stepWord} ${count(look.step)}`,
      look.score, `cells by complete units: ${units}`, open ? `${open} open` : "", look.solved ? "solved" : "",
    ].filter(Boolean).join("; "));
  }
}

function ring(context, x, y, size, wide, colour) {
  context.fillStyle = colour;
  context.fillRect(x, y, size, wide);
  context.fillRect(x, y + size - wide, size, wide);
  context.fillRect(x, y + wide, wide, size - 2 * wide);
  context.fillRect(x + size - wide, y + wide, wide, size - 2 * wide);
}
