// A small line chart on a canvas: nice ticks, the theme's colours, and a crosshair by pointer or by keyboard.

import { stroke, wiped } from "./canvas.js";
import { h } from "./dom.js";
import { ink, onPrefs } from "./prefs.js";
import { linearTicks, logTicks, thinned, wholeTicks } from "./ticks.js";
import { count, figures, short } from "./words.js";

const KEPT = 2000; // points; beyond that every second one goes
const known = (value) => value !== null && value !== undefined;
const ROOM = { left: 46, right: 12, top: 10, bottom: 34 };

export class Chart {
  // `series`: [{ key, label, colour, axis?: "right", width?, sparse? }], colours as tokens of the theme ("--line-1") or
  // plain; a sparse one is not known at every step, and drawn from one known value to the next.
  // The canvas stands in the page already: keys and values are put after it.
  constructor(canvas, { series, title }) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.series = series;
    this.log = false; // whether steps are drawn on a logarithmic scale
    this.logValues = false; // whether values are
    this.title = title;
    this.word = "step";
    this.points = [];
    this.at = null; // the point under the crosshair
    this.keys = h("dl", { class: "chart-keys", "aria-hidden": "true" });
    this.values = series.map((each) => this.#key(each));
    this.heard = h("p", { class: "unseen", "aria-live": "polite" });
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.classList.add("chart");
    this.name({});
    canvas.after(this.keys, this.heard);
    canvas.addEventListener("pointermove", (event) => this.#point(event));
    canvas.addEventListener("pointerdown", (event) => this.#point(event));
    canvas.addEventListener("pointerleave", () => this.#read(null));
    canvas.addEventListener("blur", () => this.#read(null));
    canvas.addEventListener("keydown", (event) => this.#move(event));
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(canvas);
    this.forget = onPrefs(() => this.#paint());
    this.#paint();
  }

  // Call things otherwise: the chart, a step, or series by their key ({ rate: "temperature" }).
  name({ title = this.title, word = this.word, labels = {} }) {
    Object.assign(this, { title, word });
    this.series.forEach((each, index) => {
      each.label = labels[each.key] || each.label;
      this.values[index].label.textContent = each.label;
    });
    this.canvas.setAttribute("aria-label", `${title}. Left and right arrows read the values.`);
  }

  // Draw only these series, by their keys.
  only(keys) {
    for (const each of this.series) each.off = !keys.includes(each.key);
  }

  reset(points = []) {
    const step = this.at ? this.at.step : null;
    this.points = [...points];
    this.#thin();
    this.at = step === null ? null : this.#nearest((point) => Math.abs(point.step - step));
    this.draw();
  }

  // Add a point ({ step, … }); one for the step that is last already takes its place. Draw when it suits.
  push(point) {
    const last = this.points[this.points.length - 1];
    if (last && point.step < last.step) return;
    if (last && last.step === point.step) this.points[this.points.length - 1] = point;
    else this.points.push(point);
    this.#thin();
  }

  draw() {
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    if (!wide || !high) return;
    wiped(this.canvas, wide, high);
    const right = this.series.some((each) => each.axis === "right" && this.#has(each.key)) ? ROOM.left : ROOM.right;
    this.plot = { left: ROOM.left, top: ROOM.top, wide: wide - ROOM.left - right, high: high - ROOM.top - ROOM.bottom };
    this.#measure();
    this.#axes();
    this.series.forEach((each, index) => { if (!each.off) this.#line(each, index); });
    this.#crosshair();
    this.#say();
  }

  close() {
    this.watcher.disconnect();
    this.forget();
  }

  #key({ colour }) {
    const mark = h("i");
    const name = h("span");
    const value = h("dd");
    this.keys.append(h("div", {}, h("dt", {}, mark, name), value));
    return { mark, label: name, value, colour };
  }

  #paint() {
    const real = (colour) => (colour.startsWith("--") ? ink(colour) : colour);
    for (const { mark, colour } of this.values) mark.style.background = real(colour);
    this.colours = this.series.map(({ colour }) => real(colour));
    this.ink = { soft: ink("--soft"), faint: ink("--faint"), rule: ink("--rule"), sans: ink("--sans") };
    this.draw();
  }

  #has(key) {
    return !this.series.find((each) => each.key === key).off && this.points.some((point) => known(point[key]));
  }

  #thin() {
    if (this.points.length <= KEPT) return;
    const last = this.points.length - 1;
    this.points = this.points.filter((_, i) => i % 2 === 0 || i === last);
    this.at = null;
  }

  #measure() {
    const { points, plot } = this;
    const first = points.length ? points[0].step : 0;
    const last = points.length ? Math.max(points[points.length - 1].step, first + 1) : 1;
    const scaled = this.log ? (step) => Math.log(1 + step) : (step) => step;
    const [from, to] = [scaled(first), scaled(last)];
    this.x = (step) => plot.left + ((scaled(step) - from) / (to - from)) * plot.wide;
    this.span = [first, last];
    this.scales = {};
    for (const axis of ["left", "right"]) {
      const mine = this.series.filter((each) => (each.axis || "left") === axis && !each.off);
      if (!mine.length) continue;
      let top = 0;
      for (const { key } of mine) for (const point of points) if (point[key] > top) top = point[key];
      const most = Math.max(2, Math.floor(plot.high / 34));
      const ticks = this.logValues ? logTicks(0, top || 1, most) : linearTicks(0, top || 1, most);
      const bent = this.logValues ? (value) => Math.log(1 + value) : (value) => value;
      const high = bent(Math.max(top || 1, ticks[ticks.length - 1]));
      this.scales[axis] = { ticks, y: (value) => plot.top + plot.high * (1 - bent(value) / high) };
    }
  }

  #axes() {
    const { context, plot } = this;
    context.font = `11px ${this.ink.sans}`;
    context.lineWidth = 1;
    context.strokeStyle = this.ink.faint;
    context.textBaseline = "middle";
    for (const [axis, { ticks, y }] of Object.entries(this.scales)) {
      if (axis === "right" && !this.series.some((each) => each.axis === "right" && this.#has(each.key))) continue;
      context.textAlign = axis === "left" ? "right" : "left";
      for (const tick of ticks) {
        const level = Math.round(y(tick)) + 0.5;
        if (axis === "left") stroke(context, plot.left, level, plot.left + plot.wide, level);
        context.fillStyle = this.#axisInk(axis);
        context.fillText(short(tick), axis === "left" ? plot.left - 6 : plot.left + plot.wide + 6, level);
      }
    }
    const base = plot.top + plot.high;
    context.fillStyle = this.ink.soft;
    context.strokeStyle = this.ink.rule;
    stroke(context, plot.left, base + 0.5, plot.left + plot.wide, base + 0.5);
    context.textAlign = "center";
    context.textBaseline = "top";
    const [first, last] = this.span;
    const most = Math.max(2, Math.floor(plot.wide / 70));
    const ticks = this.log ? logTicks(first, last, most) : wholeTicks(first, last, most);
    for (const tick of ticks) {
      const x = Math.round(this.x(tick)) + 0.5;
      if (x < plot.left || x > plot.left + plot.wide + 1) continue;
      stroke(context, x, base, x, base + 4);
      context.fillText(short(tick), Math.min(x, plot.left + plot.wide - 6), base + 6);
    }
    context.fillText(`${this.word}${this.log ? " (log)" : ""}`, plot.left + plot.wide / 2, base + 20);
  }

  // Where there are two axes, the numbers of each have the colour of its line.
  #axisInk(axis) {
    const mine = this.series.filter((each) => (each.axis || "left") === axis && this.#has(each.key));
    const alone = mine.length === 1 && Object.keys(this.scales).length > 1;
    return alone ? this.colours[this.series.indexOf(mine[0])] : this.ink.soft;
  }

  #line({ key, axis = "left", width = 1.75, sparse = false }, index) {
    const { context, plot } = this;
    const { y } = this.scales[axis];
    context.strokeStyle = this.colours[index];
    context.lineWidth = width;
    context.lineJoin = "round";
    context.beginPath();
    let pen = false;
    const points = sparse ? this.points.filter((point) => known(point[key])) : this.points;
    for (const point of thinned(points, key, this.x, plot.wide)) {
      const value = point[key];
      if (!known(value)) {
        pen = false;
        continue;
      }
      if (pen) context.lineTo(this.x(point.step), y(value));
      else context.moveTo(this.x(point.step), y(value));
      pen = true;
    }
    context.stroke();
    const last = points[points.length - 1];
    if (last && known(last[key])) this.#dot(last, key, y, index);
  }

  #dot(point, key, y, index) {
    const { context } = this;
    context.fillStyle = this.colours[index];
    context.beginPath();
    context.arc(this.x(point.step), y(point[key]), 2.75, 0, 7);
    context.fill();
  }

  #crosshair() {
    if (!this.at) return;
    const { context, plot } = this;
    const x = Math.round(this.x(this.at.step)) + 0.5;
    context.strokeStyle = this.ink.soft;
    context.lineWidth = 1;
    stroke(context, x, plot.top, x, plot.top + plot.high);
    this.series.forEach(({ key, axis = "left", off }, index) => {
      const value = this.at[key];
      if (!off && known(value)) this.#dot(this.at, key, this.scales[axis].y, index);
    });
  }

  // The values beside the keys: under the crosshair, else the latest.
  #say() {
    const point = this.at || this.points[this.points.length - 1];
    this.series.forEach(({ key, sparse, off = false }, index) => {
      const value = (sparse ? this.#latest(key, point) : point)?.[key];
      this.values[index].value.textContent = known(value) ? figures(value, 4) : "–";
      this.values[index].value.parentElement.hidden = off || (this.points.length > 0 && !this.#has(key));
    });
    this.keys.dataset.at = this.at ? `${this.word} ${count(this.at.step)}` : "";
  }

  // The last point up to this one at which a value is known.
  #latest(key, point) {
    return this.points.findLast((each) => each.step <= point?.step && known(each[key]));
  }

  #read(point) {
    if (this.at === point) return;
    this.at = point;
    this.draw();
  }

  #point(event) {
    if (!this.plot || !this.points.length) return;
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    this.#read(this.#nearest((point) => Math.abs(this.x(point.step) - x)));
  }

  #nearest(far) {
    let found = null;
    let least = Infinity;
    for (const point of this.points) {
      const now = far(point);
      if (now < least) [found, least] = [point, now];
    }
    return found;
  }

  #move(event) {
    const far = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -Infinity, End: Infinity }[event.key];
    if (far === undefined || !this.points.length) return;
    event.preventDefault();
    const last = this.points.length - 1;
    const now = this.at ? this.points.indexOf(this.at) : last;
    this.#read(this.points[Math.max(0, Math.min(last, now + far))]);
    const values = this.series.filter(({ key, off }) => !off && known(this.at[key]))
      .map(({ key, label }) => `${label} ${figures(this.at[key], 4)}`);
    this.heard.textContent = `${this.word} ${count(this.at.step)}: ${values.join(", ")}`;
  }
}
