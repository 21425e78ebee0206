// @ts-check
// The history of a run in charts: its errors left, its diversity and rate, and costs on another scale than errors.

import { Chart } from "../chart.js";
import { h } from "../dom.js";
import { capital } from "../words.js";

/** @import { Curve, Facts, Frame, LaneFrame } from "../types.d.ts" */

const EVERY = 120; // milliseconds between two drawings: a curve need not move with every frame

export function runCharts() {
  const [errorsCanvas, costCanvas, rateCanvas] = [h("canvas"), h("canvas"), h("canvas")];
  const log = h("input", { type: "checkbox", onchange: rescale });
  const rateTitle = h("h3", {}, "Diversity and rate");
  const ratePart = h("div", {}, rateTitle, h("div", { class: "chart-box low" }, rateCanvas));
  const costTitle = h("summary", { class: "small" });
  const costPart = h("details", { hidden: true }, costTitle, h("div", { class: "chart-box" }, costCanvas));
  const element = h("section", { class: "card run-charts", "aria-label": "Charts of the run" },
    h("div", { class: "row spread" }, h("h2", {}, "Errors left"),
      h("label", { class: "small soft row" }, log, "logarithmic")),
    h("div", { class: "chart-box" }, errorsCanvas), ratePart, costPart);
  let drawn = 0;
  let timer = 0;
  let isSingle = false; // one board, not a population

  // Costs that count errors, too, are drawn on the same axis; all others have a chart of their own.
  const errors = new Chart(errorsCanvas, {
    title: "Errors left",
    series: [
      { key: "worst", label: "worst", colour: "--line-3", width: 1.25 },
      { key: "mean", label: "mean", colour: "--line-2" },
      { key: "errors", label: "best so far", colour: "--line-1", width: 2.25 },
    ],
  });
  const cost = new Chart(costCanvas, {
    title: "Cost of the best, mean and worst board",
    series: [
      { key: "worst", label: "worst", colour: "--line-3", width: 1.25 },
      { key: "mean", label: "mean", colour: "--line-2" },
      { key: "best", label: "best", colour: "--line-1", width: 2.25 },
    ],
  });
  const rates = new Chart(rateCanvas, {
    title: "Diversity and rate",
    series: [
      { key: "diversity", label: "diversity", colour: "--line-4", sparse: true },
      { key: "rate", label: "rate", colour: "--line-2", axis: "right" },
    ],
  });
  const charts = [errors, cost, rates];

  function rescale() {
    errors.logValues = cost.logValues = log.checked;
    for (const chart of charts) {
      chart.log = log.checked;
      chart.draw();
    }
  }

  function draw() {
    clearTimeout(timer);
    timer = 0;
    drawn = performance.now();
    for (const chart of charts) chart.draw();
  }

  // Show the second chart if it has anything to show; a rate alone uses the left axis.
  /** @param {LaneFrame} frame */
  function showRates({ rate }) {
    const [, series] = rates.series;
    const known = [!isSingle && "Diversity", rate !== null && series.label].filter(Boolean);
    ratePart.hidden = known.length === 0;
    if (known.length) rateTitle.textContent = capital(known.join(" and "));
    series.axis = isSingle ? "left" : "right";
  }

  // Show costs beside the errors left, or in a chart of their own.
  /** @param {LaneFrame} frame */
  function showCosts({ own_score: own }) {
    costPart.hidden = !own;
    costTitle.textContent = own.startsWith("score ") ? `Cost by ${own.split(" ")[1].slice(1, -1)}` : "Open cells";
    errors.only(own ? ["errors"] : isSingle ? ["mean", "errors"] : ["worst", "mean", "errors"]);
  }

  // The whole history, as the server keeps it. Later points, and values that only frames have, are kept.
  /** @param {Curve} curve */
  function setCurve(curve) {
    const last = curve.step[curve.step.length - 1];
    const measured = new Map(rates.points.map(({ step, diversity }) => [step, diversity]));
    const points = curve.step.map((step, i) => ({
      step, best: curve.best[i], mean: curve.mean[i], worst: curve.worst[i], errors: curve.errors[i],
      diversity: curve.diversity[i] ?? measured.get(step) ?? null, rate: curve.rate[i],
    }));
    for (const chart of charts) {
      const since = last === undefined ? [] : chart.points.filter(({ step }) => step > last);
      chart.reset([...points, ...since]);
    }
  }

  return {
    element,
    setCurve,
    /** @type {(facts: Facts, curve: Curve | null) => void} */
    setRun(facts, curve) {
      const [lane] = facts.lanes;
      isSingle = lane.population === 1;
      const { step_word: word, rate_word: rate } = lane;
      errors.rename({ word, labels: { mean: isSingle ? "current board" : "mean" } });
      cost.rename({
        word, title: isSingle ? "Cost of the current board" : "Cost of the best, mean and worst board",
        labels: { best: isSingle ? "current board" : "best" },
      });
      cost.only(isSingle ? ["best"] : ["worst", "mean", "best"]);
      rates.only(isSingle ? ["rate"] : ["diversity", "rate"]);
      rates.rename({ word, title: isSingle ? rate : `Diversity and ${rate}`, labels: { rate } });
      showCosts(facts.frame.lanes[0]);
      showRates(facts.frame.lanes[0]);
      setCurve(curve || { step: [], best: [], mean: [], worst: [], errors: [], diversity: [], rate: [] });
    },
    /** @param {Frame} frame */
    show({ lanes: [lane], phase }) {
      const { step, best, mean, worst, errors: left, diversity, rate } = lane;
      if (best !== null) for (const chart of charts) chart.push({ step, best, mean, worst, errors: left, diversity, rate });
      if (costPart.hidden === Boolean(lane.own_score)) showCosts(lane);
      if (ratePart.hidden) showRates(lane);
      element.hidden = phase === "ended" && step === 0; // decided before the first step: there is no history
      const due = drawn + EVERY - performance.now();
      if (due <= 0 || phase !== "running") draw();
      else timer ||= setTimeout(draw, due);
    },
    close() {
      clearTimeout(timer);
      for (const chart of charts) chart.close();
    },
  };
}
