// @ts-check
// A lane of a race: how it is told apart, its best board, and how far it is.

import { LiveBoard } from "../board/live.js";
import { fact, fill, h, svg } from "../dom.js";
import { count, figures, short } from "../words.js";

/** @import { LaneFrame, Phase, Puzzle } from "../types.d.ts" */

// Lanes differ by colour and by the dashes of their lines, and have a number.
export const DASHES = [[], [8, 4], [2, 3], [9, 3, 2, 3]];
/** @type {(lane: number) => string} */
export const colourOf = (lane) => `--lane-${lane + 1}`;

// The line of a lane as a small image.
/** @param {number} lane */
export function laneMark(lane) {
  const style = { "stroke-width": "3", "stroke-dasharray": DASHES[lane].join(" ") || "none" };
  const size = { viewBox: "0 0 30 8", width: "30", height: "8", "aria-hidden": "true" };
  return svg("svg", { class: `lane-mark lane-${lane + 1}`, ...size },
    svg("line", { x1: "1", y1: "4", x2: "29", y2: "4", ...style }));
}

/** @type {(lane: LaneFrame, phase: Phase, isWinner: boolean) => string} */
function stateOf(lane, phase, isWinner) {
  if (lane.solved) return isWinner ? "solved first" : "solved";
  if (lane.ended) return lane.ended.includes("=") ? "budget spent" : lane.ended;
  return { waiting: "getting ready", running: "running", paused: "paused", ended: "stopped" }[phase];
}

/** @type {(s: number) => string} */
const clock = (s) => (s < 0.1 ? `${figures(1000 * s, 2)} ms` : `${s.toFixed(s < 10 ? 2 : 1)} s`);

// `budget`: seconds of CPU time, null if something else is the limit.
/** @type {(place: number, name: string, puzzle: Puzzle, budget: number | null) => { element: HTMLElement, begin: () => void, show: (lane: LaneFrame, phase: Phase, winner: number | null) => void, close: () => void }} */
export function laneCard(place, name, puzzle, budget) {
  const canvas = h("canvas", { class: "race-board", "aria-label": `Best board of ${name}` });
  const crown = h("span", { class: "badge good crown", hidden: true }, "♛ Winner");
  const state = h("span", { class: "badge" }, "getting ready");
  const [errors, spent, step, speed] = Array.from({ length: 4 }, () => h("span", {}, "–"));
  const speedName = h("span", {}, "Evaluations/s");
  const score = h("span", { class: "soft small score" });
  const total = budget !== null && h("span", { class: "soft small" }, ` of ${figures(budget, 3)} s`);
  const element = h("li", { class: `card race-lane lane-${place + 1}` },
    h("div", { class: "race-lane-head" },
      h("h3", {}, laneMark(place), h("span", { class: "race-lane-name" }, name)), crown),
    canvas,
    h("dl", { class: "race-facts" },
      fact("Errors left", errors), fact("CPU time", [spent, total]), fact("Step", step), fact(speedName, speed)),
    h("div", { class: "row spread" }, state, score));
  const board = new LiveBoard(canvas);

  return {
    element,
    // Called once the canvas is in the page and has a size.
    begin: () => board.setPuzzle(puzzle),
    show(lane, phase, winner) {
      board.draw(lane);
      fill(errors, lane.errors === null ? "–" : count(lane.errors));
      fill(spent, clock(lane.seconds));
      fill(step, count(lane.step));
      fill(speed, short(lane.speed));
      fill(speedName, lane.moves > lane.evaluations ? "Moves/s" : "Evaluations/s");
      fill(score, lane.own_score);
      const isWinner = winner === place;
      fill(state, stateOf(lane, phase, isWinner));
      state.className = `badge ${lane.solved ? "good" : lane.ended ? "" : phase === "running" ? "live" : "warn"}`;
      crown.hidden = !isWinner;
      element.classList.toggle("winner", isWinner);
    },
    close: () => board.close(),
  };
}
