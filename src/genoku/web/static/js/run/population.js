// @ts-check
// The population: a square for each board, coloured by cost, or a thumbnail of each board.

import { h } from "../dom.js";
import { onPrefs } from "../prefs.js";
import { count, plural, sentence } from "../words.js";
import { drawHeat, drawThumbs, heatLegend, layOutHeat, layOutThumbs } from "./maps.js";
import { fitnessText } from "./scale.js";

/** @import { Curve, Facts, Frame, Population } from "../types.d.ts" */
/** @import { RunSession } from "../live.js" */
/** @import { Layout } from "./maps.js" */

const EVERY = 340; // milliseconds between two requests

// `inspect(rank, size)` is called for a board that is chosen.
/** @param {{ session: RunSession, inspect: (rank: number, size: number) => void }} options */
export function runPopulation({ session, inspect }) {
  let mode = "heat";
  /** @type {Facts | null} */
  let facts = null;
  /** @type {Population | null} */
  let people = null;
  /** @type {Layout | null} */
  let layout = null;
  let first = 0;
  let chosen = 0;
  let highest = 0;
  let isVisible = false;
  let isAsking = false;
  let asked = 0;
  let timer = 0;

  const modes = [["heat", "Heat map"], ["thumbs", "Thumbnails"]].map(([name, label]) =>
    h("button", {
      type: "button", "aria-pressed": String(name === mode), "data-mode": name, onclick: () => turn(name),
    }, label));
  const canvas = h("canvas", {
    class: "population-map", tabindex: 0, role: "application", "aria-label": "Population",
    onclick: onClick, onkeydown: onKey, onpointermove: (event) => describe(rankAt(event)),
    onpointerleave: () => describe(null), onfocus: draw, onblur: draw,
  });
  const description = h("p", { class: "small soft population-says" });
  const spoken = h("p", { class: "unseen", "aria-live": "polite" });
  const better = h("button", { type: "button", class: "quiet", onclick: () => page(-1) }, "‹ Better");
  const worse = h("button", { type: "button", class: "quiet", onclick: () => page(1) }, "Worse ›");
  const range = h("span", { class: "small soft" });
  const pager = h("div", { class: "row pager" }, better, range, worse);
  const scale = heatLegend();
  const element = h("section", { class: "card run-population", "aria-label": "Population" },
    h("div", { class: "row spread" }, h("h2", {}, "Population"),
      h("div", { class: "segments", role: "group", "aria-label": "View" }, modes)),
    canvas, description, spoken, h("div", { class: "row spread" }, scale.element, pager));

  const watcher = new IntersectionObserver(([entry]) => {
    isVisible = entry.isIntersecting;
    if (isVisible) ask();
  });
  watcher.observe(canvas);
  const sizes = new ResizeObserver(() => draw());
  sizes.observe(element);
  const forget = onPrefs(draw);

  /** @param {string} name */
  function turn(name) {
    mode = name;
    for (const each of modes) each.setAttribute("aria-pressed", String(each.dataset.mode === name));
    first = 0;
    chosen = 0;
    draw();
    ask(true);
  }

  /** @param {number} by */
  function page(by) {
    if (!layout || !people) return;
    first = Math.max(0, Math.min(first + by * layout.most, Math.floor((people.size - 1) / layout.most) * layout.most));
    chosen = first;
    draw();
    ask(true);
  }

  // At most three times a second, only if something has changed, and during a run only while it is visible.
  function ask(always = false) {
    if (isAsking || !facts || element.hidden || document.hidden || !session.facts) return;
    if ((session.phase ?? facts.frame.phase) === "waiting") return; // there is no population yet
    if (!isVisible && people && session.phase === "running") return;
    const step = session.frame ? session.frame.lanes[0].step : 0;
    if (!always && people && people.step === step) return;
    const wait = always ? 0 : asked + EVERY - performance.now();
    if (wait <= 0) fetchPeople(facts);
    else timer ||= setTimeout(() => { timer = 0; ask(); }, wait);
  }

  /** @param {Facts} run */
  async function fetchPeople(run) {
    isAsking = true;
    asked = performance.now();
    const [view, start] = [mode, first];
    try {
      const isThumbs = view === "thumbs";
      const answer = await session.population(isThumbs ? start : 0, isThumbs ? measure(run).most : 0);
      if (run !== facts) return;
      people = answer;
      highest = Math.max(highest, people.costs[people.costs.length - 1] || 0);
      chosen = Math.min(chosen, people.size - 1);
      if (first >= people.size) first = 0;
      draw();
    } catch { /* the run's own stream reports the problem */ } finally {
      isAsking = false;
      if (view !== mode || start !== first) ask(true);
    }
  }

  /** @param {Facts} run */
  function measure({ lanes: [lane], side }) {
    const wide = element.clientWidth - 36;
    layout = mode === "heat" ? layOutHeat(wide, people ? people.size : lane.population) : layOutThumbs(wide, side);
    return layout;
  }

  function draw() {
    if (!people || !facts || !element.clientWidth) return;
    const places = measure(facts);
    const last = Math.min(people.size, first + places.most);
    const view = { first, last, chosen, focused: document.activeElement === canvas };
    if (mode === "heat") drawHeat(canvas, places, people, highest, view);
    else drawThumbs(canvas, places, people, facts, view);
    scale.element.hidden = mode !== "heat" || highest === 0;
    scale.show(highest, facts.lanes[0].scale);
    pager.hidden = people.size <= places.most;
    range.textContent = `${count(first + 1)}–${count(last)} of ${count(people.size)}`;
    better.disabled = first === 0;
    worse.disabled = last >= people.size;
    describe(null);
  }

  /** @type {(people: Population, rank: number) => string} */
  const aboutBoard = ({ size, costs, ids, errors, first: mapped }, rank) => {
    const left = errors[rank - mapped]; // only of boards that have maps
    const own = facts?.lanes[0].scale;
    const fitness = own ? `fitness ${fitnessText(own, costs[rank])}` : left === undefined && `cost ${count(costs[rank])}`;
    const quality = [fitness, left !== undefined && `${plural(left, "error")} left`].filter(Boolean).join(", ");
    return `rank ${count(rank + 1)} of ${count(size)}, ${quality}, ID ${ids[rank]}`;
  };

  // Describe a board, or all of them if it is null.
  /** @param {number | null} rank */
  function describe(rank) {
    if (!people) return;
    const different = new Set(people.costs).size;
    const word = facts?.lanes[0].scale ? "fitness" : "cost";
    const many = word === "cost" ? "costs" : "fitness values";
    const costs = different === 1 ? `all with the same ${word}` : `${count(different)} different ${many}`;
    const all = `${plural(people.size, "board")}, the best first, ${costs}. Choose one to see it.`;
    description.textContent = rank === null ? all : sentence(aboutBoard(people, rank));
  }

  /** @type {(event: MouseEvent) => number | null} */
  function rankAt(event) {
    if (!layout || !people) return null;
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const column = Math.floor(x / layout.pitch);
    const rank = first + Math.floor(y / layout.pitch) * layout.across + column;
    return column >= 0 && column < layout.across && rank < Math.min(people.size, first + layout.most) ? rank : null;
  }

  /** @param {MouseEvent} event */
  function onClick(event) {
    const rank = rankAt(event);
    if (rank === null || !people) return;
    chosen = rank;
    draw();
    inspect(rank, people.size);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (!people || !layout) return;
    /** @type {Record<string, number>} */
    const moves = {
      ArrowLeft: -1, ArrowRight: 1, ArrowUp: -layout.across, ArrowDown: layout.across,
      Home: -Infinity, End: Infinity, PageUp: -layout.most, PageDown: layout.most,
    };
    const by = moves[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      inspect(chosen, people.size);
    } else if (by !== undefined) {
      event.preventDefault();
      chosen = Math.max(0, Math.min(people.size - 1, chosen + by));
      const start = Math.floor(chosen / layout.most) * layout.most;
      const isOtherPage = start !== first;
      first = start;
      draw();
      describe(chosen);
      spoken.textContent = aboutBoard(people, chosen);
      if (isOtherPage) ask(true);
    }
  }

  return {
    element,
    /** @type {(next: Facts, curve: Curve | null) => void} */
    setRun(next, curve) {
      facts = next;
      people = null;
      first = 0;
      chosen = 0;
      highest = curve ? Math.max(0, ...curve.worst.filter(Number.isFinite)) : 0;
      element.hidden = next.lanes[0].population === 1;
      ask(true);
    },
    /** @param {Frame} frame */
    show({ lanes: [lane] }) {
      highest = Math.max(highest, lane.worst || 0);
      ask();
    },
    close() {
      clearTimeout(timer);
      watcher.disconnect();
      sizes.disconnect();
      forget();
    },
  };
}
