// @ts-check
// Costs as the fitness that a report states: the fitness of a board, its mean, and the points of the charts.

import { count } from "../words.js";

/** @import { Curve, LaneFacts, LaneFrame, Scale } from "../types.d.ts" */
/** @import { Point } from "../plot.js" */

const DECIMALS = 4; // of a fitness with fractions, such as report 000's 0.8971

/** @type {(scale: Scale) => boolean} */
export const isRising = ({ per_cost: perCost }) => perCost < 0;

/** @type {(scale: Scale) => boolean} */
const isWhole = ({ per_cost: perCost, solved }) => Number.isInteger(perCost) && Number.isInteger(solved);

// The fitness of a cost, or of a mean cost.
/** @type {<C extends number | null | undefined>(scale: Scale, cost: C) => C extends number ? number : null} */
export function fitnessOf({ solved, per_cost: perCost }, cost) {
  const fitness = cost === null || cost === undefined ? null : solved + perCost * cost;
  return /** @type {any} */ (fitness);
}

// The fitness of one board: "180", or "0.8971".
/** @type {(scale: Scale, cost: number) => string} */
export function fitnessText(scale, cost) {
  const fitness = fitnessOf(scale, cost);
  return isWhole(scale) ? count(fitness) : fitness.toFixed(DECIMALS);
}

// The same with the fitness of a solution, where that is a number of points: "180 of 243".
/** @type {(scale: Scale, cost: number) => string} */
export function fitnessOfAll(scale, cost) {
  const text = fitnessText(scale, cost);
  return isRising(scale) && isWhole(scale) ? `${text} of ${count(scale.solved)}` : text;
}

const tenths = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

// The mean fitness of a population: "171.3", or "0.8312".
/** @type {(scale: Scale, mean: number) => string} */
export function meanText(scale, mean) {
  const fitness = fitnessOf(scale, mean);
  return isWhole(scale) ? tenths.format(fitness) : fitness.toFixed(DECIMALS);
}

// What stands under the board of a population, as under report 003's: "ID 262301 · Fitness 180".
/** @type {(facts: LaneFacts, frame: LaneFrame) => string} */
export function boardCaption({ scale, population }, { id, cost }) {
  return !scale || population === 1 || id === null || cost === null ? "" : `ID ${id} · Fitness ${fitnessText(scale, cost)}`;
}

// Where a fitness leads: "complete-units, rises to 243".
/** @type {(scale: Scale) => string} */
export const directionText = (scale) => `${scale.fitness}, ${isRising(scale) ? "rises" : "falls"} to ${count(scale.solved)}`;

/**
 * A step in the charts: costs, and what they are as fitness, if that has a scale of its own.
 * @type {(values: Pick<LaneFrame, "step" | "best" | "mean" | "worst" | "errors" | "diversity" | "rate">, scale: Scale | null) => Point}
 */
export function pointOf({ step, best, mean, worst, errors, diversity, rate }, scale) {
  const fitness = scale && fitnessOf(scale, best);
  const meanFitness = scale && fitnessOf(scale, mean);
  return { step, best, mean, worst, errors, diversity, rate, fitness, meanFitness };
}

// The whole history as such points. `measured` has the diversity of steps that only frames knew.
/** @type {(curve: Curve, scale: Scale | null, measured?: Map<number, number | null | undefined>) => Point[]} */
export function pointsOf(curve, scale, measured = new Map()) {
  return curve.step.map((step, i) => pointOf({
    step, best: curve.best[i], mean: curve.mean[i], worst: curve.worst[i], errors: curve.errors[i],
    diversity: curve.diversity[i] ?? measured.get(step) ?? null, rate: curve.rate[i],
  }, scale));
}

// The steps of restarts that a history knows, and of later ones that frames brought, in order.
/** @type {(steps: number[], more: number[]) => number[]} */
export function joinRestarts(steps, more) {
  const last = steps[steps.length - 1] ?? -1;
  return [...steps, ...more.filter((step) => step > last)];
}
