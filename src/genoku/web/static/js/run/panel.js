// @ts-check
// A run as one watches it: the board, its controls, the counters, the charts and the population.

import { isUnreachable, messageOf } from "../api.js";
import { legend } from "../board/legend.js";
import { LiveBoard } from "../board/live.js";
import { fill, h, toast } from "../dom.js";
import { conflictNotice } from "../live.js";
import { puzzleOf } from "../symbols.js";
import { sentence } from "../words.js";
import { runCharts } from "./charts.js";
import { runControls } from "./controls.js";
import { runCounters } from "./counters.js";
import { runEnd } from "./end.js";
import { individualDialog } from "./individual.js";
import { runPopulation } from "./population.js";
import { boardCaption } from "./scale.js";

/** @import { Curve, Facts, Frame } from "../types.d.ts" */
/** @import { RunSession } from "../live.js" */
/** @import { Shared } from "../share.js" */
/** @import { Action } from "./controls.js" */

const CALM = 100; // milliseconds between two texts: nobody reads thirty in a second
const REREAD = 4000; // milliseconds between two requests of the whole history: frames skip most of its steps

const STATES = {
  waiting: ["getting ready…", ""], running: ["running", "live"], paused: ["paused", ""], ended: ["ended", "warn"],
  solved: ["solved", "good"],
};

/**
 * @param {object} options
 * @param {RunSession} options.session
 * @param {(seed: number | null) => Promise<void>} options.again starts it anew, with any seed if it is null
 * @param {() => Shared} options.shared its settings for a link
 * @param {() => void} options.onEdit
 * @param {(speed: number | null) => void} options.onSpeed
 */
export function runPanel({ session, again, shared, onEdit, onSpeed }) {
  const canvas = h("canvas", { class: "board-canvas" });
  const badge = h("span", { class: "badge" });
  const title = h("span");
  const details = h("span", { class: "run-details" });
  const heading = h("h1", { class: "run-title", tabindex: -1 }, title, " ", details);
  const controls = runControls({ act });
  const counters = runCounters();
  const charts = runCharts();
  /** @param {unknown} error */
  const report = (error) => toast(sentence(messageOf(error)), "bad");
  const dialog = individualDialog(session);
  const population = runPopulation({
    session, inspect: (rank, size) => dialog.open(rank, size).catch(report),
  });
  const end = runEnd({ shared });
  const board = new LiveBoard(canvas);
  const caption = h("p", { class: "board-caption" });
  const wide = h("button", { type: "button", class: "quiet run-wide", onclick: toggleFullScreen }, "Full screen");
  const edit = h("button", { type: "button", class: "quiet", onclick: () => onEdit() }, "Edit settings");
  const clashes = h("div", {});
  const element = h("div", { class: "run" },
    h("div", { class: "run-head" }, badge, heading, h("div", { class: "row run-doors" }, wide, edit)), clashes,
    h("div", { class: "run-parts" },
      h("div", { class: "run-left" },
        h("section", { class: "card run-stage", "aria-label": "Best board" },
          h("div", { class: "board-box" }, canvas), caption, legend()),
        population.element, end.solution),
      h("div", { class: "run-right" },
        h("section", { class: "card run-cockpit", "aria-label": "The run" },
          controls.element, end.verdict, counters.element),
        charts.element, end.take)),
    dialog.element);
  let written = 0;
  let read = 0;
  let isComplete = false;
  let timer = 0;
  /** @type {Frame | null} */
  let frame = null;

  /** @type {(action: Action, more?: { speed: number | null }) => Promise<void>} */
  async function act(action, more) {
    try {
      if (action === "restart") await again(session.facts?.seed ?? null);
      else if (action === "reseed") await again(null);
      else if (action !== "speed" || session.phase !== "ended") await session.control(action, more);
      if (more) onSpeed(more.speed);
    } catch (error) {
      if (!isUnreachable(error)) report(error); // the banner reports what is not there
    }
  }

  function toggleFullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else element.requestFullscreen().catch((error) => toast(messageOf(error), "bad"));
  }

  const onFull = () => { wide.textContent = document.fullscreenElement ? "Leave full screen" : "Full screen"; };
  document.addEventListener("fullscreenchange", onFull);
  wide.hidden = !document.fullscreenEnabled;

  function update() {
    clearTimeout(timer);
    timer = 0;
    if (!frame) return;
    written = performance.now();
    const { phase, lanes: [lane] } = frame;
    const state = phase === "ended" && lane.solved ? "solved" : phase;
    const [label, kind] = STATES[state];
    badge.textContent = label;
    badge.className = `badge ${kind}`;
    caption.textContent = session.facts ? boardCaption(session.facts.lanes[0], lane) : "";
    caption.hidden = !caption.textContent;
    for (const part of [controls, counters, charts, population, end]) part.show(frame);
    if (phase === "ended" ? !isComplete : written - read > REREAD && phase === "running") reread(phase === "ended");
  }

  /** @param {boolean} hasEnded */
  async function reread(hasEnded) {
    const run = session.facts;
    read = performance.now();
    isComplete = hasEnded;
    const curve = await session.curve().catch(() => null);
    if (curve && run === session.facts) charts.setCurve(curve);
  }

  return {
    element,
    /** @type {(facts: Facts, curve: Curve | null) => void} */
    setRun(facts, curve) {
      frame = null;
      isComplete = false;
      read = performance.now() - REREAD + 1000; // early for the first time: most happens in the beginning
      title.textContent = facts.title;
      const size = facts.name && `${facts.side}×${facts.side}`;
      fill(clashes, conflictNotice(facts));
      details.textContent = [size, `seed ${facts.seed}`].filter(Boolean).join(" · ");
      board.setPuzzle(puzzleOf(facts), facts.lanes[0].step_word);
      controls.setWord(facts.lanes[0].step_word);
      for (const part of [counters, charts, population, end]) part.setRun(facts, curve);
    },
    /** @param {Frame} next */
    show(next) {
      const isOtherPhase = frame?.phase !== next.phase;
      frame = next;
      board.draw(next.lanes[0]);
      const due = written + CALM - performance.now();
      if (isOtherPhase || due <= 0 || next.phase !== "running") update();
      else timer ||= setTimeout(update, due);
    },
    // The button that started the run is hidden now: the focus moves to the title.
    focus() {
      heading.focus({ preventScroll: true });
    },
    // While the server cannot be reached nothing can be controlled.
    disable() {
      if (frame) controls.show(frame, true);
    },
    close() {
      clearTimeout(timer);
      document.removeEventListener("fullscreenchange", onFull);
      for (const part of [board, controls, charts, population, dialog]) part.close();
    },
  };
}
