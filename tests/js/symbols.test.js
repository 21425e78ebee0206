import assert from "node:assert/strict";
import { test } from "node:test";

import {
  boardText, boxShapes, clashesOf, digitOf, isSamePuzzle, readBoard, SIDES, symbol, symbolSpan,
} from "../../src/genoku/web/static/js/symbols.js";

test("every digit is read back from its symbol, on every side", () => {
  for (const side of SIDES) {
    for (let digit = 1; digit <= side; digit += 1) assert.equal(digitOf(symbol(digit, side), side), digit);
    assert.equal(digitOf(symbol(0, side), side), 0);
  }
});

test("what is no digit of a board is refused", () => {
  assert.equal(digitOf("A", 9), null);
  assert.equal(digitOf("a", 16), 10);
  assert.equal(digitOf("H", 16), null);
  assert.equal(digitOf("37", 36), null);
  assert.equal(digitOf(" 36 ", 36), 36);
  for (const blank of ["", ".", "0", "-", "_", "*", "?"]) assert.equal(digitOf(blank, 9), 0);
});

test("the span of symbols names its ends", () => {
  assert.equal(symbolSpan(9), "1 to 9");
  assert.equal(symbolSpan(10), "1 to 9 and A");
  assert.equal(symbolSpan(16), "1 to 9 and A to G");
  assert.equal(symbolSpan(36), "1 to 36");
});

test("boxes of a side fill it, the squarest and widest first", () => {
  assert.deepEqual(boxShapes(9), [[3, 3]]);
  assert.deepEqual(boxShapes(6), [[2, 3], [3, 2]]);
  assert.deepEqual(boxShapes(12), [[3, 4], [4, 3], [2, 6], [6, 2]]);
  for (const side of SIDES) {
    const shapes = boxShapes(side);
    assert.ok(shapes.length > 0);
    for (const [rows, cols] of shapes) assert.equal(rows * cols, side);
  }
});

test("a board is read back from its text, on every side and box", () => {
  for (const side of SIDES) {
    for (const [rows, cols] of boxShapes(side)) {
      const digits = Array.from({ length: side * side }, (_, i) => (i * 7) % (side + 1));
      const text = boardText(digits, side);
      assert.deepEqual(readBoard(text, `${rows}x${cols}`), { side, boxRows: rows, boxCols: cols, digits });
    }
  }
});

test("a text that is not canonical is left to the server", () => {
  assert.equal(readBoard("12"), null);
  assert.equal(readBoard("1234".repeat(4), "3x3"), null); // no box of this side
  assert.equal(readBoard(`5${".".repeat(15)}`), null); // no digit of this side
  assert.equal(readBoard(`${"0".repeat(256)}`), null); // 0 is ambiguous beyond 9
  assert.deepEqual(readBoard(`1${"0".repeat(15)}`)?.digits.slice(0, 2), [1, 0]);
});

test("repeated digits are found in rows, columns and boxes", () => {
  const digits = Array.from({ length: 36 }, () => 0);
  Object.assign(digits, { 0: 1, 4: 1, 24: 1, 7: 2, 2: 2 }); // r1c1, r1c5, r5c1; r2c2 and r1c3 in one box of 2×3
  const clashes = clashesOf({ digits, side: 6, boxRows: 2, boxCols: 3 });
  assert.deepEqual(clashes, [
    { cells: [0, 4], digit: 1, words: "1 appears twice in row 1 (r1c1, r1c5)." },
    { cells: [0, 24], digit: 1, words: "1 appears twice in column 1 (r1c1, r5c1)." },
    { cells: [2, 7], digit: 2, words: "2 appears twice in box 1 (r1c3, r2c2)." },
  ]);
  assert.deepEqual(clashesOf({ digits, side: 6, boxRows: 3, boxCols: 2 }).map(({ digit }) => digit), [1, 1]);
  const last = Object.assign(Array.from({ length: 36 }, () => 0), { 27: 5, 35: 5 }); // r5c4 and r6c6
  assert.deepEqual(clashesOf({ digits: last, side: 6, boxRows: 2, boxCols: 3 }).map(({ words }) => words),
    ["5 appears twice in box 6 (r5c4, r6c6)."]);
});

test("more than two of a digit are one clash", () => {
  const digits = Array.from({ length: 16 }, (_, i) => (i < 3 ? 4 : 0));
  const [row] = clashesOf({ digits, side: 4, boxRows: 2, boxCols: 2 });
  assert.equal(row.words, "4 appears 3 times in row 1 (r1c1, r1c2, r1c3).");
});

test("puzzles are the same if their boxes and all digits are", () => {
  const wide = readBoard(".".repeat(36), "2x3");
  assert.equal(isSamePuzzle(wide, readBoard("0".repeat(36))), true);
  assert.equal(isSamePuzzle(wide, readBoard(".".repeat(36), "3x2")), false);
  assert.equal(isSamePuzzle(wide, readBoard(`1${".".repeat(35)}`)), false);
  assert.equal(isSamePuzzle(wide, readBoard(".".repeat(16))), false);
});
