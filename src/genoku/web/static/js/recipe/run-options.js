// @ts-check
// When a run ends, and its seed: the fields of the solve page, and the budget of races and studies.

import { post } from "../api.js";
import { field, fill, h } from "../dom.js";
import { formatLimits, limitsText, onlyLimit, parseLimits, KINDS } from "./until.js";

/** @import { RunOptions } from "../types.d.ts" */
/** @import { Limit } from "./until.js" */

const PAUSE = 250; // milliseconds after a change before it is checked
/** @type {Record<string, number>} */
const AMOUNTS = { cpu_seconds: 5, seconds: 5, generations: 200, evaluations: 100000, moves: 1000000 };
/** @type {Record<string, number>} */
const FIRST_LIMITS = { seconds: 10, stagnation: 100, cost: 0 };
/** @type {Record<string, string>} */
const NAMES = { cpu_seconds: "seconds of CPU time", seconds: "seconds by the clock" };

export const randomSeed = () => Math.floor(Math.random() * 1_000_000);

// A button that draws another seed: dice((seed) => { input.value = seed; })
/** @param {(seed: number) => void} onDraw */
export function dice(onDraw) {
  const words = "Random seed";
  return h("button", { type: "button", "aria-label": words, title: words, onclick: () => onDraw(randomSeed()) }, "⚄");
}

// A limit as a number and its kind, or limits as text. `own` also offers the own limits of every preset, `wall` seconds
// by the clock.
/** @param {{ own?: boolean, wall?: boolean, onChange: () => void }} options */
export function budget({ own = false, wall = false, onChange }) {
  const offered = Object.keys(AMOUNTS).filter((word) => wall || word !== "seconds");
  const amount = h("input", { type: "number", min: "0", step: "any", inputmode: "decimal", oninput: onChange });
  const words = h("input", {
    type: "text", maxlength: "500", spellcheck: "false", placeholder: "generations=500 or cpu_seconds=10",
    oninput: onChange,
  });
  const kind = h("select", { onchange: () => { turn(); onChange(); } },
    offered.map((word) => h("option", { value: word }, NAMES[word] || word)),
    own ? h("option", { value: "own" }, "the preset's own limits") : null,
    h("option", { value: "words" }, "limits as text…"));
  const amountField = field("Stop after", amount);
  const wordsField = field("Limits", words, "Joined by “and” and “or”, as in genoku solve --until.");
  const element = h("div", { class: "limit-fields" }, amountField, field("Kind of limit", kind), wordsField);
  let before = "cpu_seconds";

  function turn() {
    if (kind.value in AMOUNTS && kind.value !== before) amount.value = String(AMOUNTS[kind.value]);
    before = kind.value;
    amountField.hidden = !(kind.value in AMOUNTS);
    wordsField.hidden = kind.value !== "words";
  }

  /** @param {string} until */
  function set(until) {
    const limit = onlyLimit(until);
    if (limit && offered.includes(limit.word)) {
      before = kind.value = limit.word;
      amount.value = String(limit.number);
    } else if (own && !until) kind.value = "own";
    else {
      kind.value = "words";
      words.value = until;
    }
    turn();
  }

  set(own ? "" : "cpu_seconds=5");
  return {
    element,
    set,
    value() {
      if (kind.value === "own") return "";
      return kind.value === "words" ? words.value.trim() : `${kind.value}=${amount.value || 0}`;
    },
  };
}

let groups = 0;

