// @ts-check
// A small line chart on a canvas: round ticks, the theme's colours, and a crosshair by pointer or by keyboard.

import { h } from "./dom.js";
import {
  clearCanvas, contextOf, dot, drawXAxis, halve, linearTicks, logTicks, raisedTicks, stroke, thinPoints, wholeTicks,
  withoutSteps,
} from "./plot.js";
import { ink, onPrefs } from "./prefs.js";
import { count, figures, short } from "./words.js";

/** @import { Plot, Point } from "./plot.js" */

/**
 * @typedef {object} Series
 * @property {string} key of its values in a point
 * @property {string} label
 * @property {string} colour a token of the theme
 * @property {"left" | "right"} [axis]
 * @property {number} [width]
 * @property {boolean} [sparse] not every step has a value: drawn from one known value to the next
 * @property {boolean} [breaks] whether its line is broken at marks, and leaves out their values
 * @property {boolean} [off] not drawn
 */

/** @typedef {{ ticks: number[], y: (value: number) => number }} Scale */

const KEPT = 2000; // points; beyond that every second one is dropped
const ROOM = { left: 46, right: 12, top: 10, bottom: 34 };
const MARK_PITCH = 14; // pixels between two marks on average, at least, where they are drawn in full
const MARK_TICK = 6; // pixels that the others are high
/** @type {Record<string, number>} */
const MOVES = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -Infinity, End: Infinity };

/** @type {(value: number | null | undefined) => value is number} */
const isKnown = (value) => value !== null && value !== undefined;

export class Chart {
  log = false; // whether the axis of steps is logarithmic
  logValues = false; // whether the axis of values is
  word = "step"; // what a step is called
  /** @type {number | null} */
  goal = null; // where higher values are better, the highest: the left axis ends there, and begins near the lowest
  /** @type {number[]} */
  marks = []; // steps at which the search started anew
  restarts = 0; // how many such steps there were, should `marks` lack some
  hasMarkKey = true; // whether the keys count them
  /** @type {Point[]} */
  points = [];
  /** @type {Point | null} */
  at = null; // the point under the crosshair
  /** @type {Plot} */
  #plot = { left: 0, top: 0, wide: 0, high: 0 };
  /** @type {{ left?: Scale, right?: Scale }} */
  #scales = {};
  /** @type {(step: number) => number} */
  #x = (step) => step;
  #isDense = false; // whether there are too many marks for lines
  /** @type {string[]} */
  #colours = []; // of the series
  #ink = { soft: "", faint: "", rule: "", sans: "" };

