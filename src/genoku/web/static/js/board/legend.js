// What the colours of a live board mean, in the palette of the moment.

import { h } from "../dom.js";
import { ink, onPrefs } from "../prefs.js";
import { drawCell } from "./tiles.js";

const SIZE = 20;
const HEAD = "Complete units of a cell";
const UNITS = ["none", "one", "two", "all three"].map((label, units) => [label, { text: String(units), units }]);
const MARKS = [
  ["given", { text: "5", units: 0, given: true }],
  ["changed", { text: "5", units: 0, flash: true }],
  ["open", { text: "", units: 0, open: true }],
];

export function legend() {
  const samples = [];
  const list = (label, cells) => h("ul", { "aria-label": label }, cells.map(([says, cell]) => {
    const canvas = h("canvas", { "aria-hidden": "true" });
    samples.push({ cell, canvas });
    return h("li", {}, canvas, says);
  }));
  const element = h("div", { class: "board-legend" },
    h("div", {}, h("span", { "aria-hidden": "true" }, HEAD), list(HEAD, UNITS)),
    list("Marks of a cell", MARKS));
  let seen = false;

  function draw() {
    if (seen && !element.isConnected) return forget();
    seen ||= element.isConnected;
    const scale = window.devicePixelRatio || 1;
    const size = Math.round(SIZE * scale);
    for (const { cell, canvas } of samples) {
      canvas.width = size;
      canvas.height = size;
      const context = canvas.getContext("2d");
      drawCell(context, 0, 0, size, cell);
      if (!cell.flash) continue;
      const wide = Math.round(2 * scale);
      context.strokeStyle = ink("--flash");
      context.lineWidth = wide;
      context.strokeRect(wide / 2, wide / 2, size - wide, size - wide);
    }
  }

  const forget = onPrefs(draw);
  draw();
  return element;
}
