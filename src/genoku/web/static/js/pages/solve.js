// @ts-check
// Solve: choose a puzzle, put a recipe together, and watch the run.

import { fill, h } from "../dom.js";
import { hideBanner, refusalNotice, RunSession, showBanner } from "../live.js";
import { lastPuzzle, puzzlePanel } from "../puzzle/panel.js";
import { presetPuzzle } from "../puzzle/preset-puzzle.js";
import { recipePanel } from "../recipe/panel.js";
import { randomSeed, runOptions } from "../recipe/run-options.js";
import { DEFAULT_UNTIL } from "../recipe/until.js";
import { runPanel } from "../run/panel.js";
import { screens } from "../screens.js";
import { fromQuery, START, toQuery } from "../share.js";
import { count, figures } from "../words.js";

/** @import { Curve, Facts, PuzzleText, RecipeFile, RunPlan, Trouble } from "../types.d.ts" */
/** @import { Shared } from "../share.js" */

const PAUSE = 300; // milliseconds after a change before the recipe is checked with the puzzle
const USUAL = "textbook"; // the preset of a visit without a link
// What a newcomer starts: slow enough to watch, with the seed that the preset has too.
const FIRST = { preset: USUAL, seed: 3, speed: 15 };

/** @type {(main: HTMLElement, query: URLSearchParams) => Promise<() => void>} */
export async function show(main, query) {
  const isFirst = !query.size && !lastPuzzle();
  let isReady = false;
  let hasLeft = false;
  /** @type {RunPlan | null} */
  let plan = null; // what the run on show was started with
  let timer = 0;
  let isEditing = false; // on the way to the settings by the page's own button

  const puzzle = puzzlePanel({ onChange: () => onChange(true) });
  const own = presetPuzzle(puzzle);
  const recipe = recipePanel({
    usual: USUAL, below: own.element, context: () => ({ ...puzzleText(), ...options.value }),
    onChange: () => onChange(false), onChoose: own.choose, onRead: takeFile,
  });
  const options = runOptions({ onChange: () => onChange(true) });
  const session = new RunSession({ onFacts, onFrame: (frame) => panel.show(frame), onTrouble });
  const shared = () => ({ ...plan, speed: options.value.speed });
  const panel = runPanel({ session, again, shared, onEdit: edit, onSpeed });

  const start = h("button", { type: "button", class: "primary start", onclick: () => begin() }, "Start");
  const startPaused = h("button", {
    type: "button", title: "Make the first boards and wait, then take one step at a time",
    onclick: () => begin({ paused: true }),
  }, "Start paused");
  const back = h("button", { type: "button", hidden: true, onclick: () => screen.comeBack() }, "Back to the run");
  const refusal = h("div", { role: "alert" });
  const pace = h("p", { class: "soft small", hidden: true });
  const setup = h("div", { class: "setup-page" },
    h("h1", {}, "Solve"), h("p", { class: "lead" }, "Choose a puzzle and a recipe, then watch it evolve."),
    h("div", { class: "setup" }, puzzle.element,
      h("section", { class: "card", "aria-labelledby": "setup-recipe" },
        h("h2", { id: "setup-recipe" }, "Recipe"), recipe.element),
      h("section", { class: "card setup-run", "aria-labelledby": "setup-run" },
        h("h2", { id: "setup-run" }, "Run"), options.element, pace,
        h("div", { class: "start-bar" }, refusal, h("div", { class: "row" }, start, startPaused, back)))));
  fill(main, h("div", { class: "solve" }, setup, panel.element));

  /** @type {() => PuzzleText} */
  function puzzleText() {
    const { puzzle: text, box, name } = puzzle.value();
    return { puzzle: text, box, name };
  }

  const settings = () => ({ ...puzzleText(), ...recipe.value, ...options.value });

  /** @param {boolean} recheck */
  function onChange(recheck) {
    if (!isReady || hasLeft) return;
    fill(refusal);
    if (recipe.value.recipe) {
      own.forget();
      options.suggest(DEFAULT_UNTIL, "The usual limit");
    } else {
      own.update();
      options.suggest(recipe.preset?.until ?? "");
    }
    showPace();
    note();
    if (!recheck) return;
    clearTimeout(timer);
    timer = setTimeout(() => recipe.validate().catch(() => {}), PAUSE);
  }

  function showPace() {
    const { speed } = options.value;
    pace.hidden = speed === null;
    pace.textContent = speed === null ? ""
      : `At most ${figures(speed)} steps a second, so that it can be watched; the speed can be changed while it runs.`;
  }

  // A recipe file may hold the whole run.
  /** @param {RecipeFile} file */
  async function takeFile({ puzzle: text, box, puzzle_name: name, until, seed }) {
    const { value } = options;
    options.set({ ...value, until, seed: seed ?? value.seed });
    if (text) await puzzle.set({ puzzle: text, box, name });
    onChange(true);
  }

  // The address holds all settings, and the run while it is on show. A puzzle that the preset brought is not among
  // them, so that after a reload it still gives way to that of another preset.
  const screen = screens("solve", {
    query(mode) {
      const { puzzle: text, box, name, ...rest } = settings();
      const run = mode === "live" ? `run=${encodeURIComponent(session.id)}` : "";
      const chosen = toQuery(puzzle.source === "preset" ? rest : { puzzle: text, box, name, ...rest });
      return [chosen, run].filter(Boolean).join("&");
    },
    onTurn: turn,
  });

  // Update the address, but not while it names a run that may still be found on the server.
  function note() {
    if (plan || !session.id) screen.note();
  }

  /** @param {"setup" | "live"} mode */
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

  // Start a run; if the server refuses it, the one on show stays.
  /** @param {RunPlan} wanted */
  async function launch(wanted) {
    const before = plan;
    plan = wanted;
    start.disabled = startPaused.disabled = true;
    try {
      await session.start(wanted);
    } catch (error) {
      plan = before;
      throw error;
    } finally {
      start.disabled = startPaused.disabled = false;
    }
  }

  // Start with the settings of the page; a refusal is shown beside the button.
  /** @type {(more?: { paused?: boolean, allow_conflicts?: boolean }) => Promise<void>} */
  async function begin(more = {}) {
    fill(refusal);
    if (awaitsPuzzle) {
      start.disabled = startPaused.disabled = true;
      await settled;
    }
    try {
      await launch({ ...settings(), paused: false, allow_conflicts: false, ...more });
      panel.focus();
      scrollTo(0, 0);
    } catch (error) {
      if (hasLeft) return;
      const startAnyway = more.allow_conflicts ? null : () => { begin({ ...more, allow_conflicts: true }); };
      fill(refusal, refusalNotice(error, puzzle.value(), "Start anyway", startAnyway));
      refusal.scrollIntoView({ block: "nearest" });
    }
  }

  // Start what a link asks for, once all of it is there. The address no longer asks for it then, so that neither a
  // reload nor the way back starts it again.
  async function startAtOnce() {
    await settled;
    if (!await isThere || hasLeft) return;
    screen.note();
    await begin();
  }

  // The same run from the start, with its own seed or a random one.
  /** @param {number | null} seed */
  async function again(seed) {
    const next = { ...(plan ?? settings()), seed: seed ?? randomSeed(), speed: options.value.speed, paused: false };
    await launch(next);
    options.set({ ...options.value, seed: next.seed });
    note();
  }

  /** @param {number | null} speed */
  function onSpeed(speed) {
    options.set({ ...options.value, speed });
    showPace();
    note();
  }

  /** @type {(facts: Facts, curve: Curve | null) => void} */
  function onFacts(facts, curve) {
    if (hasLeft) return;
    const { puzzle: text, box, name } = facts;
    plan ||= { ...settings(), puzzle: text, box, name, allow_conflicts: true };
    screen.watch(); // before it is filled: hidden elements have no size
    panel.setRun(facts, curve);
  }

  /** @param {Trouble | null} trouble */
  function onTrouble(trouble) {
    if (hasLeft) return;
    if (trouble) panel.disable();
    const isLost = trouble?.kind === "gone" && !trouble.resumable;
    if (isLost && !session.facts) { // after a reload: its settings are here
      session.forget();
      hideBanner();
      return screen.fall();
    }
    showBanner(trouble, {
      what: "run",
      at: (step) => ` at ${session.facts?.lanes[0].step_word || "step"} ${count(step)}`,
      onResume: () => session.restore(),
      onRestart: () => {
        hideBanner();
        return plan ? again(plan.seed) : begin();
      },
    });
  }

  turn("setup");
  /** @type {Shared} */
  const value = isFirst ? FIRST : fromQuery(query);
  const { puzzle: text, box, name } = value;
  const isThere = text ? puzzle.set({ puzzle: text, box, name }).then(() => true, () => false) : Promise.resolve(true);
  if (value.preset || value.recipe || value.settings) recipe.set(value);
  options.set(value);
  isReady = true;
  // A link that names a preset and no puzzle means the preset's own.
  const awaitsPuzzle = Boolean(value.preset && !text);
  const settled = recipe.ready.then(() => {
    const { preset } = recipe;
    if (hasLeft) return;
    if (preset && !text && (awaitsPuzzle || own.isShown(preset))) own.bring(preset);
    onChange(false);
  });
  const run = query.get("run");
  if (run) await session.open(run);
  else if (query.has(START)) startAtOnce();
  return () => {
    hasLeft = true;
    clearTimeout(timer);
    hideBanner();
    session.close();
    panel.close();
  };
}
