// Race: two to four algorithms on the same puzzle, with equal shares of processor time.

import { field, fill, h } from "../dom.js";
import { puzzlePanel } from "../puzzle/panel.js";
import { mark } from "../race/marks.js";
import { FEWEST, MOST, NEXT, query as queryOf, settings as settingsOf } from "../race/settings.js";
import { track } from "../race/track.js";
import { budget } from "../recipe/budget.js";
import { recipePanel } from "../recipe/panel.js";
import { anySeed, dice } from "../recipe/seed.js";
import { screens } from "../screens.js";
import { clashesOf } from "../symbols.js";
import { sentence } from "../words.js";

function contender({ onChange, onRemove }) {
  const panel = recipePanel({ compact: true, onChange });
  const heading = h("h3", {});
  const remove = h("button", { type: "button", class: "quiet", onclick: () => onRemove(made) }, "Remove");
  const element = h("li", { class: "race-contender" },
    h("div", { class: "row spread" }, heading, remove), panel.element);
  const made = {
    element, panel,
    number(now, alone) {
      fill(heading, mark(now), ` Lane ${now + 1}`);
      remove.setAttribute("aria-label", `Remove lane ${now + 1}`);
      remove.hidden = alone;
    },
  };
  return made;
}

export function show(main, query) {
  const asked = settingsOf(query);
  const contenders = [];
  let ready = false;
  let left = false;
  let isEditing = false; // on the way to the settings by the page's own button

  const puzzle = puzzlePanel({ onChange: () => { says(); note(); } });
  const puzzleSays = h("span", { class: "soft" });
  const list = h("ol", { class: "race-contenders" });
  const another = h("button", { type: "button", onclick: () => {
    const used = contenders.map((each) => each.panel.value.preset);
    add({ preset: NEXT.find((each) => !used.includes(each)) });
    note();
  } }, "+ Add a lane");
  const limit = budget({ onChange: () => note() });
  const seed = h("input", { type: "number", min: "0", step: "1", inputmode: "numeric", oninput: () => note() });
  const refusal = h("div", { role: "alert" });
  const start = h("button", { type: "button", class: "primary race-start", onclick: () => begin() }, "Start the race");
  const back = h("button", { type: "button", hidden: true, onclick: () => screen.comeBack() }, "Back to the race");
  const live = track({
    onFacts: () => screen.watch(),
    onEdit: () => { isEditing = true; screen.edit(); },
    onAgain: (chosen = seed.value) => { seed.value = chosen ?? anySeed(); return begin({ allow_conflicts: true }); },
    onGone: (message) => { screen.fall(); fill(refusal, h("div", { class: "notice warn" }, message)); },
  });

  const seedField = field("Seed", seed, "The same settings and seed give the same runs.");
  seed.after(dice((drawn) => { seed.value = drawn; note(); }));
  seedField.classList.add("race-seed");
  const setup = h("div", { class: "race-setup" },
    h("details", { class: "race-puzzle", open: true }, h("summary", {}, "Puzzle ", puzzleSays), puzzle.element),
    h("div", { class: "stack" },
      h("section", { class: "card stack", "aria-label": "Lanes" }, h("h2", {}, "Lanes"), list, h("div", {}, another)),
      h("section", { class: "card stack", "aria-label": "Budget and seed" },
        h("h2", {}, "Budget of every lane"), limit.element, seedField,
        refusal, h("div", { class: "row" }, start, back))));
  fill(main,
    h("h1", {}, "Race"),
    h("p", { class: "lead" }, "The same puzzle, the same seed, equal shares of processor time: who gets there first?"),
    setup, live.element);

  function add(value) {
    const made = contender({ onChange: () => note(), onRemove: (which) => {
      contenders.splice(contenders.indexOf(which), 1);
      which.element.remove();
      renumber();
      note();
      another.focus();
    } });
    contenders.push(made);
    list.append(made.element);
    made.panel.set(value);
    renumber();
  }

  function renumber() {
    contenders.forEach((each, place) => each.number(place, contenders.length <= FEWEST));
    another.disabled = contenders.length >= MOST;
  }

  function says() {
    const { side, name } = puzzle.value;
    puzzleSays.textContent = [name, `${side}×${side}`].filter(Boolean).join(" · ");
  }

  function settings() {
    const { puzzle: text, box, name } = puzzle.value;
    const lanes = contenders.map((each) => each.panel.value);
    const number = Math.max(0, Math.floor(Number(seed.value) || 0));
    return { puzzle: text, box, name, lanes, until: limit.value, seed: number };
  }

  // The address holds all settings, and the race while it is on show.
  const screen = screens("race", {
    query: (mode) => queryOf(settings(), mode === "live" ? live.id : ""),
    onTurn: turn,
  });

  // As long as it is open whether there is a race, the address that names it stays.
  function note() {
    if (ready && !left && (live.isThere || !live.id)) screen.note();
  }

  function turn(mode) {
    setup.hidden = mode === "live";
    live.element.hidden = mode !== "live";
    back.hidden = !live.isThere;
    if (isEditing) start.focus({ preventScroll: true });
    isEditing = false;
  }

  async function begin(more = {}) {
    fill(refusal);
    start.disabled = true;
    try {
      await live.start({ ...settings(), allow_conflicts: false, ...more });
    } catch (error) {
      if (left) return;
      if (setup.hidden) screen.edit();
      const clash = error.status === 422 && !more.allow_conflicts && clashesOf(puzzle.value).length > 0;
      const still = () => begin({ ...more, allow_conflicts: true });
      fill(refusal, h("div", { class: "notice bad" }, h("p", {}, sentence(error.message)),
        clash ? h("button", { type: "button", onclick: still }, "Race all the same") : null));
    } finally {
      start.disabled = false;
    }
  }

  limit.set(asked.until);
  seed.value = asked.seed;
  asked.lanes.forEach(add);
  const { puzzle: text, box, name } = asked;
  if (text) puzzle.set({ puzzle: text, box, name }).catch(() => {});
  says();
  turn("setup");
  const id = query.get("race");
  ready = true;
  if (id) live.open(id);
  return () => {
    left = true;
    live.close();
  };
}
