// @ts-check
// One study: how far it is, what it found, and what can be done with it.

import { ApiError, del, get, messageOf, post, statusOf } from "../api.js";
import { confirmFirst } from "../dialog.js";
import { fill, h, markup, toast } from "../dom.js";
import { limitsText } from "../recipe/until.js";
import { plural } from "../words.js";
import { badge, isBusy, poll, progressBar, progressText, runLabel, showNotice } from "./progress.js";

/** @import { Child, Study } from "../types.d.ts" */

const REFRESH = 15000; // milliseconds between two requests for the results of a running study
const FILES = [
  ["csv", "Runs as CSV"], ["jsonl", "Runs as JSON lines"], ["steps", "Every recorded step as CSV"],
  ["toml", "The study as TOML"], ["db", "The store, for genoku study"],
];

// A table; of every row the first cell is a heading, and those of `numbers` are aligned right.
/** @type {(heads: string[], rows: Child[][], numbers?: number[]) => HTMLElement} */
function table(heads, rows, numbers = []) {
  /** @param {number} place */
  const kind = (place) => ({ class: numbers.includes(place) ? "number" : null });
  return h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, heads.map((each, place) => h("th", { scope: "col", ...kind(place) }, each)))),
    h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((each, place) =>
      (place ? h("td", kind(place), each) : h("th", { scope: "row" }, each))))))));
}

/** @type {(study: Study) => Child[]} */
function setup({ size = "", planned, algorithms = [], puzzles = [] }) {
  return [
    h("p", { class: "soft" }, `${size} = ${plural(planned ?? 0, "run")}`),
    h("div", { class: "columns halves" },
      h("div", {}, h("h3", {}, "Algorithms"),
        table(["name", "until"], algorithms.map((each) => [each.name, limitsText(each.until)]))),
      h("div", {}, h("h3", {}, "Puzzles"), table(["name", "size", "givens"],
        puzzles.map((each) => [each.name, `${each.side}×${each.side}`, each.givens]), [1, 2]))),
  ];
}

