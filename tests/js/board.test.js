import "./browser.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { targetOf } from "../../src/genoku/web/static/js/board/grid.js";
import { History } from "../../src/genoku/web/static/js/board/history.js";
import { layOut } from "../../src/genoku/web/static/js/board/layout.js";
import { lookOf } from "../../src/genoku/web/static/js/board/tiles.js";

test("undo and redo go through the states in order", () => {
  const history = new History();
  assert.equal(history.undo("a"), null);
  history.note("a");
  history.note("b");
  assert.equal(history.undo("c"), "b");
  assert.equal(history.undo("b"), "a");
  assert.deepEqual([history.canUndo, history.canRedo], [false, true]);
  assert.equal(history.redo("a"), "b");
  assert.equal(history.redo("b"), "c");
  assert.equal(history.canRedo, false);
});

test("a change after undo forgets what could be redone", () => {
  const history = new History();
  history.note("a");
  history.undo("b");
  history.note("a");
  assert.equal(history.redo("c"), null);
});

test("only the last 300 states are kept", () => {
  const history = new History();
  for (let i = 0; i < 400; i += 1) history.note(i);
  let state = 400;
  let steps = 0;
  for (let before = history.undo(state); before !== null; before = history.undo(state)) {
    state = before;
    steps += 1;
  }
  assert.deepEqual([steps, state], [300, 100]);
});

test("cells of a layout are disjoint, inside the canvas and evenly sized", () => {
  for (const [side, rows, cols] of [[4, 2, 2], [6, 2, 3], [9, 3, 3], [12, 4, 3], [16, 4, 4], [36, 6, 6]]) {
    for (const [width, height] of [[640, 640], [301, 500], [900, 333]]) {
      const { size, left, top, wide, high, xs, ys } = layOut(width, height, side, rows, cols);
      assert.ok(Number.isInteger(size) && size >= 1);
      assert.ok(left >= 0 && top >= 0 && left + wide <= width && top + high <= height);
      for (const [places, start, room, box] of [[xs, left, wide, cols], [ys, top, high, rows]]) {
        assert.equal(places.length, side);
        assert.ok(places[0] > start && places[side - 1] + size < start + room);
        const gaps = places.slice(1).map((at, i) => at - places[i] - size);
        const inside = new Set(gaps.filter((_, i) => (i + 1) % box));
        const between = new Set(gaps.filter((_, i) => (i + 1) % box === 0));
        assert.deepEqual([inside.size, between.size], [1, 1]);
        assert.ok([...between][0] > [...inside][0] && [...inside][0] >= 0);
      }
    }
  }
});

test("every look of a cell is another number, and open cells have one", () => {
  const looks = new Set();
  for (let digit = 1; digit <= 36; digit += 1) {
    for (let units = 0; units <= 3; units += 1) for (const given of [true, false]) looks.add(lookOf(digit, units, given));
  }
  assert.equal(looks.size, 36 * 4 * 2);
  assert.equal(looks.has(lookOf(0, 0, false)), false);
  assert.equal(lookOf(0, 3, true), lookOf(0, 0, false));
});

test("keys lead to cells and stop at the edges", () => {
  const shape = { side: 6, boxRows: 2 };
  const lead = (key, at, command = false) => targetOf(key, command, at, shape);
  assert.equal(lead("ArrowRight", 5), 5);
  assert.equal(lead("ArrowRight", 0), 1);
  assert.equal(lead("ArrowLeft", 6), 6);
  assert.equal(lead("ArrowDown", 30), 30);
  assert.equal(lead("ArrowUp", 8), 2);
  assert.equal(lead("ArrowRight", 6, true), 11);
  assert.equal(lead("ArrowLeft", 9, true), 6);
  assert.equal(lead("ArrowUp", 32, true), 2);
  assert.equal(lead("ArrowDown", 2, true), 32);
  assert.equal(lead("Home", 9), 6);
  assert.equal(lead("End", 9, true), 35);
  assert.equal(lead("PageDown", 1), 13);
  assert.equal(lead("PageUp", 7), 1);
  assert.equal(lead("PageUp", 19), 7);
  assert.equal(lead("Enter", 35), 0);
  assert.equal(lead("5", 9), null);
});
