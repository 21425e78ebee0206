// @ts-check
// A new study: a question, algorithms, puzzles, seeds and a budget, and how many runs they make.

import { get, messageOf, post, statusOf } from "../api.js";
import { field, fill, h } from "../dom.js";
import { recipePanel } from "../recipe/panel.js";
import { budget } from "../recipe/run-options.js";
import { capital, freeName, slug } from "../words.js";
import { gridEditor } from "./grid.js";
import { planSummary } from "./progress.js";
import { puzzleChooser } from "./puzzles.js";

const SOON = 500; // milliseconds after the last change before the runs are counted
const LATER = 1000; // further milliseconds before some runs are tried

/** @type {(preset: string, callbacks: { onChange: () => void, onRemove: () => void }) => Algorithm} */
function algorithmItem(preset, { onChange, onRemove }) {
  const panel = recipePanel({ compact: true, onChange: () => { grid.refresh(); onChange(); } });
  const grid = gridEditor({ recipe: () => panel.value, onChange });
  const remove = h("button", { type: "button", class: "quiet", onclick: onRemove }, "Remove");
  const heading = h("h3", {});
  const element = h("li", { class: "contender stack" },
    h("div", { class: "row spread" }, heading, remove), panel.element, grid.element);
  panel.set({ preset });
  grid.refresh();
  return {
    element,
    number(place, isOnly) {
      heading.textContent = `Algorithm ${place}`;
      remove.setAttribute("aria-label", `Remove algorithm ${place}`);
      remove.disabled = isOnly;
    },
    value() {
      const { preset: name, recipe, settings } = panel.value;
      const base = recipe ? { recipe, name: heading.textContent } : { preset: name };
      return { ...base, settings, grid: grid.value() };
    },
  };
}

/** @typedef {{ element: HTMLElement, number: (place: number, isOnly: boolean) => void, value: () => object }} Algorithm */

// The server counts from 0, the page from 1: "algorithms[0]: …" is "Algorithm 1: …".
/** @type {(problem: string) => string} */
const countFromOne = (problem) => problem.replace(/^(algorithm|puzzle)s\[(\d+)\]/, (_, word, place) =>
  `${capital(word)} ${Number(place) + 1}`);

