// @ts-check
// How the form of a recipe names parameters, paths and values.

import { capital } from "../words.js";
import { isTable, nameOf } from "./catalogue.js";

/** @import { Parameter, RecipeValue } from "../types.d.ts" */

/** @type {Record<string, string>} */
const LABELS = {
  adaptation: "Mutation rate",
  repeats: "How often",
  by: "Blocks by",
  inner: "Pool filled by",
  of: "Trials per",
  p: "Chance",
  after: "Restart after",
  algorithm: "Algorithm",
  mutates: "Who mutates",
  replace: "Draw with replacement",
};

/** @type {Record<string, string>} */
const RATES = { annealing: "Temperature", memetic: "Temperature", "min-conflicts": "Chance of a bad move" };

// What the form of an algorithm shows only on demand.
const DETAILS = new Set([
  "diversity", "offspring", "mutates", "spread", "elites", "least_diversity", "patience",
  "forget", "near", "weigh", "keep", "trust", "topology", "policy",
]);

/** @type {(algorithm: string, name: string) => boolean} */
export const isDetail = (algorithm, name) =>
  DETAILS.has(name) || (algorithm === "champion" && name === "temperature");

// "least_diversity" is "Least diversity".
/** @type {(name: string, owner?: string) => string} */
export function label(name, owner = "") {
  if (name === "temperature" || name === "chance") return RATES[owner] ?? capital(name);
  return LABELS[name] ?? capital(name.replaceAll("_", " "));
}

// The usual term for a parameter, or its own name.
/** @type {(parameter: Parameter, owner?: string) => string} */
export const labelOf = (parameter, owner = "") => parameter.label || label(parameter.name, owner);

// "crossover.parts.0.by" is "Crossover › Parts › no. 1 › Blocks by".
/** @type {(path: string) => string} */
export function pathLabel(path) {
  const words = path.split(".").map((key) => (/^\d+$/.test(key) ? `no. ${Number(key) + 1}` : label(key)));
  return words.join(" › ");
}

// A value in a summary; of a long list only its length.
/** @type {(value: RecipeValue) => string} */
export function valueLabel(value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (Array.isArray(value)) return value.length > 2 ? String(value.length) : value.map(valueLabel).join(", ") || "none";
  return isTable(value) ? nameOf(value) : String(value);
}
