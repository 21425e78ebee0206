// @ts-check
// Race: two to four algorithms on the same puzzle, with equal shares of CPU time.

import { field, fill, h } from "../dom.js";
import { refusalNotice } from "../live.js";
import { puzzlePanel } from "../puzzle/panel.js";
import { laneMark } from "../race/lane.js";
import { FEWEST, MOST, NEXT, raceQuery, raceSettings } from "../race/settings.js";
import { track } from "../race/track.js";
import { recipePanel } from "../recipe/panel.js";
import { budget, dice, randomSeed } from "../recipe/run-options.js";
import { screens } from "../screens.js";

/** @import { RacePlan, RecipeChoice } from "../types.d.ts" */
/** @typedef {ReturnType<typeof laneItem>} Lane */

/** @param {{ onChange: () => void, onRemove: () => void }} callbacks */
function laneItem({ onChange, onRemove }) {
  const panel = recipePanel({ compact: true, onChange });
  const heading = h("h3", {});
  const remove = h("button", { type: "button", class: "quiet", onclick: onRemove }, "Remove");
  const element = h("li", { class: "race-contender" },
    h("div", { class: "row spread" }, heading, remove), panel.element);
  return {
    element, panel,
    /** @type {(place: number, isNeeded: boolean) => void} */
    number(place, isNeeded) {
      fill(heading, laneMark(place), ` Lane ${place + 1}`);
      remove.setAttribute("aria-label", `Remove lane ${place + 1}`);
      remove.hidden = isNeeded;
    },
  };
}

/** @type {(main: HTMLElement, query: URLSearchParams) => () => void} */
export function show(main, query) {
  const asked = raceSettings(query);
  /** @type {Lane[]} */
  const lanes = [];
  let isReady = false;
  let hasLeft = false;
  let isEditing = false; // on the way to the settings by the page's own button

  const puzzle = puzzlePanel({ onChange: () => { showPuzzleName(); note(); } });
  const puzzleName = h("span", { class: "soft" });
  const list = h("ol", { class: "race-contenders" });
  const another = h("button", { type: "button", onclick: () => {
    const used = lanes.map((each) => each.panel.value.preset);
    add({ preset: NEXT.find((each) => !used.includes(each)) });
    note();
  } }, "+ Add a lane");
  const limit = budget({ onChange: note });
  const seed = h("input", { type: "number", min: "0", step: "1", inputmode: "numeric", oninput: note });
  const refusal = h("div", { role: "alert" });
  const start = h("button", { type: "button", class: "primary race-start", onclick: () => begin() }, "Start the race");
  const back = h("button", { type: "button", hidden: true, onclick: () => screen.comeBack() }, "Back to the race");
  const live = track({
    onFacts: () => screen.watch(),
    onEdit: () => { isEditing = true; screen.edit(); },
    onAgain: (chosen = Number(seed.value)) => {
      seed.value = String(chosen ?? randomSeed());
      return begin({ allow_conflicts: true });
    },
    onGone: (message) => { screen.fall(); fill(refusal, h("div", { class: "notice warn" }, message)); },
  });

  const seedField = field("Seed", seed, "The same settings and seed give the same runs.");
  seed.after(dice((drawn) => { seed.value = String(drawn); note(); }));
  seedField.classList.add("race-seed");
  const setup = h("div", { class: "race-setup" },
    h("details", { class: "race-puzzle", open: true }, h("summary", {}, "Puzzle ", puzzleName), puzzle.element),
    h("div", { class: "stack" },
      h("section", { class: "card stack", "aria-label": "Lanes" }, h("h2", {}, "Lanes"), list, h("div", {}, another)),
      h("section", { class: "card stack", "aria-label": "Budget and seed" },
        h("h2", {}, "Budget of every lane"), limit.element, seedField,
        refusal, h("div", { class: "row" }, start, back))));
  fill(main,
    h("h1", {}, "Race"),
    h("p", { class: "lead" }, "The same puzzle, the same seed, equal shares of CPU time: which solves it first?"),
    setup, live.element);

  /** @param {Partial<RecipeChoice>} value */
  function add(value) {
    const lane = laneItem({ onChange: note, onRemove() {
      lanes.splice(lanes.indexOf(lane), 1);
      lane.element.remove();
      renumber();
      note();
      another.focus();
    } });
    lanes.push(lane);
    list.append(lane.element);
    lane.panel.set(value);
    renumber();
  }

  function renumber() {
    lanes.forEach((each, place) => each.number(place, lanes.length <= FEWEST));
    another.disabled = lanes.length >= MOST;
  }

  function showPuzzleName() {
    const { side, name } = puzzle.value();
    puzzleName.textContent = [name, `${side}×${side}`].filter(Boolean).join(" · ");
  }

  /** @type {() => RacePlan} */
  function settings() {
    const { puzzle: text, box, name } = puzzle.value();
    return {
      puzzle: text, box, name, lanes: lanes.map((each) => each.panel.value), until: limit.value(),
      seed: Math.max(0, Math.floor(Number(seed.value) || 0)),
    };
  }

  // The address holds all settings, and the race while it is on show.
  const screen = screens("race", {
    query: (mode) => raceQuery(settings(), mode === "live" ? live.id : ""),
    onTurn: turn,
  });

  // Update the address, but not while it names a race that may still be found on the server.
  function note() {
    if (isReady && !hasLeft && (live.isThere || !live.id)) screen.note();
  }

  /** @param {"setup" | "live"} mode */
  function turn(mode) {
    setup.hidden = mode === "live";
    live.element.hidden = mode !== "live";
    back.hidden = !live.isThere;
    if (isEditing) start.focus({ preventScroll: true });
    isEditing = false;
  }

  /** @type {(more?: { allow_conflicts?: boolean }) => Promise<void>} */
  async function begin(more = {}) {
    fill(refusal);
    start.disabled = true;
    try {
      await live.start({ ...settings(), allow_conflicts: false, ...more });
    } catch (error) {
      if (hasLeft) return;
      if (setup.hidden) screen.edit();
      const startAnyway = more.allow_conflicts ? null : () => { begin({ allow_conflicts: true }); };
      fill(refusal, refusalNotice(error, puzzle.value(), "Race anyway", startAnyway));
    } finally {
      start.disabled = false;
    }
  }

  limit.set(asked.until);
  seed.value = String(asked.seed);
  asked.lanes.forEach(add);
  const { puzzle: text, box, name } = asked;
  if (text) puzzle.set({ puzzle: text, box, name }).catch(() => {});
  showPuzzleName();
  turn("setup");
  isReady = true;
  const id = query.get("race");
  if (id) live.open(id);
  return () => {
    hasLeft = true;
    live.close();
  };
}
