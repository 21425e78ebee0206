// A small drawn board of a lesson. It is changed in place, so that one sees what changes.

import { svg } from "../dom.js";
import { palette } from "../prefs.js";
import { symbol } from "../symbols.js";

const CELL = 40;
const ORIGINS = ["given", "first", "second", "both", "neither"];
const LETTERS = ["", "A", "B", "", ""];

export class LessonBoard {
  // `scene` says what all of its boards share: size and givens.
  constructor(scene) {
    this.scene = scene;
    const { side } = scene;
    const wide = side * CELL;
    this.rects = [];
    this.texts = [];
    this.letters = [];
    const cells = [];
    for (let cell = 0; cell < side * side; cell += 1) {
      const [x, y] = [(cell % side) * CELL, Math.floor(cell / side) * CELL];
      const rect = svg("rect", { x, y, width: CELL, height: CELL });
      const text = svg("text", { x: x + CELL / 2, y: y + CELL / 2 + 1, class: "digit" });
      const letter = svg("text", { x: x + 3, y: y + 9, class: "letter" });
      this.rects.push(rect);
      this.texts.push(text);
      this.letters.push(letter);
      cells.push(rect, text, letter);
    }
    this.rings = svg("g", { class: "rings" });
    this.picture = svg("svg", { class: "lesson-board", viewBox: `-2 -2 ${wide + 4} ${wide + 4}`, role: "img" },
      cells, lines(scene), this.rings);
    this.shown = null;
  }

  draw(view, label) {
    const { side, givens } = this.scene;
    const { colours, inks } = palette();
    const marked = new Set(view.marked);
    const clashes = new Set(view.clashes);
    for (let cell = 0; cell < side * side; cell += 1) {
      const digit = view.digits[cell];
      const [rect, text, letter] = [this.rects[cell], this.texts[cell], this.letters[cell]];
      const colour = view.colours[cell] ?? 0;
      const units = view.paint === "units" && digit;
      const origin = view.paint === "origin" && digit ? ORIGINS[colour] : "";
      rect.setAttribute("class", `cell ${origin} ${givens[cell] ? "is-given" : ""} ${digit ? "" : "open"}`);
      rect.style.fill = units ? colours[colour] : "";
      text.setAttribute("class", `digit ${givens[cell] ? "is-given" : ""} ${clashes.has(cell) ? "clash" : ""}`);
      text.style.fill = units ? inks[colour] : "";
      text.textContent = digit ? symbol(digit, side) : "";
      letter.textContent = origin ? LETTERS[colour] : "";
      const isNew = this.shown && digit && this.shown[cell] !== digit;
      if (isNew) flash(rect);
    }
    this.rings.replaceChildren(...[...marked].map((cell) => svg("rect", {
      x: (cell % side) * CELL + 2, y: Math.floor(cell / side) * CELL + 2, width: CELL - 4, height: CELL - 4,
    })));
    this.shown = view.digits;
    this.picture.setAttribute("aria-label", label);
  }
}

// A flash that begins anew even if the last one has not ended.
function flash(rect) {
  rect.classList.remove("flash");
  void rect.getBoundingClientRect();
  rect.classList.add("flash");
}

function lines({ side, box_rows: rows, box_cols: cols }) {
  const wide = side * CELL;
  const drawn = [svg("rect", { x: 0, y: 0, width: wide, height: wide, class: "frame" })];
  for (let i = 1; i < side; i += 1) {
    const at = i * CELL;
    drawn.push(svg("line", { x1: at, y1: 0, x2: at, y2: wide, class: i % cols ? "thin" : "thick" }));
    drawn.push(svg("line", { x1: 0, y1: at, x2: wide, y2: at, class: i % rows ? "thin" : "thick" }));
  }
  return drawn;
}
