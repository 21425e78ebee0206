// @ts-check
// What the colours of a live board mean, in the current palette.

import { h } from "../dom.js";
import { contextOf } from "../plot.js";
import { ink, redrawWithPrefs } from "../prefs.js";
import { drawCell, drawRing } from "./tiles.js";

/** @import { Cell } from "./tiles.js" */
/** @typedef {[string, Cell & { flash?: boolean }]} Sample a label and the cell beside it */

const SIZE = 20;
const HEAD = "Complete units of a cell";
/** @type {Sample[]} */
const UNITS = ["none", "one", "two", "all three"].map((label, units) => [label, { text: String(units), units }]);
/** @type {Sample[]} */
const MARKS = [
  ["given", { text: "5", units: 0, given: true }],
  ["changed", { text: "5", units: 0, flash: true }],
  ["open", { text: "", units: 0, open: true }],
];

export function legend() {
  /** @type {[HTMLCanvasElement, Sample[1]][]} */
  const samples = [];
  /** @type {(label: string, cells: Sample[]) => HTMLElement} */
  const list = (label, cells) => h("ul", { "aria-label": label }, cells.map(([text, cell]) => {
    const canvas = h("canvas", { "aria-hidden": "true" });
    samples.push([canvas, cell]);
    return h("li", {}, canvas, text);
  }));
  const element = h("div", { class: "board-legend" },
    h("div", {}, h("span", { "aria-hidden": "true" }, HEAD), list(HEAD, UNITS)),
    list("Marks of a cell", MARKS));
  redrawWithPrefs(element, () => {
    const scale = window.devicePixelRatio || 1;
    const size = Math.round(SIZE * scale);
    for (const [canvas, cell] of samples) {
      canvas.width = canvas.height = size;
      const context = contextOf(canvas);
      drawCell(context, 0, 0, size, cell);
      if (cell.flash) drawRing(context, 0, 0, size, Math.round(2 * scale), ink("--flash"));
    }
  });
  return element;
}
