// How long a run may take, and its seed.
//
// runOptions({ onChange }) → { element, value: { until, seed, speed }, set(value), suggest(until, whose) }
// An empty `until` is the preset's or the recipe's own, which the page tells by `suggest`. The speed is the run panel's;
// it is only kept here, for links.

import { post } from "../api.js";
import { field, fill, h } from "../dom.js";
import { dice } from "./seed.js";
import { limits, told, WORDS, written } from "./until.js";

const PAUSE = 250;

let groups = 0;

export function runOptions({ onChange }) {
  const value = { until: "", seed: 0, speed: null };
  let usual = "";
  let owner = "The preset's own";
  let turn = 0;
  let timer = 0;

  const name = `until-${++groups}`;
  const own = h("span", {});
  const asPreset = h("input", { type: "radio", name, checked: true });
  const asWished = h("input", { type: "radio", name });
  const rows = h("div", { class: "limits" });
  const text = h("input", { type: "text", spellcheck: "false", autocomplete: "off", maxlength: "500" });
  const message = h("div", { class: "trouble", role: "status", id: `${name}-trouble`, hidden: true });
  const editor = h("div", { class: "until-editor", hidden: true }, rows,
    h("details", { class: "until-text" }, h("summary", {}, "As text"),
      field("Limits", text, "joined by or and and, such as: generations=500 or seconds=10 and stagnation=50")),
    message);
  const seed = h("input", {
    type: "number", min: "0", step: "1", inputmode: "numeric", autocomplete: "off", value: "0",
  });

  const tell = () => onChange({ ...value });

  function explain(said) {
    message.hidden = !said;
    fill(message, said ? h("p", {}, said) : null);
    if (said) {
      text.setAttribute("aria-invalid", "true");
      text.setAttribute("aria-errormessage", message.id);
      text.closest("details").open = true;
    } else {
      text.removeAttribute("aria-invalid");
      text.removeAttribute("aria-errormessage");
    }
  }

  // The server reads what is more than limits joined by "or", and says what it does not understand.
  function check() {
    clearTimeout(timer);
    const now = ++turn;
    if (limits(value.until) !== null) return explain("");
    timer = setTimeout(async () => {
      let said = "";
      try {
        const answer = await post("/api/recipes/check", { preset: "exact", until: value.until });
        said = answer.problem?.path === "until" ? answer.problem.message : "";
      } catch { /* said when the run is started */ }
      if (now === turn) explain(said);
    }, PAUSE);
  }

  function changed(until, { typed = false } = {}) {
    value.until = until;
    if (!typed) text.value = until;
    check();
    tell();
  }

  function row(list, i) {
    const { word, number } = list[i];
    const count = h("input", {
      type: "number", min: "0", step: "any", value: String(number), "aria-label": `Limit ${i + 1}, how many`,
    });
    const unit = h("select", { "aria-label": `Limit ${i + 1}, of what` },
      Object.entries(WORDS).map(([key, label]) => h("option", { value: key }, label)));
    unit.value = word;
    const update = () => {
      list[i] = { word: unit.value, number: Math.max(0, Number(count.value) || 0) };
      changed(written(list));
    };
    count.addEventListener("input", update);
    unit.addEventListener("change", update);
    const out = h("button", {
      type: "button", class: "quiet small", "aria-label": `Take out limit ${i + 1}`,
      onclick: () => {
        list.splice(i, 1);
        changed(written(list));
        draw();
        rows.querySelector("input")?.focus();
      },
    }, "✕");
    return h("div", { class: "limit" }, h("span", { class: "soft small" }, i ? "or" : "after"),
      count, unit, list.length > 1 ? out : null);
  }

  function draw() {
    const list = limits(value.until);
    rows.hidden = list === null;
    if (list === null) {
      text.closest("details").open = true;
      return;
    }
    const add = h("button", { type: "button", class: "small", onclick: () => {
      const unused = Object.keys(WORDS).find((word) => !list.some((each) => each.word === word)) ?? "seconds";
      list.push({ word: unused, number: { seconds: 10, stagnation: 100, cost: 0 }[unused] ?? 1000 });
      changed(written(list));
      draw();
      rows.querySelector(".limit:nth-last-of-type(1) input")?.focus();
    } }, list.length ? "Add a limit" : "Set a limit");
    fill(rows, list.map((_, i) => row(list, i)), add);
  }

  function show() {
    const isOwn = value.until === "";
    asPreset.checked = isOwn;
    asWished.checked = !isOwn;
    editor.hidden = isOwn;
    own.textContent = usual ? `${owner}: ${told(usual)}` : owner;
    text.value = value.until;
    seed.value = String(value.seed);
    draw();
  }

  asPreset.addEventListener("change", () => {
    changed("");
    show();
  });
  asWished.addEventListener("change", () => {
    changed(usual || "seconds=10");
    show();
  });
  text.addEventListener("input", () => {
    changed(text.value, { typed: true });
    draw();
  });
  seed.addEventListener("input", () => {
    const number = Number(seed.value);
    const isGood = seed.value !== "" && Number.isSafeInteger(number) && number >= 0;
    if (isGood) seed.removeAttribute("aria-invalid");
    else seed.setAttribute("aria-invalid", "true");
    if (!isGood) return;
    value.seed = number;
    tell();
  });
  seed.addEventListener("blur", () => {
    seed.value = String(value.seed);
    seed.removeAttribute("aria-invalid");
  });
  const seeded = field("Seed", seed, "The same recipe, puzzle and seed give the same run.");
  seed.after(dice((drawn) => {
    value.seed = drawn;
    seed.value = String(drawn);
    tell();
  }));
  seeded.classList.add("seed");
  const element = h("div", { class: "run-options stack" },
    h("fieldset", { class: "until" }, h("legend", {}, "Ends when solved, or after"),
      h("label", { class: "choice" }, asPreset, own),
      h("label", { class: "choice" }, asWished, h("span", {}, "My own limits")), editor),
    seeded);
  show();

  return {
    element,
    get value() { return { ...value }; },
    set({ until = "", seed: chosen = 0, speed = null }) {
      Object.assign(value, { until, seed: chosen, speed });
      show();
      check();
    },
    suggest(until, whose = "The preset's own") {
      if (until === usual && whose === owner) return;
      [usual, owner] = [until, whose];
      show();
    },
  };
}
