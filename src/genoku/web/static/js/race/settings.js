// @ts-check
// A race as a link: the puzzle, the lanes, the budget and the seed.

import { isTable } from "../recipe/catalogue.js";
import { fromQuery, toQuery } from "../share.js";

/** @import { RacePlan, RecipeChoice } from "../types.d.ts" */

export const FEWEST = 2;
export const MOST = 4;
// Three reports and the champion: on an easy board their times differ by factors of ten, or they do not solve it.
const USUAL = ["charles", "eran-shahar-ga", "sundy", "champion"];
const SEED = 3;
// Presets for further lanes; the first that is not used yet is taken.
export const NEXT = ["champion", "sundy", "annealing", "tabu", "charles"];

// A lane as text: the name of its preset, or JSON if anything is changed.
/** @type {(lane: RecipeChoice) => string} */
function formatLane({ preset, recipe, settings }) {
  const isChanged = Object.keys(settings).length > 0;
  if (!recipe && !isChanged) return preset;
  return JSON.stringify({ ...(recipe ? { recipe } : { preset }), ...(isChanged ? { set: settings } : {}) });
}

/** @type {(text: string) => RecipeChoice[]} */
function parseLane(text) {
  if (!text.startsWith("{")) return [{ preset: text.slice(0, 200), recipe: null, settings: {} }];
  try {
    const { preset = "champion", recipe = null, set = {} } = JSON.parse(text);
    return [{ preset: String(preset), recipe: isTable(recipe) ? recipe : null, settings: isTable(set) ? set : {} }];
  } catch {
    return [];
  }
}

// The query of a race; `id` is that of a race on the server.
/** @type {(plan: RacePlan, id?: string) => URLSearchParams} */
export function raceQuery({ puzzle, box, name, lanes, until, seed }, id = "") {
  const query = new URLSearchParams(toQuery({ puzzle, box, name, until, seed }));
  for (const lane of lanes) query.append("lane", formatLane(lane));
  if (id) query.set("race", id);
  return query;
}

// The settings in a query; with fewer than two lanes, the usual ones.
/** @param {URLSearchParams} query */
export function raceSettings(query) {
  const { puzzle, box, name, until: limits = "cpu_seconds=5", seed = SEED } = fromQuery(query);
  const until = limits.replace(/\bseconds\b/g, "cpu_seconds"); // a race has no other clock
  const lanes = query.getAll("lane").slice(0, MOST).flatMap(parseLane);
  const usual = USUAL.map((preset) => ({ preset, recipe: null, settings: {} }));
  return { puzzle, box, name, until, seed, lanes: lanes.length >= FEWEST ? lanes : usual };
}
