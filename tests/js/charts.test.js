import "./browser.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { spreadLabels, timeSpan, timeTicks } from "../../src/genoku/web/static/js/race/errors-chart.js";
import { positionOf, speedAt } from "../../src/genoku/web/static/js/run/controls.js";
import { layOutHeat, layOutThumbs } from "../../src/genoku/web/static/js/run/maps.js";
import { age, isBusy, progressText, runLabel } from "../../src/genoku/web/static/js/studies/progress.js";

test("the time axis of a race begins at a power of ten before the first point", () => {
  assert.deepEqual(timeSpan([[[0, 1], [0.003, 0.5]], [[0.2, 1], [5, 0]]]), [0.001, 5]);
  assert.deepEqual(timeSpan([[], []]), [0.001, 0.01]);
  assert.equal(timeSpan([[[1e-7, 1]]])[0].toPrecision(6), "0.000100000"); // nothing shorter is told apart
});

test("ticks of time are powers of ten, and more where there is room", () => {
  const round = (ticks) => ticks.map((tick) => Number(tick.toPrecision(6)));
  assert.deepEqual(round(timeTicks(0.01, 5, 300)), [0.01, 0.1, 1]);
  assert.deepEqual(round(timeTicks(0.1, 5, 900)), [0.1, 0.2, 0.5, 1, 2, 5]);
});

test("labels are moved apart in the order of their levels, and stay inside", () => {
  const label = (place, level, from = 0) => ({ place, level, from, wide: 50, at: 0 });
  const spread = spreadLabels([label(0, 100), label(1, 103), label(2, 96)], 0, 200);
  assert.deepEqual(spread.map(({ place, at }) => [place, at]), [[1, 103], [0, 88], [2, 73]]);
  const edge = spreadLabels([label(0, 2), label(1, 4)], 0, 200);
  assert.deepEqual(edge.map(({ place, at }) => [place, at]), [[1, 15], [0, 0]]);
  const apart = spreadLabels([label(0, 100), label(1, 101, 500)], 0, 200);
  assert.deepEqual(apart.map(({ at }) => at), [101, 100]); // side by side, none is moved
});

test("the speed slider runs from 1 to 10,000 steps per second, then full speed", () => {
  assert.deepEqual([speedAt(0), speedAt(99), speedAt(100)], [1, 10000, null]);
  assert.deepEqual([positionOf(null), positionOf(1), positionOf(1e9), positionOf(0.1)], [100, 0, 99, 0]);
  for (let position = 0; position <= 100; position += 1) {
    assert.ok(Math.abs(positionOf(speedAt(position)) - position) <= 1);
    if (position && position < 100) assert.ok(speedAt(position) >= speedAt(position - 1));
  }
});

test("a heat map shows as many boards as fit, as large as possible", () => {
  const small = layOutHeat(600, 10);
  assert.deepEqual([small.pitch, small.across], [30, 20]);
  const large = layOutHeat(600, 2000);
  assert.ok(large.pitch < 30 && large.most >= 2000);
  const huge = layOutHeat(600, 100_000);
  assert.deepEqual([huge.pitch, huge.most], [5, 120 * 50]);
  assert.equal(layOutHeat(3, 10).across, 1);
});

test("thumbnails of large boards still have two pixels for a cell", () => {
  assert.equal(layOutThumbs(600, 9).cell, 6);
  assert.equal(layOutThumbs(600, 36).cell, 2);
  const { pitch, across, most } = layOutThumbs(600, 9);
  assert.equal(pitch, 62);
  assert.equal(across, Math.floor(608 / 62));
  assert.equal(most % across, 0);
});

const study = (more) => ({
  name: "s", state: "stopped", question: "", planned: 90, done: 0, solved: 0, failed: 0, left: null, by: "", ...more,
});

test("a study is summarised by what is known of it", () => {
  assert.equal(progressText(study({})), "0 of 90 runs");
  assert.equal(progressText(study({ state: "running", done: 41, solved: 22, failed: 1, left: 12 })),
    "41 of 90 runs · 22 solved · 1 failed · 12 s left");
  assert.equal(progressText(study({ planned: null })), "runs are counted when it starts");
  assert.equal(progressText(study({ state: "stopped", done: 1, solved: 1, left: 12 })), "1 of 90 runs · 1 solved");
});

test("what can be done with a study depends on its state", () => {
  assert.deepEqual(["running", "waiting", "stopping", "stopped", "done", "faulty"].filter((state) => isBusy(study({ state }))),
    ["running", "waiting", "stopping"]);
  assert.equal(runLabel(study({})), "Run");
  assert.equal(runLabel(study({ done: 3 })), "Resume");
  assert.equal(runLabel(study({ state: "done", done: 90 })), "");
  assert.match(runLabel(study({ state: "done", failed: 2 })), /failed/);
});

test("ages are in the largest unit that fits", () => {
  const now = 1_000_000;
  for (const [passed, words] of [
    [0, "just now"], [59, "just now"], [60, "1 minute ago"], [7200, "2 hours ago"], [86400, "yesterday"], [-5, "just now"],
  ]) assert.equal(age(now - passed, now), words);
});
