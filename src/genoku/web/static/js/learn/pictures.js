// @ts-check
// Bars and curves of a lesson.

import { h, svg } from "../dom.js";
import { count, figures } from "../words.js";

/** @import { SceneBars, SceneCurve } from "../types.d.ts" */

const HIGH = 150;

// A bar for every board: its value above, and how often it was chosen below.
/** @type {(view: SceneBars, wide: number) => HTMLElement} */
export function bars(view, wide) {
  const step = wide / view.values.length;
  const thick = Math.min(54, step * 0.72);
  const most = Math.max(...view.values, 1);
  const mostChosen = Math.max(...view.counts, 1);
  const chosen = new Set(view.chosen);
  const hasCounts = view.counts.length > 0;
  /** @type {SVGElement[]} */
  const drawn = [];
  view.values.forEach((value, place) => {
    const middle = (place + 0.5) * step;
    const tall = Math.max(1, (value / most) * (HIGH - 44));
    const state = view.chosen.length ? (chosen.has(place) ? "chosen" : "other") : "";
    drawn.push(
      svg("rect", {
        class: `bar-value ${state}`, x: middle - thick / 2, y: HIGH - 20 - tall, width: thick, height: tall, rx: 3,
      }),
      svg("text", { class: "bar-number", x: middle, y: HIGH - 26 - tall }, figures(value, 3)),
      svg("text", { class: `bar-label ${state}`, x: middle, y: HIGH - 5 }, view.labels[place]),
    );
    if (!hasCounts) return;
    const deep = (view.counts[place] / mostChosen) * 56;
    drawn.push(
      svg("rect", {
        class: "bar-count", x: middle - thick / 2, y: HIGH + 6, width: thick, height: Math.max(1, deep), rx: 3,
      }),
      svg("text", { class: "bar-number", x: middle, y: HIGH + 20 + deep }, count(view.counts[place])),
    );
  });
  const high = HIGH + (hasCounts ? 84 : 0);
  const words = view.values.map((value, place) => {
    const times = hasCounts ? `, chosen ${count(view.counts[place])} times` : "";
    return `${view.labels[place]} ${figures(value, 3)}${times}${chosen.has(place) ? ", picked" : ""}`;
  });
  return h("figure", { class: "lesson-bars" },
    h("figcaption", {}, `${view.title} · ${view.of}`, hasCounts ? ", and below how often each was chosen" : ""),
    svg("svg", {
      viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `${view.title}, ${view.of}: ${words.join("; ")}`,
    }, drawn));
}

// A curve, drawn up to the current step; the axis shows its whole length.
export class LessonCurve {
  /**
   * @param {SceneCurve} curve
   * @param {number} wide
   */
  constructor(curve, wide) {
    this.curve = curve;
    this.wide = wide;
    const { values } = curve;
    this.low = curve.lowest ?? Math.min(...values);
    this.high = Math.max(curve.highest ?? Math.max(...values), this.low + 1e-9);
    this.line = svg("polyline", { class: "curve-line", fill: "none" });
    this.dot = svg("circle", { class: "curve-dot", r: 4.5 });
    this.number = svg("text", { class: "curve-number" });
    const grid = [0, 0.5, 1].map((part) => svg("line", {
      class: "curve-grid", x1: 44, x2: wide - 8, y1: 14 + part * 96, y2: 14 + part * 96,
    }));
    const marks = [this.high, (this.high + this.low) / 2, this.low].map((value, place) =>
      svg("text", { class: "curve-mark", x: 38, y: 18 + place * 48 }, figures(value, 3)));
    const whole = count(curve.every * (values.length - 1));
    this.picture = svg("svg", { viewBox: `0 0 ${wide} 130`, role: "img" },
      grid, marks, this.line, this.dot, this.number,
      svg("text", { class: "curve-mark start", x: 44, y: 126 }, "0"),
      svg("text", { class: "curve-mark", x: wide - 8, y: 126 }, `${whole} · ${curve.across}`));
    this.element = h("figure", { class: "lesson-curve" }, h("figcaption", {}, curve.title), this.picture);
  }

  // Draw the first `at` values.
  /** @param {number} at */
  draw(at) {
    const { values, title, across, every } = this.curve;
    const upto = Math.max(1, Math.min(at, values.length));
    /** @param {number} place */
    const x = (place) => 44 + (place / Math.max(1, values.length - 1)) * (this.wide - 52);
    /** @param {number} value */
    const y = (value) => 14 + (1 - (value - this.low) / (this.high - this.low)) * 96;
    const points = values.slice(0, upto).map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`);
    const last = values[upto - 1];
    this.line.setAttribute("points", points.join(" "));
    this.dot.setAttribute("cx", String(x(upto - 1)));
    this.dot.setAttribute("cy", String(y(last)));
    const right = x(upto - 1) > this.wide - 80;
    this.number.setAttribute("x", String(x(upto - 1) + (right ? -10 : 10)));
    this.number.setAttribute("y", String(Math.max(12, y(last) - 8)));
    this.number.setAttribute("text-anchor", right ? "end" : "start");
    this.number.textContent = figures(last, 3);
    const passed = `${count(every * (upto - 1))} (${across})`;
    this.picture.setAttribute("aria-label", `${title}: ${figures(last, 3)} after ${passed}`);
  }
}
