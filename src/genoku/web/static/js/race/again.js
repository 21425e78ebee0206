// "Run this 30 times": the same lanes on the same puzzle with many seeds, by the same clock, as a study.

import { get, post } from "../api.js";
import { askFirst } from "../dialog.js";
import { h } from "../dom.js";
import { told } from "../recipe/until.js";
import { freeName } from "../studies/names.js";
import { planned } from "../studies/progress.js";

export const SEEDS = 30;

// "charles, sundy or champion"
const either = (names) => `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

function body(race, plan) {
  const names = race.lanes.map((lane) => lane.name);
  const puzzle = race.name || `a ${race.side}×${race.side} board`;
  return {
    question: `Which wins on ${puzzle}: ${either(names)}?`.slice(0, 500),
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

// Make a study of a race and run it, once a person knows how long that takes; null if it is not wanted then.
// `race` is what the server says of it; `plan` what it was asked for, as far as that is known still.
export async function asStudy(race, plan) {
  const wanted = body(race, plan);
  const found = await post("/api/studies/plan", { ...wanted, pilot: true });
  if (!found.ok) throw new Error(found.problem);
  const limits = h("p", {}, `Every run ends when it is solved, or after ${told(race.until)}, as in the race.`);
  if (!await askFirst("Run this as a study?", [planned(found), limits], "Start the study")) return null;
  const taken = new Set((await get("/api/studies")).map((each) => each.name));
  const name = freeName(`race-${race.name || `${race.side}x${race.side}`}`, taken);
  return post("/api/studies", { ...wanted, name, run: true });
}
