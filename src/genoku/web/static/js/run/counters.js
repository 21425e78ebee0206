// @ts-check
// How far a run is: its counters and what is left of its budget.

import { fact, h, meter } from "../dom.js";
import { limitsText } from "../recipe/until.js";
import { capital, count, seconds, short } from "../words.js";

/** @import { Facts, Frame } from "../types.d.ts" */

export function runCounters() {
  /** @param {string} label */
  const counter = (label) => ({ name: h("span", {}, label), value: h("span", {}, "–") });
  const counters = {
    errors: counter("Errors left"), step: counter("Step"), work: counter("Evaluations"), speed: counter("Evaluations/s"),
    time: counter("Time"),
  };
  const ownScore = h("p", { class: "soft small own-score" });
  const list = h("dl", { class: "counters" }, Object.entries(counters).map(([key, { name, value }]) =>
    fact(name, value, `counter counts-${key}`)));
  const bar = meter("Budget spent");
  const left = h("span", { class: "soft small" });
  const budget = h("div", { class: "budget" }, bar.element, left);
  const element = h("div", {}, list, ownScore, budget);
  let limits = "";

  /** @type {(node: HTMLElement, text: string) => void} */
  const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };

  return {
    element,
    /** @param {Facts} facts */
    setRun({ lanes: [{ step_word: word }], until }) {
      limits = limitsText(until);
      put(counters.step.name, capital(word));
    },
    /** @param {Frame} frame */
    show({ lanes: [lane], share, left: rest, phase }) {
      const inMoves = lane.moves > lane.evaluations;
      put(counters.work.name, inMoves ? "Moves" : "Evaluations");
      put(counters.speed.name, inMoves ? "Moves/s" : "Evaluations/s");
      put(counters.errors.value, lane.errors === null ? "–" : count(lane.errors));
      put(ownScore, lane.own_score && `The fitness function's own scale: ${lane.own_score}`);
      put(counters.step.value, count(lane.step));
      put(counters.work.value, short(inMoves ? lane.moves : lane.evaluations));
      put(counters.speed.value, phase === "running" || lane.speed ? short(lane.speed) : "–");
      put(counters.time.value, seconds(lane.seconds));
      budget.hidden = share === null || phase === "ended";
      const part = Math.max(0, Math.min(1, share ?? 0));
      bar.show(part);
      put(left, `${Math.round(100 * part)} % of ${limits}${rest === null ? "" : `, ${seconds(rest)} left`}`);
    },
  };
}
