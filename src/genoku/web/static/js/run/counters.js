// How far a run is: its counters and what is left of its budget.

import { h, meter } from "../dom.js";
import { told } from "../recipe/until.js";
import { capital, count, figures, seconds, short } from "../words.js";

export function runCounters() {
  const values = {};
  const names = {};
  const fact = (key, label) => {
    names[key] = h("dt", {}, label);
    values[key] = h("dd", {}, "–");
    return h("div", { class: `counter counts-${key}` }, names[key], values[key]);
  };
  const list = h("dl", { class: "counters" },
    fact("score", "Best so far"), fact("step", "Step"), fact("work", "Evaluations"), fact("speed", "Evaluations/s"),
    fact("time", "Time"), fact("loss", "Loss"));
  const bar = meter("Budget spent");
  const left = h("span", { class: "soft small" });
  const budget = h("div", { class: "budget" }, bar.element, left);
  const element = h("div", {}, list, budget);
  let most = "";

  const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };

  return {
    element,
    setRun({ lanes: [{ step_word: word }], until }) {
      most = told(until);
      put(names.step, capital(word));
    },
    show({ lanes: [look], share, left: rest, phase }) {
      const inPlace = look.moves > look.evaluations;
      put(names.work, inPlace ? "Moves" : "Evaluations");
      put(names.speed, inPlace ? "Moves/s" : "Evaluations/s");
      put(values.score, look.score || "–");
      put(values.step, count(look.step));
      put(values.work, short(inPlace ? look.moves : look.evaluations));
      put(values.speed, phase === "running" || look.speed ? short(look.speed) : "–");
      put(values.time, seconds(look.seconds));
      put(values.loss, figures(look.loss, 3));
      budget.hidden = share === null || phase === "ended";
      if (budget.hidden) return;
      const part = Math.max(0, Math.min(1, share));
      bar.show(part);
      put(left, `${Math.round(100 * part)} % of ${most}${rest === null ? "" : `, ${seconds(rest)} left`}`);
    },
  };
}
