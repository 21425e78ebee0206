// @ts-check
// When a run ends, as text and as a list of limits: "generations=500 or seconds=10".

/** @typedef {{ word: string, number: number }} Limit */

/** @type {Record<string, string>} */
export const KINDS = {
  seconds: "seconds",
  cpu_seconds: "seconds of CPU time",
  generations: "generations",
  evaluations: "evaluations",
  moves: "moves",
  stagnation: "steps without improvement",
  cost: "cost at most",
};

export const DEFAULT_UNTIL = "generations=1000"; // of a recipe that does not say when it ends

const LIMIT = /^(generations|steps|evaluations|moves|seconds|cpu_seconds|stagnation|cost)\s*=\s*(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)$/;

// The limits of a text that only joins them by "or"; null if it says more, or cannot be read.
/** @type {(text: string) => Limit[] | null} */
export function parseLimits(text) {
  if (!text.trim()) return [];
  const limits = text.trim().split(/\s+or\s+/).map((each) => {
    const [, word, number] = LIMIT.exec(each.trim()) ?? [];
    return { word: word === "steps" ? "generations" : word, number: Number(number) };
  });
  return limits.every(({ word }) => word) ? limits : null;
}

// The one limit of a text; null if it has none or several.
/** @type {(text: string) => Limit | null} */
export function onlyLimit(text) {
  const limits = parseLimits(text);
  return limits?.length === 1 ? limits[0] : null;
}

/** @type {(limits: Limit[]) => string} */
export const formatLimits = (limits) => limits.map(({ word, number }) => `${word}=${number}`).join(" or ");

// Limits for people: "100 generations or 10 seconds".
/** @type {(text: string) => string} */
export function limitsText(text) {
  const limits = parseLimits(text);
  if (limits === null) return text;
  if (!limits.length) return "no limit";
  return limits.map(({ word, number }) => {
    const count = number.toLocaleString("en");
    if (word === "cost") return `a cost of ${count}`;
    if (word === "stagnation") return `${count} steps without improvement`;
    if (word === "cpu_seconds") return `${count} ${number === 1 ? "second" : "seconds"} of CPU time`;
    return `${count} ${number === 1 ? word.slice(0, -1) : word}`;
  }).join(" or ");
}