/** @type {(main: HTMLElement) => () => void} */
export function studyForm(main) {
  let closed = false;
  let timer = 0;
  let visit = 0; // counts up with every change and request, so that late answers can be dropped
  let isNamed = false; // by the person, not after the question
  /** @type {Algorithm[]} */
  const algorithms = [];

  const question = h("input", {
    type: "text", maxlength: "500", placeholder: "Does rank selection need less work than tournaments?",
    oninput: () => { if (!isNamed) name.value = slug(question.value); },
  });
  const name = h("input", {
    type: "text", maxlength: "60", class: "mono", spellcheck: "false", pattern: "[A-Za-z0-9_][A-Za-z0-9_\\-]*",
    oninput: () => { isNamed = name.value !== ""; },
  });
  const list = h("ol", { class: "contenders" });
  const first = h("input", { type: "number", min: "0", max: "1000000000", value: "0", oninput: onChange });
  const count = h("input", { type: "number", min: "1", max: "100000", value: "20", oninput: onChange });
  const limit = budget({ own: true, wall: true, onChange });
  limit.set("cpu_seconds=1");
  const plan = h("div", { "aria-live": "polite" });
  const refusal = h("div", { role: "alert" });
  const puzzles = puzzleChooser({ onChange });
  const createAndRun = h("button", { type: "button", class: "primary", onclick: () => create(true) }, "Create and run");
  const createOnly = h("button", { type: "button", onclick: () => create(false) }, "Create only");

  /** @param {string} preset */
  function add(preset) {
    const item = algorithmItem(preset, { onChange, onRemove() {
      algorithms.splice(algorithms.indexOf(item), 1);
      item.element.remove();
      renumber();
      onChange();
    } });
    algorithms.push(item);
    list.append(item.element);
    renumber();
    onChange();
  }

  const renumber = () => algorithms.forEach((each, place) => each.number(place + 1, algorithms.length === 1));

  const body = () => ({
    question: question.value.trim(),
    algorithms: algorithms.map((each) => each.value()),
    puzzles: puzzles.value(),
    seeds: { first: Number(first.value), count: Number(count.value) },
    until: limit.value(),
  });

  // Count the runs after a pause, then try a few to estimate how long all of them take.
  function onChange() {
    if (closed) return;
    fill(refusal);
    visit += 1;
    clearTimeout(timer);
    timer = setTimeout(() => ask(false), SOON);
  }

  // What is missing, as far as the page itself can tell.
  function missing() {
    if (!puzzles.value().length) return "Choose at least one puzzle.";
    if (!count.value || !count.validity.valid) return "Number of seeds: a whole number from 1 to 100,000.";
    return first.value && first.validity.valid ? "" : "First seed: a whole number, 0 or more.";
  }

  /** @type {(place: HTMLElement, message: string) => void} */
  const refuse = (place, message) => fill(place, h("div", { class: "notice bad" }, countFromOne(message)));

  /** @param {boolean} pilot */
  async function ask(pilot) {
    const now = ++visit;
    if (missing()) return refuse(plan, missing());
    if (pilot) plan.append(h("p", { class: "soft small" }, "Trying some short runs to estimate the time…"));
    try {
      const found = await post("/api/studies/plan", { ...body(), pilot });
      if (closed || now !== visit) return;
      if (!found.ok) return refuse(plan, found.problem);
      fill(plan, planSummary(found));
      if (!pilot) timer = setTimeout(() => ask(true), LATER);
    } catch (error) {
      if (!closed && now === visit) refuse(plan, messageOf(error));
    }
  }

  /** @param {boolean} run */
  async function create(run) {
    fill(refusal);
    if (missing()) return refuse(plan, missing());
    if (!name.validity.valid) {
      name.focus();
      return refuse(refusal, "Name: letters, digits, - and _, not beginning with -.");
    }
    createAndRun.disabled = createOnly.disabled = true;
    try {
      if (!isNamed) {
        const taken = (await get("/api/studies")).map((each) => each.name);
        name.value = freeName(question.value, new Set(taken));
      }
      const made = await post("/api/studies", { ...body(), name: name.value.trim(), run });
      if (!closed) location.hash = `#/studies/${encodeURIComponent(made.name)}`;
    } catch (error) {
      refuse(refusal, messageOf(error));
      if (statusOf(error) === 409) name.focus();
    }
    createAndRun.disabled = createOnly.disabled = false;
  }

  /** @type {(title: string, help: string, ...inside: HTMLElement[]) => HTMLElement} */
  const card = (title, help, ...inside) => h("section", { class: "card stack" },
    h("div", {}, h("h2", {}, title), help ? h("p", { class: "soft small" }, help) : null), inside);
  const another = h("button", { type: "button", onclick: () => add("annealing") }, "+ Add an algorithm");
  fill(main,
    h("p", { class: "small" }, h("a", { href: "#/studies" }, "← All studies")),
    h("h1", {}, "New study"),
    h("p", { class: "lead" }, "Every algorithm on every puzzle with every seed."),
    h("div", { class: "study-form" },
      h("div", { class: "stack" },
        card("Question", "", field("What do you want to know?", question),
          field("Name", name, "Letters, digits, - and _. Used as the file name.")),
        card("Algorithms", "", list, h("div", {}, another)),
        card("Puzzles", "", puzzles.element),
        card("Seeds and budget", "Every run ends when its puzzle is solved or its budget is spent.",
          h("div", { class: "seeds" }, field("Number of seeds", count), field("First seed", first)), limit.element)),
      h("aside", { class: "card stack plan", "aria-label": "Plan" },
        h("h2", {}, "Plan"), plan, refusal, h("div", { class: "row" }, createAndRun, createOnly))));
  add("champion");
  add("sundy");
  return () => {
    closed = true;
    clearTimeout(timer);
  };
}
