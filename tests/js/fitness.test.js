import "./browser.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { raisedTicks, withoutSteps } from "../../src/genoku/web/static/js/plot.js";
import { bestSetting, boardsOf, printedText, runOf, settingText, usualRun } from "../../src/genoku/web/static/js/reports/runs.js";
import { besideBest } from "../../src/genoku/web/static/js/run/counters.js";
import {
  boardCaption, directionText, fitnessOf, fitnessOfAll, joinRestarts, meanText, pointsOf,
} from "../../src/genoku/web/static/js/run/scale.js";

const simon = { fitness: "complete-units", solved: 243, per_cost: -1 };
const poderosas = { fitness: "normalised", solved: 1, per_cost: -1 / 243 };
const sundy = { fitness: "missing-digits", solved: 0, per_cost: 1 };

test("a fitness is stated as its report does", () => {
  assert.equal(fitnessOfAll(simon, 63), "180 of 243");
  assert.equal(fitnessOfAll({ ...simon, solved: 2187 }, 231), "1,956 of 2,187");
  assert.equal(fitnessOfAll(poderosas, 25), "0.8971");
  assert.equal(fitnessOfAll(sundy, 4), "4");
  assert.deepEqual([simon, poderosas, sundy].map((scale) => directionText(scale)),
    ["complete-units, rises to 243", "normalised, rises to 1", "missing-digits, falls to 0"]);
  assert.equal(fitnessOf(simon, null), null);
});

test("a mean fitness has a decimal more", () => {
  assert.equal(meanText(simon, 71.68), "171.3");
  assert.equal(meanText(sundy, 25), "25.0");
  assert.equal(meanText(poderosas, 41.02), "0.8312");
});

test("a population has a mean, a single board what it is now", () => {
  const lane = { best: 63, mean: 71.68 };
  assert.equal(besideBest(lane, simon, false), "mean 171.3");
  assert.equal(besideBest(lane, simon, true), "now 180");
  assert.equal(besideBest(lane, null, false), "mean 71.7"); // errors
  assert.equal(besideBest(lane, null, true), "now 63");
  assert.equal(besideBest({ best: null, mean: null }, simon, false), ""); // before the first boards
});

test("the caption of a board is that of report 003", () => {
  const frame = { id: 262301, cost: 63 };
  assert.equal(boardCaption({ scale: simon, population: 400 }, frame), "ID 262301 · Fitness 180");
  assert.equal(boardCaption({ scale: null, population: 400 }, frame), ""); // errors left
  assert.equal(boardCaption({ scale: simon, population: 1 }, frame), "");
  assert.equal(boardCaption({ scale: simon, population: 400 }, { id: null, cost: null }), "");
});

const curve = {
  step: [0, 10], best: [162, 63], mean: [161.5, 71.7], worst: [162, 90], errors: [90, 32],
  diversity: [0.9, null], rate: [0.15, 0.2], restarts: [],
};

test("a chart has the fitness of best and mean, and the errors as they are", () => {
  const [first, last] = pointsOf(curve, simon, new Map([[10, 0.5]]));
  assert.deepEqual([first.fitness, first.meanFitness, first.errors], [81, 81.5, 90]);
  assert.deepEqual([last.fitness, last.errors, last.diversity], [180, 32, 0.5]);
  assert.equal(pointsOf(curve, null)[1].fitness, null);
});

test("restarts that only frames knew follow those of the history", () => {
  assert.deepEqual(joinRestarts([30, 60], [60, 91]), [30, 60, 91]);
  assert.deepEqual(joinRestarts([], [5]), [5]);
});

test("the boards of new starts are left out of a line, but for the last point", () => {
  const points = [0, 5, 6, 7].map((step) => ({ step }));
  assert.deepEqual(withoutSteps(points, [5, 7]).map(({ step }) => step), [0, 6, 7]);
  assert.equal(withoutSteps(points, []), points);
});

test("an axis that rises to a goal begins at its lowest value", () => {
  assert.deepEqual(raisedTicks(81, 243, 5), [81, 100, 150, 200]);
  assert.deepEqual(raisedTicks(90, 243, 5), [90, 150, 200]); // the label of 100 would touch that of 90
  assert.deepEqual(raisedTicks(100, 243, 5), [100, 150, 200]);
});

const boards = ["easy", "hard", "large"].map((name) => (
  { name, note: "", puzzle: `.${name}`, box: "3x3", puzzle_name: `its-${name}` }));
const setting = {
  row: "run_1", about: "", board: "", preset: "simon", settings: {}, until: "generations=500", seed: 1,
  own_puzzle: "its-hard", own_until: "generations=500", printed: { "Best Fitness": 171, "Time": null },
};
const experiment = { id: "9x9", title: "", where: "", note: "", row_name: "Run Name", boards: ["easy", "hard"], settings: [setting] };

test("a run of a report leaves to its preset what that brings", () => {
  const [easy, hard] = boardsOf({ boards, experiments: [] }, experiment, setting);
  assert.deepEqual([easy.name, hard.name], ["easy", "hard"]);
  assert.deepEqual(boardsOf({ boards, experiments: [] }, experiment, { ...setting, board: "large" }), [boards[2]]);
  const plain = { preset: "simon", settings: {}, until: "", seed: 1, speed: 10 };
  assert.deepEqual(runOf(setting, hard), plain);
  assert.deepEqual(runOf(setting), plain);
  assert.deepEqual(runOf({ ...setting, until: "generations=9" }, easy),
    { ...plain, until: "generations=9", puzzle: ".easy", box: "3x3", name: "its-easy" });
});

test("the form of a report begins with its main preset", () => {
  const main = { ...experiment, id: "", settings: [setting] };
  const other = { ...experiment, settings: [{ ...setting, settings: { population: 20 } }, { ...setting, preset: "tabu" }] };
  assert.deepEqual(usualRun([main, other]), [0, 0]);
  assert.deepEqual(usualRun([main, other, { ...experiment, settings: [...other.settings, setting] }]), [2, 2]);
});

test("an experiment begins with what the report calls the best", () => {
  const settings = [setting, { ...setting, row: "run_2" }, { ...setting, row: "run_3" }];
  const best = (rows) =>
    bestSetting({ boards, experiments: [] }, { ...experiment, settings, best: rows });
  assert.deepEqual([best({}), best({ easy: "run_3" }), best({ easy: "run_3", hard: "run_2" })], [0, 2, 1]);
});

test("a run of a report is called as there", () => {
  assert.equal(settingText(setting, [setting]), "run_1");
  assert.equal(settingText(setting, [setting, { ...setting, preset: "tabu" }]), "run_1: simon");
  assert.equal(settingText({ ...setting, row: "5", about: "rank, row swap" }, []), "5: rank, row swap");
  assert.equal(printedText(setting), "Best Fitness 171");
});
