// Which algorithm shall run: a preset, and any change to it. Used by the solve, race and study pages.
//
// recipePanel({ onChange, onRead, compact, context }) →
//   { element, value: { preset, recipe | null, settings }, preset, set(value), validate(), ready }
// `context()` may give { puzzle, box, name, until, seed }, which are checked along with it and stand in its file;
// `onRead(read)` is told what an imported file says besides the recipe. `preset` are the facts of the
// chosen one (its `until` and `puzzle`), null until they are there; `ready` settles then.

import { post, whenBack } from "../api.js";
import { fill, h, toast } from "../dom.js";
import { capital } from "../words.js";
import { load, summary } from "./catalogue.js";
import { explained, Form } from "./form.js";
import { trail } from "./labels.js";
import { presetChooser, whole } from "./presets.js";
import { tomlView } from "./toml.js";

const PAUSE = 250; // ms after a change before it is checked
const DEFAULT = "champion";

export function recipePanel({ onChange, onRead = null, compact = false, context = () => ({}) }) {
  const element = h("div", { class: `recipe ${compact ? "recipe-compact" : "stack"}` },
    h("p", { class: "soft" }, "Reading the catalogue …"));
  const asked = { preset: DEFAULT, recipe: null, settings: {} };
  let parts = null; // what is on the page, once the catalogue is there
  let preset = null;
  let file = ""; // the name of an imported recipe
  let base = null;
  let answer = null;
  let choice = 0;
  let turn = 0;
  let timer = 0;

  const value = () => ({ preset: asked.preset, recipe: asked.recipe, settings: { ...asked.settings } });

  function changed(now) {
    asked.settings = parts.catalogue.difference(base, now);
    told();
    later();
    onChange(value());
  }

  function told() {
    const count = Object.keys(asked.settings).length;
    parts.resetAll.disabled = !count;
    const words = count ? `Changed: ${summary(asked.settings)}` : "As it comes.";
    for (const line of parts.changes) line.textContent = words;
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(() => validate().catch(() => {}), PAUSE);
  }

  // Ask the server whether this can run; an answer that a change has overtaken is dropped.
  async function validate() {
    clearTimeout(timer);
    const now = ++turn;
    const { puzzle = null, box = null, name = "", until = "", seed = 0 } = context();
    let checked;
    try {
      checked = await post("/api/recipes/check", { ...value(), puzzle, box, name, until, seed });
    } catch (error) {
      const problem = { message: error.message, path: "", alternatives: [] };
      checked = { ok: false, recipe: null, toml: "", name: asked.preset, until, problem };
    }
    if (now !== turn) return checked;
    answer = checked;
    explain();
    return answer;
  }

  function explain() {
    if (!parts) return;
    const { problem, toml } = answer;
    const isElsewhere = problem && (problem.path === "until" || problem.path === "puzzle");
    parts.form.explain(isElsewhere ? null : problem);
    parts.toml.show(toml, problem);
    const at = problem && parts.form.has(problem.path) ? problem.path : "";
    parts.whole.hidden = !problem || isElsewhere;
    parts.bad.hidden = parts.whole.hidden;
    if (!problem) fill(parts.whole);
    else if (at) {
      fill(parts.whole, h("span", {}, `This cannot run yet: see ${trail(at)}. `),
        h("button", { type: "button", class: "small", onclick: () => parts.form.focus(at) }, "Go there"));
    } else {
      fill(parts.whole, explained(problem, "", (path, replacement) => {
        parts.form.replace(path === "use" ? "" : path, replacement);
      }));
    }
  }

  // Show what was asked for: the recipe that it starts from, and what is changed in it.
  function show() {
    base = parts.catalogue.whole("algorithm", asked.recipe ?? preset.recipe);
    const now = parts.catalogue.applied(base, asked.settings);
    parts.chooser.show(preset, asked.recipe ? file || "a recipe of your own" : "");
    parts.form.show(base, now);
    told();
    later();
  }

  // Take another preset or variant; one that is not there leaves what was, and says so.
  async function choose(name, settings = {}, recipe = null) {
    const now = ++choice;
    let found = parts.presets.find((each) => each.name === name);
    try {
      found ??= await whole(name);
    } catch (error) {
      toast(capital(error.message), "bad");
      if (now !== choice) return;
      if (!base) return choose(DEFAULT);
      parts.chooser.show(preset, asked.recipe ? file : "");
      return;
    }
    if (now !== choice) return;
    preset = found;
    Object.assign(asked, { preset: found.name, recipe, settings });
    show();
    onChange(value());
  }

  async function imported(text, name) {
    try {
      const read = await post("/api/recipes/read", { text });
      file = name;
      await choose(asked.preset, {}, read.recipe);
      await onRead?.(read);
      toast(onRead ? `${name} was read.` : `The recipe of ${name} was read.`);
    } catch (error) {
      toast(`${name}: ${error.message}`, "bad");
    }
  }

  async function begin() {
    const { catalogue, presets } = await load();
    const form = new Form(catalogue, { onChange: changed });
    const chooser = presetChooser(presets, { onChoose: choose, compact });
    parts = {
      catalogue, presets, form, chooser,
      changes: [h("p", { class: "changes small" })],
      resetAll: h("button", { type: "button", class: "small", onclick: () => {
        asked.settings = {};
        show();
        onChange(value());
      } }, "Reset all"),
      whole: h("div", { class: "notice bad small", role: "status", hidden: true }),
      bad: h("span", { class: "badge bad", hidden: true }, "cannot run yet"),
      toml: tomlView({ onImport: imported }),
    };
    const bar = h("div", { class: "row spread changes-bar" }, parts.changes, parts.resetAll);
    const operators = h("details", { class: "operators", open: matchMedia("(min-width: 48rem)").matches },
      h("summary", {}, "Operators and parameters"));
    if (compact) small(bar);
    else {
      operators.append(form.element);
      fill(element, chooser.element, bar, parts.whole, operators, parts.toml.element);
    }
    preset = presets.find((each) => each.name === DEFAULT);
    await choose(asked.preset, asked.settings, asked.recipe);
  }

  // The form in a dialog, for a race lane.
  function small(bar) {
    const title = h("h2", {}, "Operators and parameters");
    const done = h("button", { type: "button", class: "primary", onclick: () => dialog.close() }, "Done");
    const dialog = h("dialog", { class: "recipe recipe-dialog", "aria-label": "Operators and parameters" },
      h("div", { class: "stack" }, h("div", { class: "row spread" }, title, done), parts.chooser.more, bar, parts.whole,
        parts.form.element, parts.toml.element));
    const line = h("p", { class: "changes small" });
    parts.changes.push(line);
    const change = h("button", { type: "button", class: "small", onclick: () => dialog.showModal() },
      "Change …", h("span", { class: "unseen" }, " operators and parameters"));
    fill(element, parts.chooser.element,
      h("div", { class: "row spread" }, line, h("span", { class: "row" }, parts.bad, change)), dialog);
  }

  // Read the catalogue; while there is no server, as soon as there is one again.
  async function opened() {
    try {
      await begin();
    } catch (error) {
      fill(element,
        h("div", { class: "notice bad", role: "alert" }, `The catalogue could not be read: ${error.message}`));
      if (error.status !== 0) return;
      await whenBack();
      await opened();
    }
  }
  const ready = opened();

  return {
    element, ready, validate,
    get value() { return value(); },
    get preset() { return preset; },
    set({ preset: name = DEFAULT, recipe = null, settings = {} }) {
      if (parts && preset) return choose(name || DEFAULT, settings, recipe);
      Object.assign(asked, { preset: name || DEFAULT, recipe, settings });
      return ready;
    },
  };
}
