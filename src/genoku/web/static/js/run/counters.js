// @ts-check
// How far a run is: its counters and what is left of its budget.

import { fact, h, meter } from "../dom.js";
import { limitsText } from "../recipe/until.js";
import { capital, count, seconds, short } from "../words.js";
import { fitnessOfAll, fitnessText, meanText } from "./scale.js";

/** @import { Facts, Frame, LaneFacts, LaneFrame, Scale } from "../types.d.ts" */

// Of a population the mean, of a single board what it is now: "mean 171.3", "now 24".
/** @type {(lane: LaneFrame, scale: Scale | null, isSingle: boolean) => string} */
export function besideBest({ best, mean }, scale, isSingle) {
  const cost = isSingle ? best : mean;
  if (cost === null) return "";
  if (isSingle) return `now ${scale ? fitnessText(scale, cost) : count(cost)}`;
  return `mean ${meanText(scale ?? ERRORS, cost)}`;
}

/** @type {Scale} */
const ERRORS = { fitness: "repetitions", solved: 0, per_cost: 1 };

export function runCounters() {
  /** @param {string} label */
  const counter = (label) => ({ name: h("span", {}, label), value: h("span", {}, "–") });
  const [besideFitness, besideErrors] = [h("span", { class: "beside" }), h("span", { class: "beside" })];
  const heads = { fitness: counter("Fitness"), errors: counter("Errors left") };
  const fitness = fact(heads.fitness.name, [heads.fitness.value, besideFitness], "counter counts-fitness");
  const counters = {
    step: counter("Step"), work: counter("Evaluations"), speed: counter("Evaluations/s"), time: counter("Time"),
  };
  const head = h("dl", { class: "counters heads" }, fitness,
    fact(heads.errors.name, [heads.errors.value, besideErrors], "counter counts-errors"));
  const list = h("dl", { class: "counters" }, Object.entries(counters).map(([key, { name, value }]) =>
    fact(name, value, `counter counts-${key}`)));
  const bar = meter("Budget spent");
  const left = h("span", { class: "soft small" });
  const budget = h("div", { class: "budget" }, bar.element, left);
  const element = h("div", {}, head, list, budget);
  let limits = "";
  /** @type {LaneFacts | null} */
  let run = null;

  /** @type {(node: HTMLElement, text: string) => void} */
  const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };

  // The fitness as the report states it; where that is the errors left, what is beside it stands there.
  /** @type {(lane: LaneFrame, facts: LaneFacts) => void} */
  function showFitness(lane, { scale, partial, population }) {
    const beside = partial ? lane.cost !== 0 && lane.own_score || "" : besideBest(lane, scale, population === 1);
    put(besideErrors, scale ? "" : beside);
    put(besideFitness, scale ? beside : "");
    if (scale) put(heads.fitness.value, lane.cost === null ? "–" : fitnessOfAll(scale, lane.cost));
  }

  return {
    element,
    /** @param {Facts} facts */
    setRun({ lanes: [lane], until }) {
      run = lane;
      limits = limitsText(until);
      put(counters.step.name, capital(lane.step_word));
      fitness.hidden = !lane.scale;
    },
    /** @param {Frame} frame */
    show({ lanes: [lane], share, left: rest, phase }) {
      const inMoves = lane.moves > lane.evaluations;
      put(counters.work.name, inMoves ? "Moves" : "Evaluations");
      put(counters.speed.name, inMoves ? "Moves/s" : "Evaluations/s");
      put(heads.errors.value, lane.errors === null ? "–" : count(lane.errors));
      if (run) showFitness(lane, run);
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
