// @ts-check
// Which algorithm runs: a preset, and any change to it. Used by the solve, race and study pages.

import { messageOf, post, statusOf, untilServerIsBack } from "../api.js";
import { fill, h, toast } from "../dom.js";
import { capital } from "../words.js";
import { load, summary } from "./catalogue.js";
import { explanation, Form } from "./form.js";
import { pathLabel } from "./labels.js";
import { presetChooser, presetDetails } from "./presets.js";
import { tomlView } from "./toml.js";

/** @import { CheckedRecipe, Preset, PuzzleText, RecipeChoice, RecipeFile, RecipeTable, RunOptions, Settings } from "../types.d.ts" */
/** @import { Catalogue } from "./catalogue.js" */

const PAUSE = 250; // milliseconds after a change before it is checked
const USUAL = "champion";

/**
 * @typedef {object} View what is on the page once the catalogue is there
 * @property {Catalogue} catalogue
 * @property {Preset[]} presets
 * @property {Form} form
 * @property {ReturnType<typeof presetChooser>} chooser
 * @property {HTMLElement[]} changes lines that say what is changed
 * @property {HTMLButtonElement} resetAll
 * @property {HTMLElement} problem
 * @property {HTMLElement} badge
 * @property {ReturnType<typeof tomlView>} toml
 */

/**
 * @param {object} options
 * @param {() => void} options.onChange
 * @param {(preset: Preset) => void} [options.onChoose] a person has chosen a preset
 * @param {(file: RecipeFile) => unknown} [options.onRead] is called with all that an imported file holds
 * @param {string} [options.usual] the preset that is chosen unless another one is
 * @param {HTMLElement | null} [options.below] is put below the menu of presets
 * @param {boolean} [options.compact] shows the form in a dialog
 * @param {() => Partial<PuzzleText & RunOptions>} [options.context] is checked along with the recipe, and part of its file
 */
