// @ts-check
// The errors left of all lanes over their CPU time, in one chart, every line with its name. Time has a logarithmic scale:
// one lane may need a millisecond and another its whole budget.

import { clearCanvas, contextOf, dot, drawXAxis, halve, stroke } from "../plot.js";
import { ink, onPrefs } from "../prefs.js";
import { count, figures } from "../words.js";
import { colourOf, DASHES } from "./lane.js";

/** @import { LaneFrame } from "../types.d.ts" */
/** @import { Plot } from "../plot.js" */
/** @typedef {(value: number) => number} Scale from a value to pixels */
/** @typedef {[seconds: number, errors: number]} ErrorsPoint */

const KEPT = 1200; // points of a lane; beyond that every second one is dropped
const LINE = 15; // pixels between two names
const LEAST = 1e-4; // seconds: the axis does not begin below
const LEVELS = [1000, 500, 200, 100, 50, 20, 10, 5, 2, 1];

// The limits of the time axis: from the power of ten in which the quickest lane was first seen to the end, a factor of
// ten at least.
/** @type {(lanes: ErrorsPoint[][]) => [number, number]} */
export function timeSpan(lanes) {
  const last = Math.max(0.01, ...lanes.flatMap((points) => points.slice(-1).map(([time]) => time)));
  const firsts = lanes.map((points) => points.find(([time]) => time > 0)?.[0] ?? last);
  return [10 ** Math.floor(Math.log10(Math.max(LEAST, Math.min(last / 10, ...firsts)))), last];
}

// The ticks of the time axis: all powers of ten, and 2 and 5 times them if there is room (`wide` in pixels).
/** @type {(first: number, last: number, wide: number) => number[]} */
export function timeTicks(first, last, wide) {
  const factors = wide / Math.log10(last / first) > 220 ? [1, 2, 5] : [1];
  const times = [];
  for (let decade = first; decade <= last * 1.001; decade *= 10) times.push(...factors.map((each) => each * decade));
  return times.filter((time) => time <= last * 1.001);
}

/** @typedef {{ place: number, from: number, wide: number, level: number, at: number }} Label */

// Move labels apart that would cover each other, in the order of their levels: sets `at` of each.
/** @type {(labels: Label[], top: number, bottom: number) => Label[]} */
export function spreadLabels(labels, top, bottom) {
  labels.sort((one, two) => two.level - one.level || two.place - one.place); // the lowest first
  /** @type {(one: Label, two: Label) => boolean} */
  const overlap = (one, two) => one.from < two.from + two.wide && two.from < one.from + one.wide;
  labels.forEach((each, i) => {
    const below = labels.slice(0, i).filter((other) => overlap(each, other)).map(({ at }) => at - LINE);
    each.at = Math.min(each.level, bottom, ...below);
  });
  for (let i = labels.length - 1; i >= 0; i -= 1) { // back from the upper edge
    const above = labels.slice(i + 1).filter((other) => overlap(labels[i], other)).map(({ at }) => at + LINE);
    labels[i].at = Math.max(labels[i].at, top, ...above);
  }
  return labels;
}

export class ErrorsChart {
  /** @type {ErrorsPoint[][]} */
  lanes;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {string[]} names
   */
  constructor(canvas, names) {
    this.canvas = canvas;
    this.context = contextOf(canvas);
    this.names = names;
    this.lanes = names.map(() => []);
    canvas.setAttribute("role", "img");
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(canvas);
    this.forget = onPrefs(() => this.draw());
    this.describe();
  }

  // Add a point for every lane whose own CPU time has advanced.
  /** @param {Pick<LaneFrame, "seconds" | "errors">[]} frames */
  push(frames) {
    frames.forEach(({ seconds, errors }, place) => {
      if (errors === null) return; // there is no board yet
      const points = this.lanes[place];
      while ((points.at(-1)?.[0] ?? 0) > seconds) points.pop(); // resumed from a checkpoint
      const last = points.at(-1);
      if (last && seconds === last[0]) last[1] = errors;
      else if (last?.[1] === errors && points.at(-2)?.[1] === errors) last[0] = seconds;
      else points.push([seconds, errors]);
      this.lanes[place] = halve(points, KEPT);
    });
  }

  // Update the label for screen readers; not called for every frame.
  describe() {
    const words = this.names.map((name, place) => {
      const last = this.lanes[place].at(-1);
      return last ? `${name} ${count(last[1])} after ${figures(last[0], 3)} seconds` : name;
    });
    this.canvas.setAttribute("aria-label", `Errors left over CPU time: ${words.join("; ")}`);
  }

