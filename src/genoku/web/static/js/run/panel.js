// A run as one watches it: the board in front, beside it the controls, the counters, the charts and the population.

import { legend } from "../board/legend.js";
import { LiveBoard } from "../board/live.js";
import { h, toast } from "../dom.js";
import { puzzleOf } from "../symbols.js";
import { sentence } from "../words.js";
import { runCharts } from "./charts.js";
import { runControls } from "./controls.js";
import { runCounters } from "./counters.js";
import { runEnd } from "./end.js";
import { individualDialog } from "./individual.js";
import { runPopulation } from "./population.js";

const CALM = 100; // milliseconds between two texts: nobody reads thirty in a second
const WHOLE = 4000; // milliseconds between two readings of the whole course: frames skip most of its steps

// `session`: the run on the server; `again(seed | null)`: start it anew; `shared()`: its settings for a link;
// `onEdit()`: go back to the settings; `onSpeed(limit)`: another speed was chosen.
export function runPanel({ session, again, shared, onEdit, onSpeed }) {
  const canvas = h("canvas", { class: "board-canvas" });
  const badge = h("span", { class: "badge" });
  const title = h("span");
  const details = h("span", { class: "run-details" });
  const heading = h("h1", { class: "run-title", tabindex: -1 }, title, " ", details);
  const controls = runControls({ act });
  const counters = runCounters();
  const charts = runCharts();
  const dialog = individualDialog(session);
  const population = runPopulation({
    session, inspect: (rank, size) => dialog.open(rank, size).catch((error) => toast(sentence(error.message), "bad")),
  });
  const end = runEnd({ shared });
  const board = new LiveBoard(canvas);
  const wide = h("button", { type: "button", class: "quiet run-wide", onclick: () => project() }, "Full screen");
  const edit = h("button", { type: "button", class: "quiet", onclick: () => onEdit() }, "Edit settings");
  const element = h("div", { class: "run" },
    h("div", { class: "run-head" }, badge, heading, h("div", { class: "row run-doors" }, wide, edit)),
    h("div", { class: "run-parts" },
      h("div", { class: "run-left" },
        h("section", { class: "card run-stage", "aria-label": "Best board" },
          h("div", { class: "board-box" }, canvas), legend()),
        population.element, end.solution),
      h("div", { class: "run-right" },
        h("section", { class: "card run-cockpit", "aria-label": "The run" },
          controls.element, end.verdict, counters.element),
        charts.element, end.take)),
    dialog.element);
  let written = 0;
  let read = 0;
  let complete = false;
  let later = 0;
  let frame = null;

  async function act(what, more) {
    try {
      if (what === "restart") await again(session.facts.seed);
      else if (what === "reseed") await again(null);
      else if (what !== "speed" || session.phase !== "ended") await session.control(what, more);
      if (what === "speed") onSpeed(more.speed);
    } catch (error) {
      if (error.status !== 0 && error.status !== 404) toast(sentence(error.message), "bad");
    }
  }

  function project() {
    if (document.fullscreenElement) document.exitFullscreen();
    else element.requestFullscreen().catch((error) => toast(error.message, "bad"));
  }

  const onFull = () => { wide.textContent = document.fullscreenElement ? "Leave full screen" : "Full screen"; };
  document.addEventListener("fullscreenchange", onFull);
  wide.hidden = !document.fullscreenEnabled;

  function texts() {
    clearTimeout(later);
    later = 0;
    written = performance.now();
    const { phase, lanes: [look] } = frame;
    const state = phase === "ended" ? (look.solved ? "solved" : "ended") : phase;
    badge.textContent = state === "waiting" ? "getting ready…" : state;
    badge.className = `badge ${{ solved: "good", ended: "warn", running: "live" }[state] || ""}`;
    controls.show(frame);
    counters.show(frame);
    charts.show(frame);
    population.show(frame);
    end.show(frame);
    if (phase === "ended" ? !complete : written - read > WHOLE && phase === "running") reread();
  }

  async function reread() {
    const mine = session.facts;
    read = performance.now();
    complete = frame.phase === "ended";
    const curve = await session.curve().catch(() => null);
    if (curve && mine === session.facts) charts.setCurve(curve);
  }

  return {
    element,
    setRun(facts, curve) {
      frame = null;
      complete = false;
      read = performance.now() - WHOLE + 1000; // soon for the first time: most happens in the beginning
      title.textContent = facts.title;
      const size = facts.name && `${facts.side}×${facts.side}`;
      details.textContent = [size, `seed ${facts.seed}`].filter(Boolean).join(" · ");
      board.setPuzzle({ ...puzzleOf(facts), stepWord: facts.lanes[0].step_word });
      controls.setWord(facts.lanes[0].step_word);
      for (const part of [counters, charts, population, end]) part.setRun(facts, curve);
    },
    show(next) {
      const turned = !frame || frame.phase !== next.phase;
      frame = next;
      board.draw(next.lanes[0]);
      const due = written + CALM - performance.now();
      if (turned || due <= 0 || next.phase !== "running") texts();
      else if (!later) later = setTimeout(texts, due);
    },
    // The button that started the run is out of sight: go on from its title.
    focus() {
      heading.focus({ preventScroll: true });
    },
    // While the server is away nothing can be steered.
    halt() {
      if (frame) controls.show(frame, true);
    },
    close() {
      clearTimeout(later);
      document.removeEventListener("fullscreenchange", onFull);
      for (const part of [board, controls, charts, population, dialog]) part.close();
    },
  };
}
