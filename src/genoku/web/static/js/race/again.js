// "Run this 30 times": the same lanes on the same puzzle with many seeds, as a study.

import { get, post } from "../api.js";
import { freeName } from "../studies/names.js";

export const SEEDS = 30;

// "charles, sundy or champion"
const either = (names) => `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

// `race` is what the server says of it; `plan` what it was asked for, as far as that is known still.
export async function asStudy(race, plan) {
  const names = race.lanes.map((lane) => lane.name);
  const puzzle = race.name || `a ${race.side}×${race.side} board`;
  const taken = new Set((await get("/api/studies")).map((each) => each.name));
  return post("/api/studies", {
    name: freeName(`race-${race.name || `${race.side}x${race.side}`}`, taken),
    question: `Which wins on ${puzzle}: ${either(names)}?`.slice(0, 500),
    algorithms: race.lanes.map(({ name, recipe }, place) => {
      const asked = plan?.lanes[place];
      if (!asked || asked.recipe) return { name: name.slice(0, 120), recipe };
      return { name: name.slice(0, 120), preset: asked.preset, settings: asked.settings };
    }),
    puzzles: [{ puzzle: race.puzzle, box: race.box, name: (race.name || "").slice(0, 120) }],
    seeds: { first: race.seed, count: SEEDS },
    until: plan?.until || race.until,
    allow_conflicts: true,
    run: true,
  });
}
