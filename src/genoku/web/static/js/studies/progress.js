// @ts-check
// How far a study is: its state, a progress bar, and a line of numbers.

import { fill, h, meter } from "../dom.js";
import { count, plural, seconds } from "../words.js";

/** @import { Child, Study, StudyPlan } from "../types.d.ts" */

const [QUICK, SLOW] = [1000, 6000]; // milliseconds between two requests
const STATES = {
  running: ["Running", "live"], waiting: ["Waiting", "warn"], stopping: ["Stopping", "warn"], stopped: ["Stopped", ""],
  done: ["Done", "good"], faulty: ["Faulty", "bad"],
};

/** @type {(study: Study) => boolean} */
export const isBusy = (study) => ["running", "waiting", "stopping"].includes(study.state);

// The label of the button that runs a study; "" if there is nothing left to run.
/** @type {(study: Study) => string} */
export function runLabel(study) {
  if (study.state === "done") return study.failed ? "Retry the failed runs" : "";
  return study.done || study.failed ? "Resume" : "Run";
}

export function badge() {
  const element = h("span", { class: "badge" });
  return {
    element,
    /** @param {Study} study */
    update(study) {
      const isNew = study.state === "stopped" && !study.done && !study.failed;
      const [label, kind] = STATES[study.state];
      element.className = `badge ${kind}`;
      element.textContent = isNew ? "Not started" : label;
    },
  };
}

export function progressBar() {
  const { element, show } = meter("Progress");
  return {
    element,
    /** @param {Study} study */
    update(study) {
      show(study.planned ? Math.min(1, study.done / study.planned) : 0);
      element.firstElementChild?.classList.toggle("good", study.state === "done");
      element.setAttribute("aria-label", `Progress of ${study.name}`);
      element.setAttribute("aria-valuetext", progressText(study));
    },
  };
}

// "41 of 90 runs · 22 solved · 12 s left"
/** @type {(study: Study) => string} */
export function progressText(study) {
  if (study.planned === null) return "runs are counted when it starts";
  const parts = [`${count(study.done)} of ${plural(study.planned, "run")}`];
  if (study.done) parts.push(`${count(study.solved)} solved`);
  if (study.failed) parts.push(`${count(study.failed)} failed`);
  if (study.state === "running" && study.left !== null && study.left > 0) parts.push(`${seconds(study.left)} left`);
  if (study.state === "waiting") parts.push("starts when another study has ended");
  if (study.by) parts.push(`${study.by} is running it`);
  return parts.join(" · ");
}

// How many runs a planned study has, and how long they are expected to take.
/** @type {(plan: StudyPlan) => Child[]} */
export function planSummary({ planned, size, puzzles, estimate }) {
  /** @type {Child[]} */
  const lines = [h("p", { class: "plan-size" }, h("strong", {}, plural(planned, "run")), ` = ${size}`)];
  for (const { name, conflicts } of puzzles) {
    if (!conflicts.length) continue;
    lines.push(h("div", { class: "notice warn small" }, `No board can solve ${name}: ${conflicts.join(" ")}`));
  }
  for (const failure of estimate?.failures ?? []) {
    lines.push(h("div", { class: "notice warn small" }, `A trial run failed: ${failure}`));
  }
  if (!estimate?.seconds) return lines;
  const { about, most } = estimate.seconds;
  const cores = estimate.cores === 1 ? "one core" : `${estimate.cores} cores`;
  const atMost = most === null ? ", or more" : most > 1.2 * about ? `, at most ${seconds(most)}` : "";
  const basis = `estimated from ${plural(estimate.pilots, "short run")}`;
  lines.push(h("p", {}, `It takes about ${seconds(about)}${atMost} on ${cores}, ${basis}.`));
  return lines;
}

// "3 minutes ago", from the server's clock in seconds.
/** @type {(modified: number, now?: number) => string} */
export function age(modified, now = Date.now() / 1000) {
  const passed = Math.max(0, now - modified);
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
  for (const [unit, size] of units) if (passed >= size) return words.format(-Math.floor(passed / size), unit);
  return "just now";
}

// Ask repeatedly: often while something changes (`ask` resolves to true), rarely otherwise, never while the page is
// hidden.
/** @param {() => Promise<boolean>} ask */
export function poll(ask) {
  let closed = false;
  let timer = 0;
  async function now() {
    clearTimeout(timer);
    const changes = !document.hidden && await ask();
    if (!closed) timer = setTimeout(now, changes ? QUICK : SLOW);
  }
  const onVisibility = () => {
    if (!document.hidden && !closed) now();
  };
  document.addEventListener("visibilitychange", onVisibility);
  return {
    now,
    close() {
      closed = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisibility);
    },
  };
}

/** @type {(element: HTMLElement, kind: string, text: string) => void} */
export function showNotice(element, kind, text) {
  element.className = `notice ${kind}`;
  element.hidden = !text;
  fill(element, text);
}