export function recipePanel({
  onChange, onChoose, onRead, usual = USUAL, below = null, compact = false, context = () => ({}),
}) {
  const element = h("div", { class: `recipe ${compact ? "recipe-compact" : "stack"}` },
    h("p", { class: "soft" }, "Reading the catalogue…"));
  /** @type {RecipeChoice} */
  const chosen = { preset: usual, recipe: null, settings: {} };
  /** @type {View | null} */
  let view = null;
  /** @type {Preset | null} */
  let preset = null;
  let file = ""; // the name of an imported recipe
  /** @type {RecipeTable} */
  let base = {};
  let choice = 0;
  let visit = 0;
  let timer = 0;

  const value = () => ({ ...chosen, settings: { ...chosen.settings } });

  /** @type {(view: View) => void} */
  function showChanges({ resetAll, changes }) {
    const count = Object.keys(chosen.settings).length;
    resetAll.disabled = !count;
    const words = count ? `Changed: ${summary(chosen.settings)}` : "Preset unchanged";
    for (const line of changes) line.textContent = words;
  }

  function checkLater() {
    clearTimeout(timer);
    timer = setTimeout(() => validate().catch(() => {}), PAUSE);
  }

  // Ask the server whether this can run; an answer that comes after another change is dropped.
  async function validate() {
    clearTimeout(timer);
    const now = ++visit;
    const { puzzle = null, box = null, name = "", until = "", seed = 0 } = context();
    /** @type {Pick<CheckedRecipe, "toml" | "problem">} */
    let checked;
    try {
      checked = await post("/api/recipes/check", { ...value(), puzzle, box, name, until, seed });
    } catch (error) {
      checked = { toml: "", problem: { message: messageOf(error), path: "", alternatives: [] } };
    }
    if (now === visit && view) explain(view, checked);
  }

  /** @type {(view: View, checked: Pick<CheckedRecipe, "toml" | "problem">) => void} */
  function explain({ form, toml, problem: notice, badge }, { problem, toml: text }) {
    const isElsewhere = problem && (problem.path === "until" || problem.path === "puzzle");
    form.explain(isElsewhere ? null : problem);
    toml.show(text, problem !== null);
    notice.hidden = badge.hidden = !problem || isElsewhere === true;
    if (!problem) fill(notice);
    else if (form.has(problem.path)) {
      fill(notice, h("span", {}, `This cannot run yet: see ${pathLabel(problem.path)}. `),
        h("button", { type: "button", class: "small", onclick: () => form.focus(problem.path) }, "Go there"));
    } else {
      fill(notice, explanation(problem, "", (path, replacement) => {
        form.replace(path === "use" ? "" : path, replacement);
      }));
    }
  }

  // Show what was chosen: the recipe it starts from, and what is changed in it.
  /** @type {(view: View, preset: Preset) => void} */
  function show({ catalogue, chooser, form }, { recipe }) {
    base = catalogue.complete("algorithm", chosen.recipe ?? recipe);
    showChooser(chooser);
    form.show(base, catalogue.apply(base, chosen.settings));
    if (view) showChanges(view);
    checkLater();
  }

  /** @param {ReturnType<typeof presetChooser>} chooser */
  function showChooser(chooser) {
    if (preset) chooser.show(preset, chosen.recipe ? file || "a recipe of your own" : "");
  }

  // Choose a preset or variant; resolves to whether it was chosen. If it does not exist, a message says so and the
  // choice stays as it was.
  /** @type {(view: View, name: string, settings?: Settings, recipe?: RecipeTable | null) => Promise<boolean>} */
  async function choose(to, name, settings = {}, recipe = null) {
    const now = ++choice;
    let found;
    try {
      found = to.presets.find((each) => each.name === name) ?? await presetDetails(name);
    } catch (error) {
      toast(capital(messageOf(error)), "bad");
      if (now !== choice) return false;
      if (!preset && name !== usual) return choose(to, usual);
      showChooser(to.chooser);
      return false;
    }
    if (now !== choice) return false;
    preset = found;
    Object.assign(chosen, { preset: found.name, recipe, settings });
    show(to, found);
    onChange();
    return true;
  }

  /** @type {(view: View, text: string, name: string) => Promise<void>} */
  async function importFile(to, text, name) {
    try {
      const read = await post("/api/recipes/read", { text });
      file = name;
      await choose(to, chosen.preset, {}, read.recipe);
      await onRead?.(read);
      toast(onRead ? `${name} was read.` : `The recipe of ${name} was read.`);
    } catch (error) {
      toast(`${name}: ${messageOf(error)}`, "bad");
    }
  }

  async function begin() {
    const { catalogue, presets } = await load();
    const form = new Form(catalogue, (recipe) => {
      chosen.settings = catalogue.difference(base, recipe);
      showChanges(made);
      checkLater();
      onChange();
    });
    const chooser = presetChooser(presets, {
      onChoose: async (name) => { if (await choose(made, name) && preset) onChoose?.(preset); }, compact, below,
    });
    const resetAll = h("button", { type: "button", class: "small", onclick: () => {
      chosen.settings = {};
      if (preset) show(made, preset);
      onChange();
    } }, "Reset all");
    /** @type {View} */
    const made = {
      catalogue, presets, form, chooser, resetAll,
      changes: [h("p", { class: "changes small" })],
      problem: h("div", { class: "notice bad small", role: "status", hidden: true }),
      badge: h("span", { class: "badge bad", hidden: true }, "cannot run yet"),
      toml: tomlView({ onImport: (text, name) => { importFile(made, text, name); } }),
    };
    view = made;
    const bar = h("div", { class: "row spread changes-bar" }, made.changes, resetAll);
    if (compact) showInDialog(made, bar);
    else {
      fill(element, chooser.element, bar, made.problem,
        h("details", { class: "operators", open: matchMedia("(min-width: 48rem)").matches },
          h("summary", {}, "Operators and parameters"), form.element),
        made.toml.element);
    }
    await choose(made, chosen.preset, chosen.settings, chosen.recipe);
  }

  // The form in a dialog, for a lane of a race or an algorithm of a study.
  /** @type {(view: View, bar: HTMLElement) => void} */
  function showInDialog({ chooser, changes, problem, form, toml, badge }, bar) {
    const title = h("h2", {}, "Operators and parameters");
    const done = h("button", { type: "button", class: "primary", onclick: () => { dialog.close(); } }, "Done");
    const dialog = h("dialog", { class: "recipe recipe-dialog", "aria-label": "Operators and parameters" },
      h("div", { class: "stack" }, h("div", { class: "row spread" }, title, done), chooser.more, bar, problem,
        form.element, toml.element));
    const line = h("p", { class: "changes small" });
    changes.push(line);
    const change = h("button", { type: "button", class: "small", onclick: () => dialog.showModal() },
      "Change…", h("span", { class: "unseen" }, " operators and parameters"));
    fill(element, chooser.element,
      h("div", { class: "row spread" }, line, h("span", { class: "row" }, badge, change)), dialog);
  }

  // Read the catalogue; without a server, wait until there is one.
  /** @type {() => Promise<void>} */
  async function open() {
    try {
      await begin();
    } catch (error) {
      fill(element,
        h("div", { class: "notice bad", role: "alert" }, `The catalogue could not be read: ${messageOf(error)}`));
      if (statusOf(error) !== 0) return;
      await untilServerIsBack();
      await open();
    }
  }
  const ready = open();

  return {
    element,
    ready, // resolves once the catalogue is there
    validate,
    get value() { return value(); },
    get preset() { return preset; }, // null until the catalogue is there
    /** @type {(choice: Partial<RecipeChoice>) => Promise<unknown>} */
    set({ preset: name = usual, recipe = null, settings = {} }) {
      if (view) return choose(view, name || usual, settings, recipe);
      Object.assign(chosen, { preset: name || usual, recipe, settings });
      return ready;
    },
  };
}
