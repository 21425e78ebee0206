// How lanes are told apart: by colour, by the dashes of their lines, and by number.

import { svg } from "../dom.js";

export const DASHES = [[], [8, 4], [2, 3], [9, 3, 2, 3]];
export const colour = (lane) => `--lane-${lane + 1}`;

// The line of a lane as a small picture; its number stands beside it.
export function mark(lane) {
  const look = { "stroke-width": "3", "stroke-dasharray": DASHES[lane].join(" ") || "none" };
  const size = { viewBox: "0 0 30 8", width: "30", height: "8", "aria-hidden": "true" };
  return svg("svg", { class: `lane-mark lane-${lane + 1}`, ...size },
    svg("line", { x1: "1", y1: "4", x2: "29", y2: "4", ...look }));
}
