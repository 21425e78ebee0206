// @ts-check
// A small line chart on a canvas: round ticks, the theme's colours, and a crosshair by pointer or by keyboard.

import { h } from "./dom.js";
import {
  clearCanvas, contextOf, dot, drawXAxis, halve, linearTicks, logTicks, stroke, thinPoints, wholeTicks,
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
 * @property {boolean} [off] not drawn
 */

/** @typedef {{ ticks: number[], y: (value: number) => number }} Scale */

const KEPT = 2000; // points; beyond that every second one is dropped
const ROOM = { left: 46, right: 12, top: 10, bottom: 34 };
/** @type {Record<string, number>} */
const MOVES = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -Infinity, End: Infinity };

/** @type {(value: number | null | undefined) => value is number} */
const isKnown = (value) => value !== null && value !== undefined;

export class Chart {
  log = false; // whether the axis of steps is logarithmic
  logValues = false; // whether the axis of values is
  word = "step"; // what a step is called
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
    this.list = h("dl", { class: "chart-keys", "aria-hidden": "true" }, this.keys.map(({ element }) => element));
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
      let top = 0;
      for (const { key } of mine) for (const point of points) top = Math.max(top, point[key] ?? 0);
      const most = Math.max(2, Math.floor(plot.high / 34));
      const ticks = this.logValues ? logTicks(0, top || 1, most) : linearTicks(0, top || 1, most);
      /** @type {(value: number) => number} */
      const bent = this.logValues ? (value) => Math.log(1 + value) : (value) => value;
      const high = bent(Math.max(top || 1, ticks[ticks.length - 1]));
      this.#scales[axis] = { ticks, y: (value) => plot.top + plot.high * (1 - bent(value) / high) };
    }
    this.#drawAxes(first, last);
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
    context.fillStyle = this.#ink.soft;
    context.strokeStyle = this.#ink.rule;
    const most = Math.max(2, Math.floor(plot.wide / 70));
    const ticks = this.log ? logTicks(first, last, most) : wholeTicks(first, last, most);
    const title = `${this.word}${this.log ? " (log)" : ""}`;
    drawXAxis(context, plot, ticks.map((tick) => [this.#x(tick), short(tick)]), title);
  }

  // Where there are two axes, the numbers of each have the colour of its line.
  /** @param {"left" | "right"} axis */
  #axisInk(axis) {
    const mine = this.series.filter((each) => (each.axis || "left") === axis && this.#isDrawn(each));
    const isAlone = mine.length === 1 && Object.keys(this.#scales).length > 1;
    return isAlone ? this.#colours[this.series.indexOf(mine[0])] : this.#ink.soft;
  }

  /** @type {(series: Series, index: number) => void} */
  #drawLine({ key, axis = "left", width = 1.75, sparse = false }, index) {
    const { context } = this;
    context.strokeStyle = this.#colours[index];
    context.lineWidth = width;
    context.lineJoin = "round";
    context.beginPath();
    let isDown = false;
    const points = sparse ? this.points.filter((point) => isKnown(point[key])) : this.points;
    for (const point of thinPoints(points, key, this.#x, this.#plot.wide)) {
      const value = point[key];
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
