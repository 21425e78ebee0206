// @ts-check
// "Run this 30 times": the same lanes on the same puzzle with many seeds and the same budget, as a study.

import { get, post } from "../api.js";
import { confirmFirst } from "../dialog.js";
import { h } from "../dom.js";
import { limitsText } from "../recipe/until.js";
import { planSummary } from "../studies/progress.js";
import { freeName } from "../words.js";

/** @import { Facts, RacePlan, Study } from "../types.d.ts" */

export const SEEDS = 30;

/** @type {(race: Facts, plan: RacePlan | null) => object} */
function studyOf(race, plan) {
  const names = race.lanes.map((lane) => lane.name);
  const puzzle = race.name || `a ${race.side}×${race.side} board`;
  const either = `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`; // "charles, sundy or champion"
  return {
    question: `Which wins on ${puzzle}: ${either}?`.slice(0, 500),
    algorithms: race.lanes.map(({ name, recipe }, place) => {
      const asked = plan?.lanes[place];
      if (!asked || asked.recipe) return { name: name.slice(0, 120), recipe };
      return { name: name.slice(0, 120), preset: asked.preset, settings: asked.settings };
    }),
    puzzles: [{ puzzle: race.puzzle, box: race.box, name: (race.name || "").slice(0, 120) }],
    seeds: { first: race.seed, count: SEEDS },
    until: race.until,
    allow_conflicts: true,
  };
}

// Make a study of a race and run it, after asking with an estimate of the time; null if the answer is no. `plan` is
// what the race was started with, if that is still known.
/** @type {(race: Facts, plan: RacePlan | null) => Promise<Study | null>} */
export async function runAsStudy(race, plan) {
  const study = studyOf(race, plan);
  const found = await post("/api/studies/plan", { ...study, pilot: true });
  if (!found.ok) throw new Error(found.problem);
  const limits = h("p", {}, `Every run ends when it is solved, or after ${limitsText(race.until)}, as in the race.`);
  if (!await confirmFirst("Run this as a study?", [planSummary(found), limits], "Start the study")) return null;
  const taken = new Set((await get("/api/studies")).map((each) => each.name));
  const name = freeName(`race-${race.name || `${race.side}x${race.side}`}`, taken);
  return post("/api/studies", { ...study, name, run: true });
}
