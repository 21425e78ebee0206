// @ts-check
// A small drawn board of a lesson, changed in place so that changes can be seen, and what its colours mean.

import { h, svg } from "../dom.js";
import { palette, redrawWithPrefs } from "../prefs.js";
import { symbol } from "../symbols.js";

/** @import { Scene, SceneBoard } from "../types.d.ts" */

const CELL = 40;
// Where a digit comes from: its class, its meaning in the legend, and its letter in the cell.
const ORIGINS = [
  ["given", "given", ""], ["first", "from parent A", "A"], ["second", "from parent B", "B"],
  ["both", "alike in both", ""], ["neither", "from neither", ""],
];
const UNITS = ["no complete unit", "one", "two", "three"];

export class LessonBoard {
  /** @type {number[] | null} */
  #digits = null; // as drawn

  /** @param {Scene} scene */
  constructor(scene) {
    this.scene = scene;
    const { side } = scene;
    const wide = side * CELL;
    this.cells = Array.from({ length: side * side }, (_, cell) => {
      const [x, y] = [(cell % side) * CELL, Math.floor(cell / side) * CELL];
      return {
        rect: svg("rect", { x, y, width: CELL, height: CELL }),
        text: svg("text", { x: x + CELL / 2, y: y + CELL / 2 + 1, class: "digit" }),
        letter: svg("text", { x: x + 3, y: y + 9, class: "letter" }),
      };
    });
    this.rings = svg("g", { class: "rings" });
    this.picture = svg("svg", { class: "lesson-board", viewBox: `-2 -2 ${wide + 4} ${wide + 4}`, role: "img" },
      this.cells.map(({ rect, text, letter }) => [rect, text, letter]), gridLines(scene), this.rings);
  }

  /** @type {(view: SceneBoard, label: string) => void} */
  draw(view, label) {
    const { side, givens } = this.scene;
    const { colours, inks } = palette();
    const clashes = new Set(view.clashes);
    this.cells.forEach(({ rect, text, letter }, cell) => {
      const digit = view.digits[cell];
      const colour = view.colours[cell] ?? 0;
      const inUnits = view.paint === "units" && digit > 0;
      const [origin, , initial] = view.paint === "origin" && digit ? ORIGINS[colour] : ["", "", ""];
      rect.setAttribute("class", `cell ${origin} ${givens[cell] ? "is-given" : ""} ${digit ? "" : "open"}`);
      rect.style.fill = inUnits ? colours[colour] : "";
      text.setAttribute("class", `digit ${givens[cell] ? "is-given" : ""} ${clashes.has(cell) ? "clash" : ""}`);
      text.style.fill = inUnits ? inks[colour] : "";
      text.textContent = symbol(digit, side);
      letter.textContent = initial;
      if (this.#digits && digit && this.#digits[cell] !== digit) flash(rect);
    });
    this.rings.replaceChildren(...[...new Set(view.marked)].map((cell) => svg("rect", {
      x: (cell % side) * CELL + 2, y: Math.floor(cell / side) * CELL + 2, width: CELL - 4, height: CELL - 4,
    })));
    this.#digits = view.digits;
    this.picture.setAttribute("aria-label", label);
  }
}

// Restart the flash of a cell even if the last one has not ended.
/** @param {SVGElement} rect */
function flash(rect) {
  rect.classList.remove("flash");
  void rect.getBoundingClientRect();
  rect.classList.add("flash");
}

/** @param {Scene} scene */
function gridLines({ side, box_rows: rows, box_cols: cols }) {
  const wide = side * CELL;
  const lines = Array.from({ length: side - 1 }, (_, i) => {
    const at = (i + 1) * CELL;
    return [
      svg("line", { x1: at, y1: 0, x2: at, y2: wide, class: (i + 1) % cols ? "thin" : "thick" }),
      svg("line", { x1: 0, y1: at, x2: wide, y2: at, class: (i + 1) % rows ? "thin" : "thick" }),
    ];
  });
  return [svg("rect", { x: 0, y: 0, width: wide, height: wide, class: "frame" }), lines];
}

// What the colours of a scene's boards mean; null if they have none.
/** @param {Scene} scene */
export function sceneLegend(scene) {
  const views = scene.steps.flatMap((step) => step.boards);
  const origins = new Set(views.filter((view) => view.paint === "origin")
    .flatMap((view) => view.colours.filter((_, cell) => view.digits[cell])));
  /** @type {(kind: string, words: string) => HTMLElement} */
  const item = (kind, words) => h("li", {}, h("i", { class: `swatch ${kind}` }), words);
  const items = ORIGINS.filter((_, place) => origins.has(place)).map(([kind, words]) => item(kind, words));
  if (views.some((view) => view.paint === "units")) {
    UNITS.forEach((words, place) => {
      const swatch = h("i", { class: "swatch" });
      redrawWithPrefs(swatch, () => { swatch.style.background = palette().colours[place]; });
      items.push(h("li", {}, swatch, words));
    });
  }
  if (views.some((view) => view.clashes.length)) {
    items.push(h("li", {}, h("b", { class: "swatch clash" }, "5"), "repeated in a row, column or box"));
  }
  if (views.some((view) => view.marked.length)) items.push(item("ring", "what this step is about"));
  return items.length ? h("ul", { class: "lesson-legend", "aria-label": "Colours" }, items) : null;
}
