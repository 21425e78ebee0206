// A new study: a question, algorithms, puzzles, seeds and a budget, with a plan of what they come to.

import { get, post } from "../api.js";
import { field, fill, h } from "../dom.js";
import { budget } from "../recipe/budget.js";
import { recipePanel } from "../recipe/panel.js";
import { capital } from "../words.js";
import { gridEditor } from "./grid.js";
import { freeName, slug } from "./names.js";
import { planned } from "./progress.js";
import { puzzleChooser } from "./puzzles.js";

const SOON = 500; // milliseconds of rest after which a plan is counted
const LATER = 1000; // more of it after which some runs are tried

function contender(preset, { onChange, onRemove }) {
  const panel = recipePanel({ compact: true, onChange: () => { grid.refresh(); onChange(); } });
  const grid = gridEditor({ recipe: () => panel.value, onChange });
  const remove = h("button", { type: "button", class: "quiet", onclick: () => onRemove(made) }, "Remove");
  const heading = h("h3", {});
  const element = h("li", { class: "contender stack" },
    h("div", { class: "row spread" }, heading, remove), panel.element, grid.element);
  const made = {
    element,
    number(place, alone) {
      heading.textContent = `Algorithm ${place}`;
      remove.setAttribute("aria-label", `Remove algorithm ${place}`);
      remove.disabled = alone;
    },
    get value() {
      const { preset: name, recipe, settings } = panel.value;
      const base = recipe ? { recipe, name: heading.textContent } : { preset: name };
      return { ...base, settings, grid: grid.value };
    },
  };
  panel.set({ preset, recipe: null, settings: {} });
  grid.refresh();
  return made;
}

// The laboratory counts from 0, people do from 1: "algorithms[0]: …" is "Algorithm 1: …".
const counted = (problem) => problem.replace(/^(algorithm|puzzle)s\[(\d+)\]/, (_, word, place) =>
  `${capital(word)} ${Number(place) + 1}`);

export function studyForm(main) {
  let closed = false;
  let timer = 0;
  let asked = 0;
  let named = false;
  const contenders = [];

  const question = h("input", {
    type: "text", maxlength: "500", placeholder: "Does rank selection need less work than tournaments?",
    oninput: () => { if (!named) name.value = slug(question.value); },
  });
  const name = h("input", {
    type: "text", maxlength: "60", class: "mono", spellcheck: "false", pattern: "[A-Za-z0-9_][A-Za-z0-9_\\-]*",
    oninput: () => { named = name.value !== ""; },
  });
  const list = h("ol", { class: "contenders" });
  const first = h("input", { type: "number", min: "0", max: "1000000000", value: "0", oninput: changed });
  const count = h("input", { type: "number", min: "1", max: "100000", value: "20", oninput: changed });
  const limit = budget({ own: true, wall: true, onChange: changed });
  limit.set("cpu_seconds=1");
  const plan = h("div", { "aria-live": "polite" });
  const refusal = h("div", { role: "alert" });
  const puzzles = puzzleChooser({ onChange: changed });
  const begin = h("button", { type: "button", class: "primary", onclick: () => create(true) }, "Create and run");
  const keep = h("button", { type: "button", onclick: () => create(false) }, "Create only");

  function add(preset) {
    const made = contender(preset, { onChange: changed, onRemove: (which) => {
      contenders.splice(contenders.indexOf(which), 1);
      which.element.remove();
      renumber();
      changed();
    } });
    contenders.push(made);
    list.append(made.element);
    renumber();
    changed();
  }

  const renumber = () => contenders.forEach((each, place) => each.number(place + 1, contenders.length === 1));

  const body = () => ({
    question: question.value.trim(),
    algorithms: contenders.map((each) => each.value),
    puzzles: puzzles.value,
    seeds: { first: Number(first.value), count: Number(count.value) },
    until: limit.value,
  });

  // Count after a moment of rest, then try a few runs to say how long all of them take.
  function changed() {
    if (closed) return;
    fill(refusal);
    asked += 1; // what is still on its way answers another question
    clearTimeout(timer);
    timer = setTimeout(() => ask(false), SOON);
  }

  // What can be told without asking.
  function missing() {
    if (!puzzles.value.length) return "Choose a puzzle, or more.";
    if (!count.value || !count.validity.valid) return "How many seeds? A whole number from 1 to 100,000.";
    return first.value && first.validity.valid ? "" : "First seed: a whole number, 0 or more.";
  }

  function stay(message) {
    fill(refusal, h("div", { class: "notice bad" }, counted(message)));
  }

  function refuse(message) {
    fill(plan, h("div", { class: "notice bad" }, counted(message)));
  }

  async function ask(pilot) {
    const now = ++asked;
    if (missing()) return refuse(missing());
    if (pilot) plan.append(h("p", { class: "soft small" }, "Trying some short runs to say how long it takes …"));
    try {
      const found = await post("/api/studies/plan", { ...body(), pilot });
      if (closed || now !== asked) return;
      if (!found.ok) return refuse(found.problem);
      fill(plan, planned(found));
      if (!pilot) timer = setTimeout(() => ask(true), LATER);
    } catch (error) {
      if (!closed && now === asked) refuse(error.message);
    }
  }

  async function create(run) {
    fill(refusal);
    if (missing()) return refuse(missing());
    if (!name.validity.valid) {
      name.focus();
      return stay("Name: letters, digits, - and _, not beginning with -.");
    }
    begin.disabled = keep.disabled = true;
    try {
      if (!named) {
        const taken = (await get("/api/studies")).map((each) => each.name);
        name.value = freeName(question.value, new Set(taken));
      }
      const made = await post("/api/studies", { ...body(), name: name.value.trim(), run });
      if (!closed) location.hash = `#/studies/${encodeURIComponent(made.name)}`;
    } catch (error) {
      stay(error.message);
      if (error.status === 409) name.focus();
    }
    begin.disabled = keep.disabled = false;
  }

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
          field("Name", name, "letters, digits, - and _: its files are called so")),
        card("Algorithms", "", list, h("div", {}, another)),
        card("Puzzles", "", puzzles.element),
        card("Seeds and budget", "Every run ends when its puzzle is solved, or with its budget.",
          h("div", { class: "seeds" }, field("How many seeds", count), field("First seed", first)), limit.element)),
      h("aside", { class: "card stack plan", "aria-label": "Plan" },
        h("h2", {}, "Plan"), plan, refusal, h("div", { class: "row" }, begin, keep))));
  add("champion");
  add("sundy");
  return () => {
    closed = true;
    clearTimeout(timer);
  };
}