// The limits and the seed of a run. An empty `until` means the limits of the preset or the recipe, which the page sets
// by `suggest`. The speed belongs to the run panel; it is only kept here, for links.
/** @param {{ onChange: () => void }} options */
export function runOptions({ onChange }) {
  /** @type {RunOptions} */
  const value = { until: "", seed: 0, speed: null };
  let suggested = "";
  let owner = "The preset's own";
  let visit = 0;
  let timer = 0;

  const name = `until-${++groups}`;
  const own = h("span", {});
  const asPreset = h("input", { type: "radio", name, checked: true });
  const asChosen = h("input", { type: "radio", name });
  const rows = h("div", { class: "limits" });
  const text = h("input", { type: "text", spellcheck: "false", autocomplete: "off", maxlength: "500" });
  const textDetails = h("details", { class: "until-text" }, h("summary", {}, "As text"),
    field("Limits", text, "Joined by “and” and “or”: generations=500 or seconds=10 and stagnation=50"));
  const message = h("div", { class: "trouble", role: "status", id: `${name}-trouble`, hidden: true });
  const editor = h("div", { class: "until-editor", hidden: true }, rows, textDetails, message);
  const seed = h("input", {
    type: "number", min: "0", step: "1", inputmode: "numeric", autocomplete: "off", value: "0",
  });

  /** @param {string} problem */
  function explain(problem) {
    message.hidden = !problem;
    fill(message, problem ? h("p", {}, problem) : null);
    if (problem) {
      text.setAttribute("aria-invalid", "true");
      text.setAttribute("aria-errormessage", message.id);
      textDetails.open = true;
    } else {
      text.removeAttribute("aria-invalid");
      text.removeAttribute("aria-errormessage");
    }
  }

  // The server reads what is more than limits joined by "or", and says what it does not understand.
  function check() {
    clearTimeout(timer);
    const now = ++visit;
    if (parseLimits(value.until) !== null) return explain("");
    timer = setTimeout(async () => {
      let problem = "";
      try {
        const answer = await post("/api/recipes/check", { preset: "exact", until: value.until });
        problem = answer.problem?.path === "until" ? answer.problem.message : "";
      } catch { /* reported when the run is started */ }
      if (now === visit) explain(problem);
    }, PAUSE);
  }

  /** @type {(until: string, options?: { typed?: boolean }) => void} */
  function change(until, { typed = false } = {}) {
    value.until = until;
    if (!typed) text.value = until;
    check();
    onChange();
  }

  /** @type {(list: Limit[], i: number) => HTMLElement} */
  function row(list, i) {
    const { word, number } = list[i];
    const count = h("input", {
      type: "number", min: "0", step: "any", value: String(number), "aria-label": `Limit ${i + 1}, number`,
    });
    const kind = h("select", { "aria-label": `Limit ${i + 1}, kind` },
      Object.entries(KINDS).map(([key, label]) => h("option", { value: key }, label)));
    kind.value = word;
    const update = () => {
      list[i] = { word: kind.value, number: Math.max(0, Number(count.value) || 0) };
      change(formatLimits(list));
    };
    count.addEventListener("input", update);
    kind.addEventListener("change", update);
    const remove = h("button", {
      type: "button", class: "quiet small", "aria-label": `Remove limit ${i + 1}`,
      onclick: () => {
        list.splice(i, 1);
        change(formatLimits(list));
        draw();
        rows.querySelector("input")?.focus();
      },
    }, "✕");
    return h("div", { class: "limit" }, h("span", { class: "soft small" }, i ? "or" : "after"),
      count, kind, list.length > 1 ? remove : null);
  }

  function draw() {
    const list = parseLimits(value.until);
    rows.hidden = list === null;
    if (list === null) {
      textDetails.open = true;
      return;
    }
    const add = h("button", { type: "button", class: "small", onclick: () => {
      const unused = Object.keys(KINDS).find((word) => !list.some((each) => each.word === word)) ?? "seconds";
      list.push({ word: unused, number: FIRST_LIMITS[unused] ?? 1000 });
      change(formatLimits(list));
      draw();
      /** @type {HTMLElement | null} */ (rows.querySelector(".limit:nth-last-of-type(1) input"))?.focus();
    } }, list.length ? "Add a limit" : "Set a limit");
    fill(rows, list.map((_, i) => row(list, i)), add);
  }

  function show() {
    const isOwn = value.until === "";
    asPreset.checked = isOwn;
    asChosen.checked = !isOwn;
    editor.hidden = isOwn;
    own.textContent = suggested ? `${owner}: ${limitsText(suggested)}` : owner;
    text.value = value.until;
    seed.value = String(value.seed);
    draw();
  }

  asPreset.addEventListener("change", () => {
    change("");
    show();
  });
  asChosen.addEventListener("change", () => {
    change(suggested || "seconds=10");
    show();
  });
  text.addEventListener("input", () => {
    change(text.value, { typed: true });
    draw();
  });
  seed.addEventListener("input", () => {
    const number = Number(seed.value);
    const isValid = seed.value !== "" && Number.isSafeInteger(number) && number >= 0;
    if (isValid) seed.removeAttribute("aria-invalid");
    else seed.setAttribute("aria-invalid", "true");
    if (!isValid) return;
    value.seed = number;
    onChange();
  });
  seed.addEventListener("blur", () => {
    seed.value = String(value.seed);
    seed.removeAttribute("aria-invalid");
  });
  const seedField = field("Seed", seed, "The same recipe, puzzle and seed give the same run.");
  seed.after(dice((drawn) => {
    value.seed = drawn;
    seed.value = String(drawn);
    onChange();
  }));
  seedField.classList.add("seed");
  const element = h("div", { class: "run-options stack" },
    h("fieldset", { class: "until" }, h("legend", {}, "Ends when solved, or after"),
      h("label", { class: "choice" }, asPreset, own),
      h("label", { class: "choice" }, asChosen, h("span", {}, "My own limits")), editor),
    seedField);
  show();

  return {
    element,
    get value() { return { ...value }; },
    /** @param {Partial<RunOptions>} options */
    set({ until = "", seed: chosen = 0, speed = null }) {
      Object.assign(value, { until, seed: chosen, speed });
      show();
      check();
    },
    suggest(/** @type {string} */ until, whose = "The preset's own") {
      if (until === suggested && whose === owner) return;
      [suggested, owner] = [until, whose];
      show();
    },
  };
}
