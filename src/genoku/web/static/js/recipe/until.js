// When a run ends, as text and as a list of limits: "generations=500 or seconds=10".

export const WORDS = {
  seconds: "seconds",
  cpu_seconds: "seconds of CPU time",
  generations: "generations",
  evaluations: "evaluations",
  moves: "moves",
  stagnation: "steps without improvement",
  cost: "cost at most",
};

export const UNTIL = "generations=1000"; // of a recipe that does not say when it ends

const LIMIT = /^(generations|steps|evaluations|moves|seconds|cpu_seconds|stagnation|cost)\s*=\s*(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)$/;

// The limits of a text that only joins them by "or"; null where it says more, or cannot be read.
export function limits(text) {
  if (!text.trim()) return [];
  const found = text.trim().split(/\s+or\s+/).map((each) => LIMIT.exec(each.trim()));
  if (!found.every(Boolean)) return null;
  return found.map(([, word, number]) => ({ word: word === "steps" ? "generations" : word, number: Number(number) }));
}

export const written = (list) => list.map(({ word, number }) => `${word}=${number}`).join(" or ");

// Limits for people: "100 generations or 10 seconds".
export function told(text) {
  const list = limits(text);
  if (list === null) return text;
  if (!list.length) return "no limit";
  return list.map(({ word, number }) => {
    const count = number.toLocaleString("en");
    if (word === "cost") return `a cost of ${count}`;
    if (word === "stagnation") return `${count} steps without improvement`;
    if (word === "cpu_seconds") return `${count} ${number === 1 ? "second" : "seconds"} of CPU time`;
    return `${count} ${number === 1 ? word.slice(0, -1) : word}`;
  }).join(" or ");
}
