// A population as a heat map: a square for every board, by rank, coloured by its cost.

import { wiped } from "../canvas.js";
import { h } from "../dom.js";
import { ink } from "../prefs.js";
import { count } from "../words.js";

// From low cost to high; ordered by lightness, so that any colour vision can read it (after viridis).
const STOPS = [[253, 231, 37], [122, 209, 81], [34, 168, 132], [42, 120, 142], [65, 68, 135], [68, 1, 84]];
const TALL = 250; // pixels at most

const colours = Array.from({ length: 256 }, (_, i) => {
  const place = (i / 255) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(place));
  const mixed = STOPS[low].map((channel, k) => Math.round(channel + (STOPS[low + 1][k] - channel) * (place - low)));
  return `rgb(${mixed.join(" ")})`;
});

// Half of the scale is for the lowest quarter of costs, where a run spends most of its time.
const colourOf = (cost, highest) => colours[Math.min(255, Math.round(255 * Math.sqrt(cost / (highest || 1))))];

export function heatPlaces(wide, size) {
  let pitch = 30;
  while (pitch > 5 && Math.ceil(size / Math.floor(wide / pitch)) * pitch > TALL) pitch -= 1;
  const across = Math.max(1, Math.floor(wide / pitch));
  const most = across * Math.max(1, Math.floor(TALL / pitch));
  return { pitch, across, most, wide };
}

// Make a canvas as large as what is drawn on it.
export function prepared(canvas, { wide, high }) {
  canvas.style.width = `${wide}px`;
  canvas.style.height = `${high}px`;
  return wiped(canvas, wide, high);
}

export function drawHeat(canvas, places, people, highest, { first, last, chosen, focused }) {
  const context = prepared(canvas, places);
  const { pitch, across } = places;
  const gap = pitch > 8 ? 2 : 1;
  for (let rank = first; rank < last; rank += 1) {
    const [x, y] = [((rank - first) % across) * pitch, Math.floor((rank - first) / across) * pitch];
    context.fillStyle = colourOf(people.costs[rank], highest);
    context.fillRect(x, y, pitch - gap, pitch - gap);
    if (rank !== chosen || !focused) continue;
    context.lineWidth = 2;
    context.strokeStyle = ink("--ink");
    context.strokeRect(x + 1, y + 1, pitch - gap - 2, pitch - gap - 2);
  }
}

// The scale with its ends: what the colours stand for.
export function heatLegend() {
  const canvas = h("canvas", { width: 256, height: 1, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  for (let i = 0; i < 256; i += 1) {
    context.fillStyle = colours[i];
    context.fillRect(i, 0, 1, 1);
  }
  const high = h("span");
  return {
    element: h("div", { class: "heat-legend small soft" }, h("span", {}, "cost 0"), canvas, high, h("span", {}, "square-root scale")),
    show(highest) {
      high.textContent = count(highest);
    },
  };
}
