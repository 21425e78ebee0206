// @ts-check
// The two pictures of a population. The heat map has a square for every board, by rank, coloured by its cost; the
// thumbnails are report 003's map of every board, a page of them at a time.

import { h } from "../dom.js";
import { clearCanvas, contextOf } from "../plot.js";
import { ink, palette } from "../prefs.js";
import { count } from "../words.js";
import { fitnessText } from "./scale.js";

/** @import { Population, Scale } from "../types.d.ts" */

/**
 * @typedef {object} Layout where the boards of a page are
 * @property {number} pitch pixels from one board to the next
 * @property {number} across boards in a row
 * @property {number} most boards on a page
 * @property {number} wide pixels
 * @property {number} cell pixels of a cell
 */

/**
 * @typedef {object} View which boards are shown
 * @property {number} first rank
 * @property {number} last rank, exclusive
 * @property {number} chosen rank
 * @property {boolean} focused
 */

/** @typedef {{ side: number, box_rows: number, box_cols: number }} BoxShape */

// From low cost to high; ordered by lightness, so that any colour vision can read it (after viridis).
const STOPS = [[253, 231, 37], [122, 209, 81], [34, 168, 132], [42, 120, 142], [65, 68, 135], [68, 1, 84]];
const HEAT_HIGH = 250; // pixels at most
const THUMBS_HIGH = 300; // pixels at most
const GAP = 8; // pixels between thumbnails

const heatColours = Array.from({ length: 256 }, (_, i) => {
  const place = (i / 255) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(place));
  const mixed = STOPS[low].map((channel, k) => Math.round(channel + (STOPS[low + 1][k] - channel) * (place - low)));
  return `rgb(${mixed.join(" ")})`;
});

// Half of the scale is for the lowest quarter of costs, where a run spends most of its time.
/** @type {(cost: number, highest: number) => string} */
const heatColour = (cost, highest) => heatColours[Math.min(255, Math.round(255 * Math.sqrt(cost / (highest || 1))))];

/** @type {(wide: number, size: number) => Layout} */
export function layOutHeat(wide, size) {
  let pitch = 30;
  while (pitch > 5 && Math.ceil(size / Math.floor(wide / pitch)) * pitch > HEAT_HIGH) pitch -= 1;
  const across = Math.max(1, Math.floor(wide / pitch));
  const most = across * Math.max(1, Math.floor(HEAT_HIGH / pitch));
  return { pitch, across, most, wide, cell: pitch };
}

/** @type {(wide: number, side: number) => Layout} */
export function layOutThumbs(wide, side) {
  const cell = Math.max(2, Math.round(54 / side));
  const pitch = cell * side + GAP;
  const across = Math.max(1, Math.floor((wide + GAP) / pitch));
  const most = across * Math.max(1, Math.floor((THUMBS_HIGH + GAP) / pitch));
  return { pitch, across, most, wide, cell };
}

// Clear a canvas with room for the boards of a view, and call `draw(context, rank, x, y)` for each.
/** @type {(canvas: HTMLCanvasElement, layout: Layout, view: View, draw: (context: CanvasRenderingContext2D, rank: number, x: number, y: number) => void) => void} */
function drawBoards(canvas, { wide, pitch, across }, { first, last }, draw) {
  const high = Math.ceil((last - first) / across) * pitch;
  canvas.style.width = `${wide}px`;
  canvas.style.height = `${high}px`;
  const context = clearCanvas(canvas, wide, high);
  for (let rank = first; rank < last; rank += 1) {
    draw(context, rank, ((rank - first) % across) * pitch, Math.floor((rank - first) / across) * pitch);
  }
}

/** @type {(canvas: HTMLCanvasElement, layout: Layout, people: Population, highest: number, view: View) => void} */
export function drawHeat(canvas, layout, people, highest, view) {
  const size = layout.pitch - (layout.pitch > 8 ? 2 : 1);
  drawBoards(canvas, layout, view, (context, rank, x, y) => {
    context.fillStyle = heatColour(people.costs[rank], highest);
    context.fillRect(x, y, size, size);
    if (rank !== view.chosen || !view.focused) return;
    context.lineWidth = 2;
    context.strokeStyle = ink("--ink");
    context.strokeRect(x + 1, y + 1, size - 2, size - 2);
  });
}

// The colour scale and its ends, as costs or as the fitness that the report states.
export function heatLegend() {
  const canvas = h("canvas", { width: 256, height: 1, "aria-hidden": "true" });
  const context = contextOf(canvas);
  heatColours.forEach((colour, i) => {
    context.fillStyle = colour;
    context.fillRect(i, 0, 1, 1);
  });
  const [low, high] = [h("span"), h("span")];
  return {
    element: h("div", { class: "heat-legend small soft" }, low, canvas, high, h("span", {}, "square-root scale")),
    /** @type {(highest: number, scale: Scale | null) => void} */
    show(highest, scale) {
      low.textContent = scale ? `fitness ${count(scale.solved)}` : "cost 0";
      high.textContent = scale ? fitnessText(scale, highest) : count(highest);
    },
  };
}

/** @type {(colour: string) => number[]} */
const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

// Boards are written side by side into one small image, a pixel a cell, and enlarged from there.
/** @type {(maps: string[], side: number) => HTMLCanvasElement} */
function sheetOf(maps, side) {
  const sheet = document.createElement("canvas");
  sheet.width = side * maps.length;
  sheet.height = side;
  const context = contextOf(sheet);
  const image = context.createImageData(sheet.width, side);
  const colours = palette().colours.map(channels);
  maps.forEach((map, index) => {
    for (let cell = 0; cell < map.length; cell += 1) {
      const at = 4 * (Math.floor(cell / side) * sheet.width + index * side + (cell % side));
      image.data.set([...colours[Number(map[cell])], 255], at);
    }
  });
  context.putImageData(image, 0, 0);
  return sheet;
}

// Hairlines between boxes, so that a thumbnail looks like a board.
/** @type {(context: CanvasRenderingContext2D, x: number, y: number, cell: number, shape: BoxShape) => void} */
function drawBoxes(context, x, y, cell, { side, box_rows: rows, box_cols: cols }) {
  context.fillStyle = ink("--paper");
  for (let i = cols; i < side; i += cols) context.fillRect(x + i * cell - 0.5, y, 1, side * cell);
  for (let i = rows; i < side; i += rows) context.fillRect(x, y + i * cell - 0.5, side * cell, 1);
}

/** @type {(canvas: HTMLCanvasElement, layout: Layout, people: Population, shape: BoxShape, view: View) => void} */
export function drawThumbs(canvas, layout, people, shape, view) {
  const { side } = shape;
  const size = layout.cell * side;
  const sheet = people.maps.length ? sheetOf(people.maps, side) : null;
  drawBoards(canvas, layout, view, (context, rank, x, y) => {
    const index = rank - people.first;
    if (sheet && index >= 0 && index < people.maps.length) {
      context.imageSmoothingEnabled = false;
      context.drawImage(sheet, index * side, 0, side, side, x, y, size, size);
      drawBoxes(context, x, y, layout.cell, shape);
    } else {
      context.fillStyle = ink("--faint");
      context.fillRect(x, y, size, size);
    }
    if (rank !== view.chosen || !view.focused) return;
    context.lineWidth = 3;
    context.strokeStyle = ink("--accent");
    context.strokeRect(x + 1.5, y + 1.5, size - 3, size - 3);
  });
}