  /**
   * The canvas must be in the page already: keys and values are put after it.
   * @param {HTMLCanvasElement} canvas
   * @param {{ series: Series[], title: string }} options
   */
  constructor(canvas, { series, title }) {
    this.canvas = canvas;
    this.context = contextOf(canvas);
    this.series = series;
    this.title = title;
    this.keys = series.map(() => {
      const [mark, label, value] = [h("i"), h("span"), h("dd")];
      return { mark, label, value, element: h("div", {}, h("dt", {}, mark, label), value) };
    });
    this.markCount = h("dd");
    this.markKey = h("div", { hidden: true }, h("dt", {}, h("i", { class: "mark" }), "new start"), this.markCount);
    this.list = h("dl", { class: "chart-keys", "aria-hidden": "true" },
      this.keys.map(({ element }) => element), this.markKey);
    this.spoken = h("p", { class: "unseen", "aria-live": "polite" });
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.classList.add("chart");
    this.rename({});
    canvas.after(this.list, this.spoken);
    canvas.addEventListener("pointermove", (event) => this.#point(event));
    canvas.addEventListener("pointerdown", (event) => this.#point(event));
    canvas.addEventListener("pointerleave", () => this.#read(null));
    canvas.addEventListener("blur", () => this.#read(null));
    canvas.addEventListener("keydown", (event) => this.#move(event));
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(canvas);
    this.forget = onPrefs(() => this.#readColours());
    this.#readColours();
  }

  // Rename the chart, a step, or series by their keys: { rate: "temperature" }.
  /** @param {{ title?: string, word?: string, labels?: Record<string, string> }} names */
  rename({ title = this.title, word = this.word, labels = {} }) {
    Object.assign(this, { title, word });
    this.series.forEach((each, index) => {
      each.label = labels[each.key] || each.label;
      this.keys[index].label.textContent = each.label;
    });
    this.canvas.setAttribute("aria-label", `${title}. Left and right arrows read the values.`);
  }

  // Draw only these series.
  /** @param {string[]} keys */
  only(keys) {
    for (const each of this.series) each.off = !keys.includes(each.key);
  }

  /** @param {Point[]} points */
  reset(points) {
    const step = this.at ? this.at.step : null;
    this.points = halve([...points], KEPT);
    this.at = step === null ? null : this.#nearest((point) => Math.abs(point.step - step));
    this.draw();
  }

  // Add a point without drawing it; one for the last step replaces that.
  /** @param {Point} point */
  push(point) {
    const last = this.points[this.points.length - 1];
    if (last && point.step < last.step) return;
    if (last && last.step === point.step) this.points[this.points.length - 1] = point;
    else this.points.push(point);
    if (this.points.length > KEPT) this.at = null;
    this.points = halve(this.points, KEPT);
  }

  draw() {
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    if (!wide || !high) return;
    clearCanvas(this.canvas, wide, high);
    const right = this.#isRightUsed() ? ROOM.left : ROOM.right;
    const { left, top, bottom } = ROOM;
    this.#plot = { left, top, wide: wide - left - right, high: high - top - bottom };
    this.#measure();
    this.#drawMarks();
    this.series.forEach((each, index) => { if (!each.off) this.#drawLine(each, index); });
    this.#drawCrosshair();
    this.#showValues();
  }

  close() {
    this.watcher.disconnect();
    this.forget();
  }

  #readColours() {
    this.#colours = this.series.map(({ colour }) => ink(colour));
    this.keys.forEach(({ mark }, index) => { mark.style.background = this.#colours[index]; });
    this.#ink = { soft: ink("--soft"), faint: ink("--faint"), rule: ink("--rule"), sans: ink("--sans") };
    this.draw();
  }

  /** @param {Series} series */
  #isDrawn({ key, off }) {
    return !off && this.points.some((point) => isKnown(point[key]));
  }

  #isRightUsed() {
    return this.series.some((each) => each.axis === "right" && this.#isDrawn(each));
  }

  // Fit the scales to the points, and draw the axes.
  #measure() {
    const { points } = this;
    const plot = this.#plot;
    const first = points.length ? points[0].step : 0;
    const last = points.length ? Math.max(points[points.length - 1].step, first + 1) : 1;
    /** @type {(step: number) => number} */
    const scaled = this.log ? (step) => Math.log(1 + step) : (step) => step;
    const [from, to] = [scaled(first), scaled(last)];
    this.#x = (step) => plot.left + ((scaled(step) - from) / (to - from)) * plot.wide;
    this.#scales = {};
    for (const axis of /** @type {const} */ (["left", "right"])) {
      const mine = this.series.filter((each) => (each.axis || "left") === axis && !each.off);
      if (!mine.length) continue;
      const most = Math.max(2, Math.floor(plot.high / 34));
      this.#scales[axis] = axis === "left" && this.goal !== null
        ? this.#scaleTo(this.goal, mine, most) : this.#scaleFromZero(mine, most);
    }
    this.#drawAxes(first, last);
  }

  /** @type {(series: Series[], most: number) => Scale} */
  #scaleFromZero(series, most) {
    const { top, high } = this.#plot;
    let greatest = 0;
    for (const { key } of series) for (const point of this.points) greatest = Math.max(greatest, point[key] ?? 0);
    const ticks = this.logValues ? logTicks(0, greatest || 1, most) : linearTicks(0, greatest || 1, most);
    /** @type {(value: number) => number} */
    const bent = this.logValues ? (value) => Math.log(1 + value) : (value) => value;
    const end = bent(Math.max(greatest || 1, ticks[ticks.length - 1]));
    return { ticks, y: (value) => top + high * (1 - bent(value) / end) };
  }

  // From the lowest value to the goal.
  /** @type {(goal: number, series: Series[], most: number) => Scale} */
  #scaleTo(goal, series, most) {
    const { top, high } = this.#plot;
    let least = goal;
    for (const { key } of series) for (const point of this.points) least = Math.min(least, point[key] ?? goal);
    const from = least < goal ? least : 0;
    const ticks = raisedTicks(from, goal, most);
    return { ticks, y: (value) => top + (high * (goal - value)) / (goal - from) };
  }

  // Draw the marks: lines, or ticks at the axis where there are many.
  #drawMarks() {
    const { context, marks } = this;
    const { left, top, wide, high } = this.#plot;
    const first = this.points[0]?.step ?? 0;
    const last = this.points[this.points.length - 1]?.step ?? first;
    const drawn = marks.filter((step) => step > first && step <= last);
    this.markKey.hidden = drawn.length === 0 || !this.hasMarkKey;
    this.markCount.textContent = count(Math.max(this.restarts, drawn.length));
    this.#isDense = drawn.length * MARK_PITCH > wide;
    context.save();
    context.strokeStyle = this.#ink.soft;
    context.lineWidth = 1;
    if (!this.#isDense) context.setLineDash([3, 3]);
    let before = -Infinity;
    for (const step of drawn) {
      const x = Math.min(Math.round(this.#x(step)) + 0.5, left + wide);
      if (x - before < 1) continue;
      stroke(context, x, this.#isDense ? top + high - MARK_TICK : top, x, top + high);
      before = x;
    }
    context.restore();
  }

  /** @type {(first: number, last: number) => void} */
  #drawAxes(first, last) {
    const { context } = this;
    const plot = this.#plot;
    context.font = `11px ${this.#ink.sans}`;
    context.lineWidth = 1;
    context.strokeStyle = this.#ink.faint;
    context.textBaseline = "middle";
    const { left, right } = this.#scales;
    context.textAlign = "right";
    context.fillStyle = this.#axisInk("left");
    for (const tick of left?.ticks ?? []) {
      const level = Math.round(left?.y(tick) ?? 0) + 0.5;
      stroke(context, plot.left, level, plot.left + plot.wide, level);
      context.fillText(short(tick), plot.left - 6, level);
    }
    context.textAlign = "left";
    context.fillStyle = this.#axisInk("right");
    for (const tick of (this.#isRightUsed() && right?.ticks) || []) {
      context.fillText(short(tick), plot.left + plot.wide + 6, Math.round(right?.y(tick) ?? 0) + 0.5);
    }
    this.#drawGoal();
    context.fillStyle = this.#ink.soft;
    context.strokeStyle = this.#ink.rule;
    const most = Math.max(2, Math.floor(plot.wide / 70));
    const ticks = this.log ? logTicks(first, last, most) : wholeTicks(first, last, most);
    const title = `${this.word}${this.log ? " (log)" : ""}`;
    drawXAxis(context, plot, ticks.map((tick) => [this.#x(tick), short(tick)]), title);
  }

  // A dashed line where a solution would be.
  #drawGoal() {
    if (this.goal === null) return;
    const { context } = this;
    const { left, top, wide } = this.#plot;
    const level = Math.round(top) + 0.5;
    context.save();
    context.strokeStyle = this.#ink.soft;
    context.setLineDash([5, 4]);
    stroke(context, left, level, left + wide, level);
    context.restore();
    context.fillStyle = this.#ink.soft;
    context.textAlign = "left";
    context.textBaseline = "top";
    context.fillText(`solved at ${figures(this.goal, 4)}`, left + 4, level + 3);
  }

  // Where there are two axes, the numbers of each have the colour of its line.
  /** @param {"left" | "right"} axis */
  #axisInk(axis) {
    const mine = this.series.filter((each) => (each.axis || "left") === axis && this.#isDrawn(each));
    const isAlone = mine.length === 1 && Object.keys(this.#scales).length > 1;
    return isAlone ? this.#colours[this.series.indexOf(mine[0])] : this.#ink.soft;
  }

  /** @type {(series: Series, index: number) => void} */
  #drawLine({ key, axis = "left", width = 1.75, sparse = false, breaks = false }, index) {
    const { context } = this;
    context.strokeStyle = this.#colours[index];
    context.lineWidth = width;
    context.lineJoin = "round";
    context.beginPath();
    let isDown = false;
    let mark = 0; // the next one
    const marks = breaks && !this.#isDense ? this.marks : [];
    const points = breaks ? withoutSteps(this.points, this.marks)
      : sparse ? this.points.filter((point) => isKnown(point[key])) : this.points;
    for (const point of thinPoints(points, key, this.#x, this.#plot.wide)) {
      const value = point[key];
      for (; marks[mark] <= point.step; mark += 1) isDown = false;
      if (isKnown(value)) context[isDown ? "lineTo" : "moveTo"](this.#x(point.step), this.#y(axis, value));
      isDown = isKnown(value);
    }
    context.stroke();
    this.#drawDot(points[points.length - 1], index);
  }

  /** @type {(axis: "left" | "right", value: number) => number} */
  #y(axis, value) {
    return this.#scales[axis]?.y(value) ?? 0;
  }

  /** @type {(point: Point | undefined, index: number) => void} */
  #drawDot(point, index) {
    const { key, axis = "left" } = this.series[index];
    const value = point?.[key];
    if (!point || !isKnown(value)) return;
    this.context.fillStyle = this.#colours[index];
    dot(this.context, this.#x(point.step), this.#y(axis, value), 2.75);
  }

  #drawCrosshair() {
    const { context, at } = this;
    if (!at) return;
    const { top, high } = this.#plot;
    const x = Math.round(this.#x(at.step)) + 0.5;
    context.strokeStyle = this.#ink.soft;
    context.lineWidth = 1;
    stroke(context, x, top, x, top + high);
    this.series.forEach(({ off }, index) => { if (!off) this.#drawDot(at, index); });
  }

  // The values beside the keys: under the crosshair, else the latest.
  #showValues() {
    const point = this.at || this.points[this.points.length - 1];
    this.series.forEach((series, index) => {
      const { key, sparse } = series;
      // Of a sparse series, the last known value up to this step.
      const latest = sparse && point
        ? this.points.findLast((each) => each.step <= point.step && isKnown(each[key])) : point;
      const value = latest?.[key];
      const { value: shown, element } = this.keys[index];
      shown.textContent = isKnown(value) ? figures(value, 4) : "–";
      element.hidden = series.off || (this.points.length > 0 && !this.#isDrawn(series));
    });
    this.list.dataset.at = this.at ? `${this.word} ${count(this.at.step)}` : "";
  }

  /** @param {Point | null} point */
  #read(point) {
    if (this.at === point) return;
    this.at = point;
    this.draw();
  }

  /** @param {PointerEvent} event */
  #point(event) {
    if (!this.#plot.wide || !this.points.length) return;
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    this.#read(this.#nearest((point) => Math.abs(this.#x(point.step) - x)));
  }

  /** @param {(point: Point) => number} distance */
  #nearest(distance) {
    /** @type {Point | null} */
    let found = null;
    let least = Infinity;
    for (const point of this.points) {
      const now = distance(point);
      if (now < least) [found, least] = [point, now];
    }
    return found;
  }

  /** @param {KeyboardEvent} event */
  #move(event) {
    const by = MOVES[event.key];
    if (by === undefined || !this.points.length) return;
    event.preventDefault();
    const last = this.points.length - 1;
    const now = this.at ? this.points.indexOf(this.at) : last;
    const point = this.points[Math.max(0, Math.min(last, now + by))];
    this.#read(point);
    const values = this.series.filter(({ key, off }) => !off && isKnown(point[key]))
      .map(({ key, label }) => `${label} ${figures(point[key] ?? null, 4)}`);
    this.spoken.textContent = `${this.word} ${count(point.step)}: ${values.join(", ")}`;
  }
}
