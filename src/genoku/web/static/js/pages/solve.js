// The page on which a puzzle is chosen, a recipe put together, and the run watched.

import { showBanner } from "../banner.js";
import { fill, h } from "../dom.js";
import { kept, puzzlePanel } from "../puzzle/panel.js";
import { recipePanel } from "../recipe/panel.js";
import { runOptions } from "../recipe/run-options.js";
import { anySeed } from "../recipe/seed.js";
import { UNTIL } from "../recipe/until.js";
import { runPanel } from "../run/panel.js";
import { RunSession } from "../run/session.js";
import { screens } from "../screens.js";
import { fromQuery, toQuery } from "../share.js";
import { clashesOf } from "../symbols.js";
import { count, sentence } from "../words.js";

const PAUSE = 300; // milliseconds after a change before the recipe is held against the puzzle
// What a newcomer starts: a report's algorithm, slow enough to be watched, with a seed that gets there.
const FIRST = { preset: "sundy", seed: 2, speed: 15 };

export async function show(main, query) {
  const isFirst = !query.size && !kept();
  let ready = false;
  let left = false;
  let plan = null; // what the run on show was started with
  let timer = 0;
  let isEditing = false; // on the way to the settings by the page's own button

  const puzzle = puzzlePanel({ onChange: () => changed(true) });
  const recipe = recipePanel({
    onChange: () => changed(false), context: () => ({ ...asked(), ...options.value }), onRead: taken,
  });
  const options = runOptions({ onChange: () => changed(true) });
  const session = new RunSession({ onFacts, onFrame: (frame) => panel.show(frame), onTrouble });
  const shared = () => ({ ...plan, speed: options.value.speed });
  const panel = runPanel({ session, again, shared, onEdit: edit, onSpeed });

  const start = h("button", { type: "button", class: "primary start", onclick: () => begin() }, "Start");
  const paused = h("button", {
    type: "button", title: "Make the first boards and wait: then one step at a time",
    onclick: () => begin({ paused: true }),
  }, "Start paused");
  const back = h("button", { type: "button", hidden: true, onclick: () => screen.comeBack() }, "Back to the run");
  const refusal = h("div", { role: "alert" });
  const setup = h("div", { class: "setup-page" },
    h("h1", {}, "Solve"), h("p", { class: "lead" }, "Choose a puzzle and a recipe, then watch evolution happen."),
    h("div", { class: "setup" }, puzzle.element,
      h("section", { class: "card", "aria-labelledby": "setup-recipe" },
        h("h2", { id: "setup-recipe" }, "Recipe"), recipe.element),
      h("section", { class: "card setup-run", "aria-labelledby": "setup-run" },
        h("h2", { id: "setup-run" }, "Run"), options.element,
        h("div", { class: "start-bar" }, refusal, h("div", { class: "row" }, start, paused, back)))));
  fill(main, h("div", { class: "solve" }, setup, panel.element));

  function asked() {
    const { puzzle: text, box, name } = puzzle.value;
    return { puzzle: text, box, name };
  }

  const settings = () => ({ ...asked(), ...recipe.value, ...options.value });

  function changed(recheck) {
    if (!ready || left) return;
    fill(refusal);
    if (recipe.value.recipe) options.suggest(UNTIL, "The usual limit");
    else options.suggest(recipe.preset?.until ?? "");
    note();
    if (!recheck) return;
    clearTimeout(timer);
    timer = setTimeout(() => recipe.validate().catch(() => {}), PAUSE);
  }

  // A file of a recipe may hold the whole run.
  async function taken({ puzzle: text, box, puzzle_name: name, until, seed }) {
    const { value } = options;
    options.set({ ...value, until, seed: seed ?? value.seed });
    if (text) await puzzle.set({ puzzle: text, box, name });
    changed(true);
  }

  // The address holds all settings, and the run while it is on show.
  const screen = screens("solve", {
    query(mode) {
      const run = mode === "live" ? `run=${encodeURIComponent(session.id)}` : "";
      return [toQuery(settings()), run].filter(Boolean).join("&");
    },
    onTurn: turn,
  });

  // After a reload, the address that names a run stays until the run is on show or known to be gone.
  function note() {
    if (plan || !session.id) screen.note();
  }

  function turn(mode) {
    back.hidden = !session.facts;
    setup.hidden = mode === "live";
    panel.element.hidden = mode !== "live";
    if (isEditing) start.focus();
    isEditing = false;
  }

  function edit() {
    isEditing = true;
    screen.edit();
  }

  // A run is on only once the server has said yes: a refusal changes nothing.
  async function launch(wanted) {
    const before = plan;
    plan = wanted;
    for (const button of [start, paused]) button.disabled = true;
    try {
      await session.start(wanted);
    } catch (error) {
      plan = before;
      throw error;
    } finally {
      for (const button of [start, paused]) button.disabled = false;
    }
  }

  // Start with the settings of the page; what the server says against it stands beside the button.
  async function begin(more = {}) {
    fill(refusal);
    try {
      await launch({ ...settings(), paused: false, allow_conflicts: false, ...more });
      panel.focus();
      scrollTo(0, 0);
    } catch (error) {
      if (left) return;
      const clash = error.status === 422 && !more.allow_conflicts && clashesOf(puzzle.value).length > 0;
      const anyway = () => begin({ ...more, allow_conflicts: true });
      fill(refusal, h("div", { class: "notice bad" }, h("p", {}, sentence(error.message)),
        clash && h("button", { type: "button", onclick: anyway }, "Start all the same")));
      refusal.scrollIntoView({ block: "nearest" });
    }
  }

  // The same run from the start, with its own seed or another.
  async function again(seed) {
    const next = { ...plan, seed: seed ?? anySeed(), speed: options.value.speed, paused: false };
    await launch(next);
    options.set({ ...options.value, seed: next.seed });
    note();
  }

  function onSpeed(speed) {
    options.set({ ...options.value, speed });
    note();
  }

  function onFacts(facts, curve) {
    if (left) return;
    plan ||= { ...settings(), allow_conflicts: true };
    screen.watch(); // before it is filled: what is out of sight has no size
    panel.setRun(facts, curve);
  }

  function onTrouble(trouble) {
    if (left) return;
    if (trouble) panel.halt();
    const isLost = trouble?.kind === "gone" && !trouble.resumable;
    if (!isLost || session.facts) return offer(trouble);
    session.forget(); // after a reload: its settings are here
    offer(null);
    screen.fall();
  }

  // Say what is the matter with a run, and what can be done.
  function offer(trouble) {
    const refused = (error) => offer({ kind: "refused", message: error.message, resumable: true });
    showBanner(trouble, {
      what: "run",
      at: (step) => ` at ${session.facts?.lanes[0].step_word || "step"} ${count(step)}`,
      onResume: () => session.restore().catch(refused),
      onAgain: () => {
        showBanner(null);
        if (!plan) return begin();
        return again(plan.seed).catch(refused);
      },
    });
  }

  turn("setup");
  const value = isFirst ? FIRST : fromQuery(query);
  if (value.puzzle) puzzle.set(value).catch(() => {});
  if (value.preset || value.recipe || value.settings) recipe.set(value);
  options.set(value);
  ready = true;
  recipe.ready.then(() => changed(false));
  const run = query.get("run");
  if (run) await session.open(run);
  return () => {
    left = true;
    clearTimeout(timer);
    showBanner(null);
    session.close();
    panel.close();
  };
}
