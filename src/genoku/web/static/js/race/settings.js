// A race as a link says it: the puzzle, the lanes, the budget and the seed.

import { isTable } from "../recipe/catalogue.js";
import { fromQuery, toQuery } from "../share.js";

export const FEWEST = 2;
export const MOST = 4;
// Three reports and the champion, which on an easy board need times of different decades, or do not get there.
const USUAL = ["charles", "eran-shahar-ga", "sundy", "champion"];
const SEED = 3;
// What is offered as a further lane, unless it is there already.
export const NEXT = ["champion", "sundy", "annealing", "tabu", "charles"];

function laneText({ preset, recipe, settings }) {
  const changed = settings && Object.keys(settings).length;
  if (!recipe && !changed) return preset;
  return JSON.stringify({ ...(recipe ? { recipe } : { preset }), ...(changed ? { set: settings } : {}) });
}

function laneOf(text) {
  if (!text.startsWith("{")) return { preset: text.slice(0, 200), recipe: null, settings: {} };
  try {
    const { preset = "champion", recipe = null, set = {} } = JSON.parse(text);
    return { preset: String(preset), recipe: isTable(recipe) ? recipe : null, settings: isTable(set) ? set : {} };
  } catch {
    return null;
  }
}

// The query of a race; `lanes` are values of recipe panels.
export function query({ puzzle, box, name, lanes, until, seed }, race = "") {
  const said = new URLSearchParams(toQuery({ puzzle, box, name, until, seed }));
  for (const lane of lanes) said.append("lane", laneText(lane));
  if (race) said.set("race", race);
  return said;
}

// What a query says; without lanes the usual ones.
export function settings(said) {
  const { puzzle, box, name, until: asked = "cpu_seconds=5", seed = SEED } = fromQuery(said);
  const until = asked.replace(/\bseconds\b/g, "cpu_seconds"); // a race knows no other
  const lanes = said.getAll("lane").slice(0, MOST).map(laneOf).filter(Boolean);
  const usual = USUAL.map((preset) => ({ preset, recipe: null, settings: {} }));
  return { puzzle, box, name, until, seed, lanes: lanes.length >= FEWEST ? lanes : usual };
}
