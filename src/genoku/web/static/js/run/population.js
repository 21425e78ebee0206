// Everybody in a population: a square each, coloured by cost, or a small picture of each board.

import { h } from "../dom.js";
import { onPrefs } from "../prefs.js";
import { count, plural, sentence } from "../words.js";
import { heatLegend, heatPlaces, drawHeat } from "./heat.js";
import { drawThumbs, thumbPlaces } from "./thumbs.js";

const EVERY = 340; // milliseconds between two questions

// `session` is asked for the population; `inspect(rank, size)` is called for the one that is chosen.
export function runPopulation({ session, inspect }) {
  let mode = "heat";
  let facts = null;
  let people = null;
  let first = 0;
  let chosen = 0;
  let highest = 0;
  let seen = false;
  let asking = false;
  let asked = 0;
  let timer = 0;
  let places = null;

  const modes = [["heat", "Heat map"], ["thumbs", "Thumbnails"]].map(([name, label]) =>
    h("button", {
      type: "button", "aria-pressed": String(name === mode), "data-mode": name, onclick: () => turn(name),
    }, label));
  const canvas = h("canvas", {
    class: "population-map", tabindex: 0, role: "application", "aria-label": "Population",
    onclick: (event) => press(event), onkeydown: (event) => move(event), onpointermove: (event) => hover(event),
    onpointerleave: () => tell(),
  });
  const says = h("p", { class: "small soft population-says" });
  const heard = h("p", { class: "unseen", "aria-live": "polite" });
  const back = h("button", { type: "button", class: "quiet", onclick: () => page(-1) }, "‹ Better");
  const on = h("button", { type: "button", class: "quiet", onclick: () => page(1) }, "Worse ›");
  const where = h("span", { class: "small soft" });
  const pager = h("div", { class: "row pager" }, back, where, on);
  const scale = heatLegend();
  const element = h("section", { class: "card run-population", "aria-label": "Population" },
    h("div", { class: "row spread" }, h("h2", {}, "Population"),
      h("div", { class: "segments", role: "group", "aria-label": "View" }, modes)),
    canvas, says, heard, h("div", { class: "row spread" }, scale.element, pager));

  const watcher = new IntersectionObserver(([entry]) => {
    seen = entry.isIntersecting;
    if (seen) ask();
  });
  watcher.observe(canvas);
  const sizes = new ResizeObserver(() => draw());
  sizes.observe(element);
  const forget = onPrefs(() => draw());

  function turn(name) {
    mode = name;
    for (const each of modes) each.setAttribute("aria-pressed", String(each.dataset.mode === name));
    first = 0;
    chosen = 0;
    draw();
    ask(true);
  }

  function page(by) {
    if (!places || !people) return;
    first = Math.max(0, Math.min(first + by * places.most, Math.floor((people.size - 1) / places.most) * places.most));
    chosen = first;
    draw();
    ask(true);
  }

  // At most three times a second, only where something has changed; while the run goes on only if it is seen.
  function ask(always = false) {
    if (asking || !facts || element.hidden || document.hidden || !session.facts) return;
    if ((session.phase ?? facts.frame.phase) === "waiting") return; // there is nobody yet
    if (!seen && people && session.phase === "running") return;
    const step = session.frame ? session.frame.lanes[0].step : 0;
    if (!always && people && people.step === step) return;
    const wait = always ? 0 : asked + EVERY - performance.now();
    if (wait <= 0) fetchPeople();
    else timer ||= setTimeout(() => { timer = 0; ask(); }, wait);
  }

  async function fetchPeople() {
    asking = true;
    asked = performance.now();
    const [mine, view, start] = [facts, mode, first];
    try {
      const answer = await session.population(view === "thumbs" ? start : 0, view === "thumbs" ? measure().most : 0);
      if (mine !== facts) return;
      people = answer;
      highest = Math.max(highest, people.costs[people.costs.length - 1] || 0);
      chosen = Math.min(chosen, people.size - 1);
      if (first >= people.size) first = 0;
      draw();
    } catch { /* the run's own stream tells what is the matter */ } finally {
      asking = false;
      if (view !== mode || start !== first) ask(true);
    }
  }

  function measure() {
    const size = people ? people.size : facts.lanes[0].population;
    places = (mode === "heat" ? heatPlaces : thumbPlaces)(element.clientWidth - 36, size, facts.side);
    places.high = Math.ceil(Math.min(size - first, places.most) / places.across) * places.pitch;
    return places;
  }

  function draw() {
    if (!people || !facts || !element.clientWidth) return;
    measure();
    const last = Math.min(people.size, first + places.most);
    const view = { first, last, chosen, focused: document.activeElement === canvas };
    if (mode === "heat") drawHeat(canvas, places, people, highest, view);
    else drawThumbs(canvas, places, people, facts, view);
    scale.element.hidden = mode !== "heat" || highest === 0;
    scale.show(highest);
    pager.hidden = people.size <= places.most;
    where.textContent = `${count(first + 1)}–${count(last)} of ${count(people.size)}`;
    back.disabled = first === 0;
    on.disabled = last >= people.size;
    tell();
  }

  function about(rank) {
    const place = `rank ${count(rank + 1)} of ${count(people.size)}`;
    return `${place}, cost ${count(people.costs[rank])}, board ${count(people.ids[rank])}`;
  }

  function tell(rank = null) {
    if (!people) return;
    const different = new Set(people.costs).size;
    const costs = different === 1 ? "all of the same cost" : plural(different, "different cost");
    const all = `${plural(people.size, "board")}, the best first, ${costs}. Choose one to see it.`;
    says.textContent = rank === null ? all : sentence(about(rank));
  }

  function rankAt(event) {
    if (!places || !people) return null;
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const column = Math.floor(x / places.pitch);
    const rank = first + Math.floor(y / places.pitch) * places.across + column;
    return column >= 0 && column < places.across && rank < Math.min(people.size, first + places.most) ? rank : null;
  }

  function hover(event) {
    tell(rankAt(event));
  }

  function press(event) {
    const rank = rankAt(event);
    if (rank === null) return;
    chosen = rank;
    draw();
    inspect(rank, people.size);
  }

  function move(event) {
    if (!people || !places) return;
    const far = {
      ArrowLeft: -1, ArrowRight: 1, ArrowUp: -places.across, ArrowDown: places.across,
      Home: -Infinity, End: Infinity, PageUp: -places.most, PageDown: places.most,
    }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      inspect(chosen, people.size);
    } else if (far !== undefined) {
      event.preventDefault();
      chosen = Math.max(0, Math.min(people.size - 1, chosen + far));
      const start = Math.floor(chosen / places.most) * places.most;
      const turned = start !== first;
      first = start;
      draw();
      tell(chosen);
      heard.textContent = about(chosen);
      if (turned) ask(true);
    }
  }

  canvas.addEventListener("focus", draw);
  canvas.addEventListener("blur", draw);

  return {
    element,
    setRun(next, curve) {
      facts = next;
      people = null;
      first = 0;
      chosen = 0;
      highest = curve ? Math.max(0, ...curve.worst.filter(Number.isFinite)) : 0;
      element.hidden = next.lanes[0].population === 1;
      ask(true);
    },
    show({ lanes: [look] }) {
      highest = Math.max(highest, look.worst || 0);
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
