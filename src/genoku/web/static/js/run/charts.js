// @ts-check
// The history of a run in charts: its fitness as the report states it, its errors left, its diversity and rate.

import { Chart } from "../chart.js";
import { h } from "../dom.js";
import { capital } from "../words.js";
import { directionText, isRising, joinRestarts, pointOf, pointsOf } from "./scale.js";

/** @import { Curve, Facts, Frame, LaneFrame, Scale } from "../types.d.ts" */

const EVERY = 120; // milliseconds between two drawings: a curve need not move with every frame
/** @type {Curve} */
const NO_CURVE = { step: [], best: [], mean: [], worst: [], errors: [], diversity: [], rate: [], restarts: [] };

export function runCharts() {
  const [fitnessCanvas, errorsCanvas, rateCanvas] = [h("canvas"), h("canvas"), h("canvas")];
  const log = h("input", { type: "checkbox", onchange: rescale });
  const direction = h("span", { class: "small soft" });
  const title = h("h2", {}, "Errors left");
  const errorsTitle = h("h3", {}, "Errors left");
  const rateTitle = h("h3", {}, "Diversity and rate");
  const fitnessPart = h("div", { class: "chart-box" }, fitnessCanvas);
  const errorsBox = h("div", { class: "chart-box" }, errorsCanvas);
  const ratePart = h("div", {}, rateTitle, h("div", { class: "chart-box low" }, rateCanvas));
  const element = h("section", { class: "card run-charts", "aria-label": "Charts of the run" },
    h("div", { class: "row spread" }, h("div", { class: "row" }, title, direction),
      h("label", { class: "small soft row" }, log, "logarithmic")),
    fitnessPart, errorsTitle, errorsBox, ratePart);
  let drawn = 0;
  let timer = 0;
  let isSingle = false; // one board, not a population
  /** @type {Scale | null} */
  let scale = null; // of a fitness that is not the errors left
  let isPartial = false; // whether boards have open cells, so that costs are no fitness
  /** @type {number[]} */
  let restarts = []; // the steps at which the search started anew

  const fitness = new Chart(fitnessCanvas, {
    title: "Fitness",
    series: [
      { key: "meanFitness", label: "mean", colour: "--line-2", breaks: true },
      { key: "fitness", label: "best", colour: "--line-1", width: 2.25, breaks: true },
    ],
  });
  // Costs that count errors, too, are drawn on the axis of the errors.
  const errors = new Chart(errorsCanvas, {
    title: "Errors left",
    series: [
      { key: "worst", label: "worst", colour: "--line-3", width: 1.25, breaks: true },
      { key: "mean", label: "mean", colour: "--line-2", breaks: true },
      { key: "errors", label: "best so far", colour: "--line-1", width: 2.25 },
    ],
  });
  const rates = new Chart(rateCanvas, {
    title: "Diversity and rate",
    series: [
      { key: "diversity", label: "diversity", colour: "--line-4", sparse: true },
      { key: "rate", label: "rate", colour: "--line-2", axis: "right" },
    ],
  });
  const charts = [fitness, errors, rates];

  function rescale() {
    fitness.logValues = errors.logValues = log.checked;
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

  // The fitness as the report states it comes first, where it is not the errors left.
  function arrange() {
    fitnessPart.hidden = errorsTitle.hidden = !scale;
    title.textContent = scale ? "Fitness" : "Errors left";
    direction.textContent = scale ? directionText(scale) : "";
    errorsBox.classList.toggle("low", Boolean(scale));
    fitness.goal = scale && isRising(scale) ? scale.solved : null;
    errors.hasMarkKey = !scale;
    fitness.only(isSingle ? ["fitness"] : ["meanFitness", "fitness"]);
    if (scale || isPartial) errors.only(["errors"]);
    else errors.only(isSingle ? ["mean", "errors"] : ["worst", "mean", "errors"]);
  }

  /** @param {number[]} steps */
  function setRestarts(steps) {
    restarts = steps;
    for (const chart of [fitness, errors]) chart.marks = restarts;
  }

  // The whole history, as the server keeps it. Later points, and values that only frames have, are kept.
  /** @param {Curve} curve */
  function setCurve(curve) {
    const last = curve.step[curve.step.length - 1];
    const measured = new Map(rates.points.map(({ step, diversity }) => [step, diversity]));
    const points = pointsOf(curve, scale, measured);
    setRestarts(last === undefined ? [] : joinRestarts(curve.restarts, restarts));
    for (const chart of charts) {
      const since = last === undefined ? [] : chart.points.filter(({ step }) => step > last);
      chart.reset([...points, ...since]);
    }
  }

  return {
    element,
    setCurve,
    /** @type {(facts: Facts, curve: Curve | null) => void} */
    setRun({ lanes: [lane], frame }, curve) {
      isSingle = lane.population === 1;
      scale = lane.scale;
      isPartial = lane.partial;
      const { step_word: word, rate_word: rate } = lane;
      fitness.rename({ word, labels: { fitness: isSingle ? "current board" : "best" } });
      errors.rename({
        word, labels: { mean: isSingle ? "current board" : "mean", errors: scale ? "best board" : "best so far" },
      });
      rates.only(isSingle ? ["rate"] : ["diversity", "rate"]);
      rates.rename({ word, title: isSingle ? rate : `Diversity and ${rate}`, labels: { rate } });
      arrange();
      showRates(frame.lanes[0]);
      setCurve(curve || NO_CURVE);
    },
    /** @param {Frame} frame */
    show({ lanes: [lane], phase }) {
      const { best, step, restarted } = lane;
      if (best !== null) {
        const point = pointOf(lane, scale);
        for (const chart of charts) chart.push(point);
        fitness.restarts = errors.restarts = lane.restarts;
      }
      if (restarted !== null && restarted > (restarts[restarts.length - 1] ?? -1)) setRestarts([...restarts, restarted]);
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