  draw() {
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    if (!wide || !high) return;
    const context = clearCanvas(this.canvas, wide, high);
    context.font = `600 12px ${ink("--sans")}`;
    const names = this.names.map((name) => this.#shorten(name, Math.max(70, wide * 0.28)));
    const room = Math.max(...names.map((name) => context.measureText(name).width)) + 16;
    const plot = { left: 44, top: 20, wide: wide - 44 - room, high: high - 20 - 38 };
    const [first, last] = timeSpan(this.lanes);
    const most = Math.max(4, ...this.lanes.flatMap((points) => points.map(([, errors]) => errors)));
    const top = most * 1.05;
    const decades = Math.log10(last / first);
    /** @type {Scale} */
    const x = (value) => plot.left + (Math.log10(Math.max(value, first) / first) / decades) * plot.wide;
    // A square-root scale: runs differ most when little is left.
    /** @type {Scale} */
    const y = (value) => plot.top + plot.high * (1 - Math.sqrt(value / top));
    this.#drawAxes(plot, this.#levels(top, y, plot), timeTicks(first, last, plot.wide), x, y);
    this.lanes.forEach((points, place) => this.#drawLine(points, place, x, y));
    this.#drawNames(names, x, y, plot);
  }

  close() {
    this.watcher.disconnect();
    this.forget();
  }

  // The ticks of the errors axis, none too near to another.
  /** @type {(top: number, y: Scale, plot: Plot) => number[]} */
  #levels(top, y, plot) {
    const levels = [0];
    let last = -Infinity;
    for (const level of LEVELS) {
      if (level > top || y(level) - last < 24 || plot.top + plot.high - y(level) < 18) continue;
      levels.push(level);
      last = y(level);
    }
    return levels;
  }

  // A name as wide as it may be, cut with an ellipsis if it is longer.
  /** @type {(name: string, room: number) => string} */
  #shorten(name, room) {
    let text = name;
    while (text.length > 4 && this.context.measureText(text).width > room) text = `${text.slice(0, -2)}…`;
    return text;
  }

  /** @type {(plot: Plot, levels: number[], times: number[], x: Scale, y: Scale) => void} */
  #drawAxes(plot, levels, times, x, y) {
    const { context } = this;
    context.save();
    context.font = `11px ${ink("--sans")}`;
    context.lineWidth = 1;
    context.fillStyle = ink("--soft");
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.strokeStyle = ink("--faint");
    for (const level of levels) {
      const at = Math.round(y(level)) + 0.5;
      stroke(context, plot.left, at, plot.left + plot.wide, at);
      context.fillText(count(level), plot.left - 6, at);
    }
    context.strokeStyle = ink("--rule");
    drawXAxis(context, plot, times.map((time) =>
      [x(time), time < 0.0999 ? `${figures(1000 * time, 2)} ms` : `${figures(time, 2)} s`]),
    "CPU time per lane (log scale)");
    context.textAlign = "left";
    context.fillText("errors left (square-root scale)", 4, 0);
    context.restore();
  }

  /** @type {(points: ErrorsPoint[], place: number, x: Scale, y: Scale) => void} */
  #drawLine(points, place, x, y) {
    const { context } = this;
    const last = points.at(-1);
    if (!last) return;
    context.strokeStyle = ink(colourOf(place));
    context.lineWidth = 2.2;
    context.lineJoin = "round";
    context.setLineDash(DASHES[place]);
    context.beginPath();
    points.forEach(([time, errors], i) => context[i ? "lineTo" : "moveTo"](x(time), y(errors)));
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = ink(colourOf(place));
    dot(context, x(last[0]), y(last[1]), 3.5);
  }

  // A name beside the end of every line.
  /** @type {(names: string[], x: Scale, y: Scale, plot: Plot) => void} */
  #drawNames(names, x, y, plot) {
    const { context } = this;
    const labels = this.lanes.flatMap((points, place) => points.slice(-1).map(([time, errors]) => (
      { place, from: x(time), wide: context.measureText(names[place]).width + 14, level: y(errors), at: 0 })));
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (const { place, from, level, at } of spreadLabels(labels, plot.top, plot.top + plot.high - 8)) {
      context.strokeStyle = ink("--rule");
      context.lineWidth = 1;
      if (level - at > LINE) stroke(context, from, level - 5, from + 5, at + 3);
      context.fillStyle = ink(colourOf(place));
      context.fillText(names[place], from + 8, at);
    }
  }
}
