import assert from "node:assert/strict";
import { test } from "node:test";

import { halve, linearTicks, logTicks, thinPoints, wholeTicks } from "../../src/genoku/web/static/js/plot.js";

const near = (found, wanted) => {
  assert.equal(found.length, wanted.length, `${found} is not ${wanted}`);
  found.forEach((each, i) => assert.ok(Math.abs(each - wanted[i]) < 1e-9, `${found} is not ${wanted}`));
};

test("linear ticks are round numbers that cover the range from 0", () => {
  near(linearTicks(0, 100, 5), [0, 20, 40, 60, 80, 100]);
  near(linearTicks(0, 97, 5), [0, 20, 40, 60, 80, 100]);
  near(linearTicks(0, 1, 4), [0, 0.5, 1]);
  near(linearTicks(0, 0.3, 3), [0, 0.1, 0.2, 0.3]);
  near(linearTicks(13, 41, 4), [20, 30, 40]); // inside the range if it does not begin at 0
});

test("linear ticks are never many more than asked for", () => {
  for (let to = 1; to < 5000; to = Math.ceil(to * 1.37)) {
    for (const most of [2, 3, 5, 8]) {
      const ticks = linearTicks(0, to, most);
      assert.ok(ticks.length <= most + 2, `${to}, ${most}: ${ticks}`);
      assert.ok(ticks[ticks.length - 1] >= to - 1e-9);
      assert.ok(ticks.every((tick, i) => i === 0 || tick > ticks[i - 1]));
    }
  }
});

test("ticks of counts are whole numbers", () => {
  near(wholeTicks(0, 2, 8), [0, 1, 2]);
  near(wholeTicks(0, 1, 8), [0, 1]);
  near(wholeTicks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
});

test("logarithmic ticks are powers of ten, thinned where there are too many", () => {
  assert.deepEqual(logTicks(0, 1000, 6), [0, 1, 10, 100, 1000]);
  assert.deepEqual(logTicks(5, 5000, 6), [10, 100, 1000]);
  assert.deepEqual(logTicks(1, 1e6, 4), [1, 100, 10000, 1e6]);
});

test("thinned points keep the extremes and the end of every pixel column", () => {
  const points = Array.from({ length: 1000 }, (_, step) => ({ step, best: step % 100 === 37 ? 500 : (step * 7) % 50 }));
  const x = (step) => step / 100;
  const thin = thinPoints(points, "best", x, 10);
  assert.ok(thin.length < 40);
  assert.ok(thin.every((point, i) => i === 0 || thin[i - 1].step <= point.step));
  assert.equal(thin.filter((point) => point.best === 500).length, 10);
  assert.equal(thin[thin.length - 1], points[999]);
  for (let column = 0; column <= 10; column += 1) {
    const lowest = (list) => Math.min(...list.filter(({ step }) => Math.round(x(step)) === column).map(({ best }) => best));
    assert.equal(lowest(thin), lowest(points));
  }
});

test("few points are not thinned", () => {
  const points = [{ step: 0, best: 1 }, { step: 1, best: 2 }];
  assert.equal(thinPoints(points, "best", (step) => step, 10), points);
});

test("halving keeps every second point and the last one", () => {
  assert.deepEqual(halve([0, 1, 2, 3, 4, 5], 5), [0, 2, 4, 5]);
  assert.deepEqual(halve([0, 1, 2], 3), [0, 1, 2]);
});
