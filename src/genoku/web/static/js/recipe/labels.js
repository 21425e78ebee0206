// Words of the form: what people call the keys of a recipe, and its values.

import { capital } from "../words.js";

const LABELS = {
  adaptation: "Mutation rate",
  repeats: "How often",
  by: "Blocks by",
  inner: "Pool filled by",
  of: "Trials per",
  p: "Chance",
  after: "Start again after",
  algorithm: "Algorithm",
  mutates: "Who mutates",
  replace: "Draw with replacement",
};

const RATES = { annealing: "Temperature", memetic: "Temperature", "min-conflicts": "Chance of a bad move" };

// What stands first in the form of an algorithm; the rest is one click away.
const DETAILS = new Set([
  "diversity", "offspring", "mutates", "spread", "elites", "least_diversity", "patience",
  "forget", "near", "weigh", "keep", "trust", "topology", "policy",
]);

export const isDetail = (algorithm, name) =>
  DETAILS.has(name) || (algorithm === "champion" && name === "temperature");

// "least_diversity" is "Least diversity".
export function label(name, owner = "") {
  if (name === "temperature" || name === "chance") return RATES[owner] ?? capital(name);
  return LABELS[name] ?? capital(name.replaceAll("_", " "));
}

// A path as a person would read it: "crossover.parts.0.by" is "Crossover › Parts › no. 1 › Blocks by".
export function trail(path) {
  const words = path.split(".").map((key) => (/^\d+$/.test(key) ? `no. ${Number(key) + 1}` : label(key)));
  return words.join(" › ");
}

// A value as it is said in a summary.
export function shown(value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (Array.isArray(value)) return value.length > 2 ? String(value.length) : value.map(shown).join(", ") || "none";
  if (value && typeof value === "object") return value.use;
  return String(value);
}
