// A population as thumbnails: report 003's map of every board, a page of them at a time.

import { ink, palette } from "../prefs.js";
import { prepared } from "./heat.js";

const TALL = 300; // pixels at most
const GAP = 8;

export function thumbPlaces(wide, _, side) {
  const cell = Math.max(2, Math.round(54 / side));
  const pitch = cell * side + GAP;
  const across = Math.max(1, Math.floor((wide + GAP) / pitch));
  const most = across * Math.max(1, Math.floor((TALL + GAP) / pitch));
  return { pitch, across, most, cell, wide };
}

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

// Boards are written side by side into one small picture, a pixel a cell, and enlarged from there.
function sheetOf(maps, side) {
  const sheet = document.createElement("canvas");
  sheet.width = side * maps.length;
  sheet.height = side;
  const context = sheet.getContext("2d");
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

// Hair lines between boxes, so that a thumbnail reads as a board.
function boxes(context, x, y, cell, { side, box_rows: rows, box_cols: cols }) {
  context.fillStyle = ink("--paper");
  for (let i = cols; i < side; i += cols) context.fillRect(x + i * cell - 0.5, y, 1, side * cell);
  for (let i = rows; i < side; i += rows) context.fillRect(x, y + i * cell - 0.5, side * cell, 1);
}

export function drawThumbs(canvas, places, people, shape, { first, last, chosen, focused }) {
  const context = prepared(canvas, places);
  const { side } = shape;
  const { pitch, across, cell } = places;
  const size = cell * side;
  const known = people.maps.length ? sheetOf(people.maps, side) : null;
  context.imageSmoothingEnabled = false;
  for (let rank = first; rank < last; rank += 1) {
    const [x, y] = [((rank - first) % across) * pitch, Math.floor((rank - first) / across) * pitch];
    const index = rank - people.first;
    if (known && index >= 0 && index < people.maps.length) {
      context.drawImage(known, index * side, 0, side, side, x, y, size, size);
      boxes(context, x, y, cell, shape);
    } else {
      context.fillStyle = ink("--faint");
      context.fillRect(x, y, size, size);
    }
    if (rank !== chosen || !focused) continue;
    context.lineWidth = 3;
    context.strokeStyle = ink("--accent");
    context.strokeRect(x + 1.5, y + 1.5, size - 3, size - 3);
  }
}
