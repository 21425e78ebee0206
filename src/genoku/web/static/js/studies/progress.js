// How far a study is: a word, a bar, and a line of numbers.

import { fill, h, meter } from "../dom.js";
import { count, plural, seconds } from "../words.js";

const [QUICK, SLOW] = [1000, 6000]; // milliseconds between two questions
const KINDS = { running: "live", waiting: "warn", stopping: "warn", stopped: "", done: "good", faulty: "bad" };
const WORDS = {
  running: "Running", waiting: "Waiting", stopping: "Stopping", stopped: "Stopped", done: "Done", faulty: "Faulty",
};

export const isBusy = (study) => ["running", "waiting", "stopping"].includes(study.state);

// What a person may do next is called by what is left to do.
export function verb(study) {
  if (study.state === "done") return study.failed ? "Try the failed runs again" : "";
  return study.done || study.failed ? "Resume" : "Run";
}

export function badge() {
  const element = h("span", { class: "badge" });
  return {
    element,
    update(study) {
      const isNew = study.state === "stopped" && !study.done && !study.failed;
      element.className = `badge ${KINDS[study.state]}`;
      element.textContent = isNew ? "Not begun" : WORDS[study.state];
    },
  };
}

export function bar() {
  const { element, show } = meter("Progress");
  return {
    element,
    update(study) {
      show(study.planned ? Math.min(1, study.done / study.planned) : 0);
      element.firstChild.classList.toggle("good", study.state === "done");
      element.setAttribute("aria-label", `Progress of ${study.name}`);
      element.setAttribute("aria-valuetext", line(study));
    },
  };
}

// "41 of 90 runs · 22 solved · 12 s to go"
export function line(study) {
  if (study.planned === null) return "counted when it is run";
  const told = [`${count(study.done)} of ${plural(study.planned, "run")}`];
  if (study.done) told.push(`${count(study.solved)} solved`);
  if (study.failed) told.push(`${count(study.failed)} failed`);
  if (study.state === "running" && study.left !== null && study.left > 0) told.push(`${seconds(study.left)} to go`);
  if (study.state === "waiting") told.push("begins when another study has ended");
  if (study.by) told.push(`${study.by} is running it`);
  return told.join(" · ");
}

// What a study that is not begun yet comes to, as `POST /api/studies/plan` tells it.
export function planned({ planned: runs, size, estimate }) {
  const said = [h("p", { class: "plan-size" }, h("strong", {}, plural(runs, "run")), ` = ${size}`)];
  if (!estimate) return said;
  for (const failure of estimate.failures) {
    said.push(h("div", { class: "notice warn small" }, `A run that was tried failed: ${failure}`));
  }
  if (!estimate.seconds) return said;
  const { about, most } = estimate.seconds;
  const cores = estimate.cores === 1 ? "one core" : `${estimate.cores} cores`;
  const atMost = most === null ? ", or more" : most > 1.2 * about ? `, at most ${seconds(most)}` : "";
  const judged = `judged by ${plural(estimate.pilots, "short run")}`;
  said.push(h("p", {}, `It takes about ${seconds(about)}${atMost} on ${cores}, ${judged}.`));
  return said;
}

// "3 minutes ago", from the server's clock in seconds.
export function ago(modified) {
  const passed = Math.max(0, Date.now() / 1000 - modified);
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (passed >= size) return words.format(-Math.floor(passed / size), unit);
  }
  return "just now";
}

// Ask again and again: quickly while something moves, seldom otherwise, never while nobody looks.
export function polling(ask) {
  let closed = false;
  let timer = 0;
  async function turn() {
    clearTimeout(timer);
    let moves = false;
    if (!document.hidden) moves = await ask();
    if (!closed) timer = setTimeout(turn, moves ? QUICK : SLOW);
  }
  const seen = () => {
    if (!document.hidden && !closed) turn();
  };
  document.addEventListener("visibilitychange", seen);
  return {
    now: turn,
    close() {
      closed = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    },
  };
}

export const notice = (element, kind, text) => {
  element.className = `notice ${kind}`;
  element.hidden = !text;
  fill(element, text || "");
};
