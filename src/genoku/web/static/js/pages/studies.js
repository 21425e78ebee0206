// @ts-check
// Studies: the list of all, one of them, or a new one.

import { ApiError, get } from "../api.js";
import { fill, h } from "../dom.js";
import { studyForm } from "../studies/form.js";
import { age, badge, isBusy, poll, progressBar, progressText, showNotice } from "../studies/progress.js";
import { studyPage } from "../studies/study.js";

/** @import { Study } from "../types.d.ts" */

/** @type {(main: HTMLElement, query: URLSearchParams, rest: string[]) => () => void} */
export function show(main, query, [name]) {
  if (name) return studyPage(main, name);
  return query.has("new") ? studyForm(main) : studyList(main);
}

/** @param {string} name */
function studyRow(name) {
  const state = badge();
  const progress = progressBar();
  const link = h("a", { class: "study-title", href: `#/studies/${encodeURIComponent(name)}` });
  const about = h("span", { class: "soft small mono" });
  const line = h("span", { class: "soft small" });
  const error = h("div", { class: "notice bad small", hidden: true });
  const element = h("li", { class: "card study-row" },
    h("div", { class: "row spread" }, h("div", { class: "study-name" }, link, about), state.element),
    progress.element, line, error);
  return {
    element,
    /** @param {Study} study */
    update(study) {
      link.textContent = study.question || study.name;
      const facts = [study.question ? study.name : "", study.modified ? age(study.modified) : ""];
      about.textContent = facts.filter(Boolean).join(" · ");
      state.update(study);
      progress.update(study);
      progress.element.hidden = line.hidden = study.state === "faulty";
      line.textContent = progressText(study);
      showNotice(error, "bad small", study.said);
    },
  };
}

function welcome() {
  return h("div", { class: "card stack study-welcome" },
    h("h2", {}, "No studies yet"),
    h("p", {}, "One run says little: the next seed may give another result. A study runs every algorithm on ",
      "every puzzle with many seeds, and says what can be concluded from it, with intervals and tests."),
    h("div", { class: "row" },
      h("a", { class: "button primary", href: "#/studies?new=1" }, "New study"),
      h("a", { class: "button", href: "#/race" }, "Start with a race")));
}

/** @param {HTMLElement} main */
function studyList(main) {
  /** @type {Map<string, ReturnType<typeof studyRow>>} */
  const rows = new Map();
  const trouble = h("div", { role: "alert", hidden: true });
  const list = h("ul", { class: "study-list" });
  const empty = h("div", { hidden: true });
  fill(main,
    h("div", { class: "row spread page-head" },
      h("div", {}, h("h1", {}, "Studies"),
        h("p", { class: "lead" }, "Many seeded runs, and what can be concluded from them.")),
      h("a", { class: "button primary", href: "#/studies?new=1" }, "New study")),
    trouble, empty, list);

  const polling = poll(async () => {
    try {
      const studies = await get("/api/studies");
      const names = new Set(studies.map((each) => each.name));
      for (const name of [...rows.keys()]) if (!names.has(name)) rows.delete(name);
      const elements = studies.map((study) => {
        const row = rows.get(study.name) ?? studyRow(study.name);
        rows.set(study.name, row);
        row.update(study);
        return row.element;
      });
      const isSame = elements.length === list.children.length;
      if (!isSame || elements.some((each, place) => list.children[place] !== each)) fill(list, elements);
      empty.hidden = studies.length > 0;
      if (!studies.length && !empty.firstChild) fill(empty, welcome());
      showNotice(trouble, "bad", "");
      return studies.some(isBusy);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      showNotice(trouble, "bad", error.message);
      return false;
    }
  });
  polling.now();
  return () => polling.close();
}