/** @type {(main: HTMLElement, name: string) => () => void} */
export function studyPage(main, name) {
  const path = /** @type {const} */ (`/api/studies/${encodeURIComponent(name)}`);
  const state = badge();
  const progress = progressBar();
  const title = h("h1", {}, name);
  const line = h("span", {});
  const error = h("div", { role: "alert", hidden: true });
  const announcement = h("div", { class: "unseen", role: "status" });
  const run = h("button", { type: "button", class: "primary", hidden: true, onclick: () => act("run") });
  const stop = h("button", { type: "button", hidden: true, onclick: () => act("stop") }, "Stop");
  const report = h("a", {
    class: "button", href: `${path}/report`, target: "_blank", rel: "noopener", hidden: true,
  }, "Open the report");
  const exports = h("summary", { class: "button" }, "Export");
  const files = h("details", { class: "menu", hidden: true }, exports,
    h("ul", {}, FILES.map(([kind, label]) => h("li", {},
      h("a", { href: `${path}/export/${kind}`, download: "" }, label)))));
  const remove = h("button", { type: "button", class: "danger", onclick: () => removeStudy() }, "Delete");
  const plan = h("details", { class: "card", hidden: true }, h("summary", {}, "Set-up"));
  const failures = h("section", { class: "card stack", hidden: true });
  const results = h("div", { class: "stack", "aria-busy": "false" });
  fill(main, h("p", { class: "small" }, h("a", { href: "#/studies" }, "← All studies")), title,
    h("div", { class: "stack study" },
      h("section", { class: "card stack" },
        h("div", { class: "row spread" }, h("div", { class: "row" }, state.element, line),
          h("span", { class: "soft small mono" }, name)),
        progress.element, error, h("div", { class: "row" }, run, stop, report, files, remove), announcement),
      failures, results, plan));

  let drawn = { done: -1, at: -REFRESH };
  let isDrawing = false;
  let before = "";
  /** @type {Study | null} */
  let latest = null;
  let closed = false;
  let isDeleting = false; // nothing more is requested of it

  /** @param {MouseEvent | KeyboardEvent} event */
  function closeMenu(event) {
    const isKey = event instanceof KeyboardEvent;
    const isOutside = isKey ? event.key === "Escape" : !files.contains(/** @type {Node} */ (event.target));
    if (!files.open || !isOutside) return;
    files.open = false;
    if (isKey) exports.focus();
  }
  document.addEventListener("click", closeMenu);
  document.addEventListener("keydown", closeMenu);

  /** @param {"run" | "stop"} action */
  async function act(action) {
    run.disabled = stop.disabled = true;
    try {
      update(await post(`${path}/${action}`));
    } catch (problem) {
      toast(messageOf(problem), "bad");
    }
    run.disabled = stop.disabled = false;
    polling.now();
  }

  async function removeStudy() {
    const loss = `All runs of ${name} are deleted with it. This cannot be undone.`;
    if (!await confirmFirst("Delete the study?", loss, "Delete it")) return;
    isDeleting = true;
    try {
      await del(path);
      toast(`${name} is deleted`);
      location.hash = "#/studies";
    } catch (problem) {
      isDeleting = false;
      toast(messageOf(problem), "bad");
    }
  }

  /** @param {Study} study */
  function update(study) {
    latest = study;
    title.textContent = study.question || name;
    state.update(study);
    progress.update(study);
    line.textContent = progressText(study);
    showNotice(error, "bad", study.said);
    const busy = isBusy(study);
    run.textContent = runLabel(study);
    run.hidden = busy || !runLabel(study) || study.state === "faulty";
    stop.hidden = !busy || Boolean(study.by);
    report.hidden = !study.done;
    files.hidden = study.planned === null;
    if (study.algorithms && plan.hidden) {
      plan.hidden = false;
      plan.append(h("div", { class: "stack folded" }, setup(study)));
    }
    const failed = study.failures ?? [];
    failures.hidden = !failed.length;
    fill(failures, h("h2", {}, `${plural(study.failed || failed.length, "run")} failed`),
      table(["algorithm", "puzzle", "seed", "message"],
        failed.map((each) => [each.algorithm, each.puzzle, each.seed, each.message]), [2]));
    if (before && before !== study.state && !busy) {
      announcement.textContent = `The study is ${study.state}: ${progressText(study)}`;
    }
    before = study.state;
    if (study.done && study.done !== drawn.done && (!busy || performance.now() - drawn.at > REFRESH)) draw(study);
    if (!study.done) {
      fill(results, h("p", { class: "soft" }, study.state === "running" ? "The first results come in a moment."
        : study.state === "waiting" ? "It waits for its turn." : "There are no results yet."));
    }
  }

  /** @param {Study} study */
  async function draw(study) {
    if (isDrawing || isDeleting) return;
    isDrawing = true;
    results.setAttribute("aria-busy", "true");
    if (drawn.done < 1) fill(results, h("p", { class: "soft" }, "Computing the results…"));
    let { done } = study;
    try {
      const { sections } = await get(`${path}/results`);
      if (closed) return;
      const open = [...results.querySelectorAll("details")].map((each) => each.open);
      fill(results, sections.map((each) => h("section", { class: "card stack found" },
        h("h2", {}, each.title), markup(each.html))));
      [...results.querySelectorAll("details")].forEach((each, place) => { each.open = Boolean(open[place]); });
    } catch (problem) {
      fill(results, h("div", { class: "notice bad", role: "alert" }, messageOf(problem)));
      if (!statusOf(problem)) done = -1; // requested again once the server answers
    }
    drawn = { done, at: performance.now() };
    results.setAttribute("aria-busy", "false");
    isDrawing = false;
    if (!closed && latest && !isBusy(latest) && latest.done !== study.done) draw(latest); // it has ended meanwhile
  }

  const polling = poll(async () => {
    try {
      const study = await get(path);
      if (!closed) update(study);
      return isBusy(study);
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      if (closed) return false;
      if (problem.status === 404) {
        fill(main, h("h1", {}, "No such study"),
          h("p", {}, `${problem.message}. `, h("a", { href: "#/studies" }, "All studies")));
        polling.close();
      } else showNotice(error, "bad", problem.message);
      return false;
    }
  });
  polling.now();
  return () => {
    closed = true;
    polling.close();
    document.removeEventListener("click", closeMenu);
    document.removeEventListener("keydown", closeMenu);
  };
}
