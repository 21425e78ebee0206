// The course of a run in two charts: the cost of its population, and how various and how restless it is.

import { Chart } from "../chart.js";
import { h } from "../dom.js";
import { capital } from "../words.js";

const EVERY = 120; // milliseconds between two drawings: a curve need not move with every frame

export function runCharts() {
  const [top, low] = [h("canvas"), h("canvas")];
  const log = h("input", { type: "checkbox", onchange: () => rescale() });
  const second = h("h3", {}, "Diversity and rate");
  const below = h("div", {}, second, h("div", { class: "chart-box low" }, low));
  const element = h("section", { class: "card run-charts", "aria-label": "Charts of the run" },
    h("div", { class: "row spread" }, h("h2", {}, "Convergence"),
      h("label", { class: "small soft row" }, log, "logarithmic")),
    h("div", { class: "chart-box" }, top), below);
  let drawn = 0;
  let waiting = 0;
  let alone = false; // a board by itself

  const cost = new Chart(top, {
    title: "Cost of the best, mean and worst board",
    series: [
      { key: "worst", label: "worst", colour: "--line-3", width: 1.25 },
      { key: "mean", label: "mean", colour: "--line-2" },
      { key: "best", label: "best", colour: "--line-1", width: 2.25 },
    ],
  });
  const pace = new Chart(low, {
    title: "Diversity and rate",
    series: [
      { key: "diversity", label: "diversity", colour: "--line-4", sparse: true },
      { key: "rate", label: "rate", colour: "--line-2", axis: "right" },
    ],
  });
  const charts = [cost, pace];

  function rescale() {
    cost.logValues = log.checked;
    for (const chart of charts) {
      chart.log = log.checked;
      chart.draw();
    }
  }

  function draw() {
    clearTimeout(waiting);
    waiting = 0;
    drawn = performance.now();
    for (const chart of charts) chart.draw();
  }

  // Which of the two there is anything to say about; a rate alone has the left axis to itself.
  function head({ rate }) {
    const known = [!alone && "Diversity", rate !== null && pace.series[1].label].filter(Boolean);
    below.hidden = known.length === 0;
    if (known.length) second.textContent = capital(known.join(" and "));
    pace.series[1].axis = alone ? "left" : "right";
  }

  return {
    element,
    setRun(facts, curve) {
      const [lane] = facts.lanes;
      alone = lane.population === 1;
      const word = lane.step_word;
      cost.name({
        word, title: alone ? "Cost of the current board" : "Cost of the best, mean and worst board",
        labels: { best: alone ? "current board" : "best" },
      });
      cost.only(alone ? ["best"] : ["worst", "mean", "best"]);
      pace.only(alone ? ["rate"] : ["diversity", "rate"]);
      pace.name({ word, title: `Diversity and ${lane.rate_word}`, labels: { rate: lane.rate_word } });
      if (alone) pace.name({ title: lane.rate_word });
      head(facts.frame.lanes[0]);
      this.setCurve(curve || { step: [] });
    },
    // The whole course, as the server keeps it. Frames that came in the meantime stay, and what they had measured.
    setCurve(curve) {
      const last = curve.step[curve.step.length - 1];
      const measured = new Map(pace.points.map(({ step, diversity }) => [step, diversity]));
      const points = curve.step.map((step, i) => ({
        step, best: curve.best[i], mean: curve.mean[i], worst: curve.worst[i],
        diversity: curve.diversity[i] ?? measured.get(step) ?? null, rate: curve.rate[i],
      }));
      for (const chart of charts) {
        const since = last === undefined ? [] : chart.points.filter(({ step }) => step > last);
        chart.reset([...points, ...since]);
      }
    },
    show({ lanes: [look], phase }) {
      const { step, best, mean, worst, diversity, rate } = look;
      if (best !== null) for (const chart of charts) chart.push({ step, best, mean, worst, diversity, rate });
      if (below.hidden) head(look);
      element.hidden = phase === "ended" && step === 0; // decided before the first step: there is no course
      const due = drawn + EVERY - performance.now();
      if (due <= 0 || phase !== "running") draw();
      else if (!waiting) waiting = setTimeout(draw, due);
    },
    close() {
      clearTimeout(waiting);
      for (const chart of charts) chart.close();
    },
  };
}
