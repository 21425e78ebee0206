// All studies, each with how far it is.

import { ApiError, get } from "../api.js";
import { fill, h } from "../dom.js";
import { ago, badge, bar, isBusy, line, notice, polling } from "./progress.js";

function row(name) {
  const state = badge();
  const progress = bar();
  const link = h("a", { class: "study-title", href: `#/studies/${encodeURIComponent(name)}` });
  const about = h("span", { class: "soft small mono" });
  const told = h("span", { class: "soft small" });
  const said = h("div", { class: "notice bad small", hidden: true });
  const element = h("li", { class: "card study-row" },
    h("div", { class: "row spread" }, h("div", { class: "study-name" }, link, about), state.element),
    progress.element, told, said);
  return {
    element,
    update(study) {
      link.textContent = study.question || study.name;
      const facts = [study.question ? study.name : "", study.modified ? ago(study.modified) : ""];
      about.textContent = facts.filter(Boolean).join(" · ");
      state.update(study);
      progress.update(study);
      progress.element.hidden = told.hidden = study.state === "faulty";
      told.textContent = line(study);
      notice(said, "bad small", study.said);
    },
  };
}

function welcome() {
  return h("div", { class: "card stack study-welcome" },
    h("h2", {}, "No studies yet"),
    h("p", {}, "One run says little: the next seed may tell another story. A study runs every algorithm on ",
      "every puzzle with many seeds, and says what can be concluded from it, with intervals and tests."),
    h("div", { class: "row" },
      h("a", { class: "button primary", href: "#/studies?new=1" }, "Make a study"),
      h("a", { class: "button", href: "#/race" }, "Start with a race")));
}

export function studyList(main) {
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

  const poll = polling(async () => {
    try {
      const studies = await get("/api/studies");
      const names = new Set(studies.map((each) => each.name));
      for (const name of [...rows.keys()]) if (!names.has(name)) rows.delete(name);
      for (const study of studies) {
        if (!rows.has(study.name)) rows.set(study.name, row(study.name));
        rows.get(study.name).update(study);
      }
      const wanted = studies.map((each) => rows.get(each.name).element);
      const same = wanted.length === list.children.length;
      if (!same || wanted.some((each, place) => list.children[place] !== each)) fill(list, wanted);
      empty.hidden = studies.length > 0;
      if (!studies.length && !empty.firstChild) fill(empty, welcome());
      notice(trouble, "bad", "");
      return studies.some(isBusy);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      notice(trouble, "bad", error.message);
      return false;
    }
  });
  poll.now();
  return () => poll.close();
}
