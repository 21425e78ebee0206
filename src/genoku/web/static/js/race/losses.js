// The losses of all lanes over their processor time, in one chart, every line with its name. Time is drawn by its
// decades: one lane may need a millisecond and another all of its budget.

import { stroke, wiped } from "../canvas.js";
import { ink, onPrefs } from "../prefs.js";
import { figures } from "../words.js";
import { colour, DASHES } from "./marks.js";

const KEPT = 1200; // points of a lane; beyond that every second one goes
const LINE = 15; // pixels between two names
const LEAST = 1e-4; // seconds: nothing is told apart below
const LEVELS = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

export class LossChart {
  constructor(canvas, names) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.names = names;
    this.lanes = names.map(() => []);
    canvas.setAttribute("role", "img");
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(canvas);
    this.forget = onPrefs(() => this.draw());
    this.tell();
  }

  // Add where everybody stands; what has not moved on its own clock is no new point.
  push(looks) {
    looks.forEach(({ seconds, loss, solved }, place) => {
      const points = this.lanes[place];
      while (points.at(-1)?.[0] > seconds) points.pop(); // it goes on from a checkpoint
      const last = points[points.length - 1];
      const value = solved ? 0 : loss;
      if (last && seconds === last[0]) {
        last[1] = value;
        return;
      }
      if (points.length > 1 && last[1] === value && points[points.length - 2][1] === value) last[0] = seconds;
      else points.push([seconds, value]);
      if (points.length > KEPT) this.lanes[place] = points.filter((_, i) => i % 2 === 0 || i === points.length - 1);
    });
  }

  // In words, for those who cannot see it; not at every frame.
  tell() {
    const said = this.names.map((name, place) => {
      const last = this.lanes[place][this.lanes[place].length - 1];
      return last ? `${name} ${figures(last[1], 3)} after ${figures(last[0], 3)} seconds` : name;
    });
    this.canvas.setAttribute("aria-label", `Loss over processor time, lower is better: ${said.join("; ")}`);
  }

  draw() {
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    if (!wide || !high) return;
    const context = wiped(this.canvas, wide, high);
    context.font = `600 12px ${ink("--sans")}`;
    const names = this.names.map((name) => this.#fitted(name, Math.max(70, wide * 0.28)));
    const room = Math.max(...names.map((name) => context.measureText(name).width)) + 16;
    const plot = { left: 44, top: 20, wide: wide - 44 - room, high: high - 20 - 38 };
    const ends = this.lanes.map((points) => points[points.length - 1]).filter(Boolean);
    const [first, last] = this.#span(ends);
    const most = Math.max(0.02, ...this.lanes.flatMap((points) => points.map(([, y]) => y)));
    const top = Math.min(1, most * 1.05);
    const decades = Math.log10(last / first);
    const x = (value) => plot.left + (Math.log10(Math.max(value, first) / first) / decades) * plot.wide;
    // By the root of a loss: runs differ most in the little that is left.
    const y = (value) => plot.top + plot.high * (1 - Math.sqrt(value / top));
    this.#axes(plot, this.#levels(top, y, plot), this.#times(first, last, plot), x, y);
    this.lanes.forEach((points, place) => this.#line(points, place, x, y));
    this.#labels(names, x, y, plot);
  }

  close() {
    this.watcher.disconnect();
    this.forget();
  }

  // From the decade in which the quickest was first seen to the end, a decade at least.
  #span(ends) {
    const last = Math.max(0.01, ...ends.map(([time]) => time));
    let soonest = last / 10;
    for (const points of this.lanes) {
      const [time] = points.find((point) => point[0] > 0) || [last];
      soonest = Math.min(soonest, time);
    }
    return [10 ** Math.floor(Math.log10(Math.max(LEAST, soonest))), last];
  }

  // Times that the axis names: all decades, and what lies between where there is room.
  #times(first, last, plot) {
    const room = plot.wide / Math.log10(last / first);
    const parts = room > 220 ? [1, 2, 5] : [1];
    const times = [];
    for (let decade = first; decade <= last * 1.001; decade *= 10) times.push(...parts.map((each) => each * decade));
    return times.filter((time) => time <= last * 1.001);
  }

  // Losses that the axis names, none too near to another.
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

  #fitted(name, most) {
    let text = name;
    while (text.length > 4 && this.context.measureText(text).width > most) text = `${text.slice(0, -2)}…`;
    return text;
  }

  #axes(plot, levels, times, x, y) {
    const { context } = this;
    context.save();
    context.font = `11px ${ink("--sans")}`;
    context.fillStyle = ink("--soft");
    context.lineWidth = 1;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.strokeStyle = ink("--faint");
    for (const level of levels) {
      const at = Math.round(y(level)) + 0.5;
      stroke(context, plot.left, at, plot.left + plot.wide, at);
      context.fillText(figures(level, 3), plot.left - 6, at);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    const base = plot.top + plot.high;
    context.strokeStyle = ink("--rule");
    stroke(context, plot.left, base + 0.5, plot.left + plot.wide, base + 0.5);
    for (const time of times.filter((each) => x(each) <= plot.left + plot.wide + 1)) {
      stroke(context, Math.round(x(time)) + 0.5, base, Math.round(x(time)) + 0.5, base + 4);
      context.fillText(time < 0.0999 ? `${figures(1000 * time, 2)} ms` : `${figures(time, 2)} s`, x(time), base + 7);
    }
    context.fillText("CPU time per lane (log scale)", plot.left + plot.wide / 2, base + 22);
    context.textAlign = "left";
    context.fillText("loss (square-root scale)", 4, 0);
    context.restore();
  }

  #line(points, place, x, y) {
    const { context } = this;
    if (!points.length) return;
    context.strokeStyle = ink(colour(place));
    context.lineWidth = 2.2;
    context.lineJoin = "round";
    context.setLineDash(DASHES[place]);
    context.beginPath();
    points.forEach(([time, loss], i) => (i ? context.lineTo(x(time), y(loss)) : context.moveTo(x(time), y(loss))));
    context.stroke();
    context.setLineDash([]);
    const [time, loss] = points[points.length - 1];
    context.fillStyle = ink(colour(place));
    context.beginPath();
    context.arc(x(time), y(loss), 3.5, 0, 7);
    context.fill();
  }

  // A name beside the end of every line. Those that would lie on each other are moved apart, in the order of the ends.
  #labels(names, x, y, plot) {
    const { context } = this;
    const [top, bottom] = [plot.top, plot.top + plot.high - 8];
    const labels = this.lanes.map((points, place) => ({ place, end: points[points.length - 1] }))
      .filter(({ end }) => end)
      .map(({ place, end }) => ({
        place, from: x(end[0]), wide: context.measureText(names[place]).width + 14, level: y(end[1]), at: 0,
      }))
      .sort((one, two) => two.level - one.level || two.place - one.place); // the lowest first
    const meet = (one, two) => one.from < two.from + two.wide && two.from < one.from + one.wide;
    labels.forEach((each, i) => {
      const below = labels.slice(0, i).filter((other) => meet(each, other)).map(({ at }) => at - LINE);
      each.at = Math.min(each.level, bottom, ...below);
    });
    for (let i = labels.length - 1; i >= 0; i -= 1) { // back from the upper edge
      const above = labels.slice(i + 1).filter((other) => meet(labels[i], other)).map(({ at }) => at + LINE);
      labels[i].at = Math.max(labels[i].at, top, ...above);
    }
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (const { place, from, level, at } of labels) {
      context.strokeStyle = ink("--rule");
      context.lineWidth = 1;
      if (level - at > LINE) stroke(context, from, level - 5, from + 5, at + 3);
      context.fillStyle = ink(colour(place));
      context.fillText(names[place], from + 8, at);
    }
  }
}
