import assert from "node:assert/strict";
import { test } from "node:test";

import {
  capital, count, figures, freeName, plural, seconds, sentence, short, slug,
} from "../../src/genoku/web/static/js/words.js";

const table = (format, rows) => {
  for (const [value, text] of rows) assert.equal(format(value), text);
};

test("counts have separators", () => table(count, [[0, "0"], [999, "999"], [12345, "12,345"], [1e6, "1,000,000"]]));

test("short numbers have three figures and a unit", () => table(short, [
  [0, "0"], [7, "7"], [999, "999"], [999.4, "999"], [1000, "1 k"], [1234, "1.23 k"], [12345, "12.3 k"], [999499, "999 k"],
  [999999, "1 M"], [1234567, "1.23 M"], [2e9, "2 G"], [3.21e12, "3.21 T"], [-1500, "-1.5 k"],
]));

test("figures are rounded without trailing zeros", () => {
  table((n) => figures(n, 3), [
    [0.12345, "0.123"], [1.5, "1.5"], [100, "100"], [999.9, "1000"], [1234.5, "1,235"], [0.00005, "5.0e−5"], [0, "0"],
    [null, "–"], [NaN, "–"], [Infinity, "–"],
  ]);
  assert.equal(figures(0.123456, 4), "0.1235");
});

test("times have the unit that suits them", () => table(seconds, [
  [0, "0.0 s"], [0.0004, "1 ms"], [0.0123, "12 ms"], [0.1, "0.1 s"], [9.94, "9.9 s"], [10, "10 s"], [59.4, "59 s"],
  [59.6, "1 min 00 s"], [75.3, "1 min 15 s"], [3599.6, "1 h 00 min"], [3720, "1 h 02 min"], [null, "–"],
  [undefined, "–"], [Infinity, "–"],
]));

test("one is singular, anything else plural", () => {
  assert.equal(plural(1, "board"), "1 board");
  assert.equal(plural(0, "board"), "0 boards");
  assert.equal(plural(2000, "try", "tries"), "2,000 tries");
});

test("a message becomes a sentence", () => {
  assert.equal(capital("best board"), "Best board");
  table(sentence, [["no such run", "No such run."], ["Really?", "Really?"], ["wait…", "Wait…"], ["", ""]]);
});

test("a slug has only letters, digits and single hyphens", () => {
  table(slug, [
    ["Größe & Zeit?", "grosse-zeit"], ["  Crème brûlée  ", "creme-brulee"], ["--a__b--", "a-b"], ["数独", ""], ["ß", "ss"],
  ]);
  assert.equal(slug("x".repeat(100)).length, 60);
});

test("a free name is none that is taken, and short enough for a number", () => {
  assert.equal(freeName("My study", new Set()), "my-study");
  assert.equal(freeName("My study", new Set(["my-study", "my-study-2"])), "my-study-3");
  assert.equal(freeName("???", new Set(["study"])), "study-2");
  assert.ok(freeName("x".repeat(100), new Set(["x".repeat(54), "x".repeat(60)])).length <= 60);
});
