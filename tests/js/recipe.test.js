import "./browser.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { Catalogue, isSame, summary } from "../../src/genoku/web/static/js/recipe/catalogue.js";
import { label, pathLabel, valueLabel } from "../../src/genoku/web/static/js/recipe/labels.js";
import { labelsOf, menuText } from "../../src/genoku/web/static/js/recipe/presets.js";
import {
  formatLimits, limitsText, onlyLimit, parseLimits,
} from "../../src/genoku/web/static/js/recipe/until.js";
import { pathsOf, readValues } from "../../src/genoku/web/static/js/studies/grid.js";

const part = (kind, name, parameters = []) => ({ kind, name, doc: "", about: "", parameters });
const parameter = (name, type, value) => ({ name, type, default: value, choices: [] });
const catalogue = new Catalogue([
  part("algorithm", "genetic", [
    parameter("population", "int", 100), parameter("selection", "selection", "rank"),
    parameter("crossover", "crossover", { use: "mixed" }),
  ]),
  part("algorithm", "annealing", [parameter("temperature", "float", 0.5)]),
  part("selection", "rank"),
  part("selection", "tournament", [parameter("size", "int", 2)]),
  part("crossover", "order"),
  part("crossover", "points", [parameter("points", "int", 2)]),
  part("crossover", "mixed", [parameter("parts", "list of crossover", ["order", "points"])]),
]);
const MIXED = { use: "mixed", parts: [{ use: "order" }, { use: "points", points: 2 }] };
const GENETIC = { use: "genetic", population: 100, selection: { use: "rank" }, crossover: MIXED };

test("a preset in the menu has its title, without its group, and its name", () => {
  const texts = [["simon", "Report 003: box shuffles", "Report 003"], ["tabu", "Tabu search", "genoku"], ["mine", "", "your own"]]
    .map(([name, title, group]) => menuText({ name, title, group }));
  assert.deepEqual(texts, ["Box shuffles (simon)", "Tabu search (tabu)", "mine"]);
});

test("a complete recipe names every parameter", () => {
  assert.deepEqual(catalogue.complete("algorithm", "genetic"), GENETIC);
  const given = { use: "genetic", population: 7, selection: "tournament" };
  assert.deepEqual(catalogue.complete("algorithm", given),
    { ...GENETIC, population: 7, selection: { use: "tournament", size: 2 } });
  assert.deepEqual(catalogue.complete("algorithm", { use: "unknown", x: 1 }), { use: "unknown", x: 1 });
});

test("the difference of two recipes applied to the first gives the second", () => {
  const changes = [
    {}, { population: 5 }, { selection: { use: "tournament", size: 9 } }, { selection: { use: "tournament", size: 2 } },
    { crossover: { use: "order" } }, { crossover: { use: "mixed", parts: [{ use: "order" }] } },
    { crossover: { use: "mixed", parts: [{ use: "points", points: 4 }, { use: "points", points: 2 }] } },
  ];
  for (const change of changes) {
    const now = { ...GENETIC, ...change };
    assert.deepEqual(catalogue.apply(GENETIC, catalogue.difference(GENETIC, now)), now);
  }
});

test("settings are as short as possible", () => {
  const now = { ...GENETIC, population: 5, selection: { use: "tournament", size: 2 } };
  assert.deepEqual(catalogue.difference(GENETIC, now), { population: 5, selection: "tournament" });
  const deep = structuredClone(GENETIC);
  deep.crossover.parts[1].points = 3;
  assert.deepEqual(catalogue.difference(GENETIC, deep), { "crossover.parts.1.points": 3 });
  const other = catalogue.complete("algorithm", "annealing");
  assert.deepEqual(catalogue.difference(GENETIC, other), { use: "annealing" });
  assert.deepEqual(catalogue.apply(GENETIC, { use: "annealing" }), other);
});

test("settings that lead nowhere change nothing", () => {
  for (const path of ["nothing", "selection.size", "crossover.parts.7.points", "population.x"]) {
    assert.deepEqual(catalogue.apply(GENETIC, { [path]: 1 }), GENETIC);
  }
});

test("a recipe is not changed in place", () => {
  const before = structuredClone(GENETIC);
  catalogue.replace(GENETIC, "crossover.parts.1.points", 9);
  assert.deepEqual(GENETIC, before);
});

test("equal values may have their keys in another order", () => {
  assert.ok(isSame({ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }));
  assert.ok(!isSame({ a: 1 }, { a: 1, b: 2 }));
  assert.ok(!isSame([1, 2], [1]));
  assert.ok(!isSame({ a: undefined }, { b: undefined }));
  assert.ok(!isSame([], {}));
});

test("changes are summarised in a line", () => {
  assert.equal(summary({ population: 500, selection: { use: "tournament", size: 5 }, "crossover.parts": ["order"] }),
    "population=500, selection=tournament (size=5), crossover.parts=[order]");
});

test("limits joined by or are read and written", () => {
  assert.deepEqual(parseLimits(" generations = 500 or cpu_seconds=1.5e1 "),
    [{ word: "generations", number: 500 }, { word: "cpu_seconds", number: 15 }]);
  assert.deepEqual(parseLimits("steps=3"), [{ word: "generations", number: 3 }]);
  assert.deepEqual(parseLimits("  "), []);
  for (const text of ["generations=5 and seconds=1", "generations", "years=1", "seconds=-1", "seconds=1 or"]) {
    assert.equal(parseLimits(text), null, text);
  }
  const text = "moves=10 or stagnation=5 or cost=0";
  assert.equal(formatLimits(parseLimits(text)), text);
});

test("the only limit of a text is none of several", () => {
  assert.deepEqual(onlyLimit("seconds=5"), { word: "seconds", number: 5 });
  for (const text of ["", "seconds=5 or moves=1", "nonsense"]) assert.equal(onlyLimit(text), null);
});

test("limits are worded for people", () => {
  for (const [text, words] of [
    ["generations=1", "1 generation"], ["generations=1000", "1,000 generations"], ["", "no limit"],
    ["cpu_seconds=1", "1 second of CPU time"], ["cpu_seconds=5", "5 seconds of CPU time"], ["cost=3", "a cost of 3"],
    ["stagnation=50 or seconds=2", "50 steps without improvement or 2 seconds"], ["a and b", "a and b"],
  ]) assert.equal(limitsText(text), words);
});

test("labels name parameters, paths and values", () => {
  assert.equal(label("least_diversity"), "Least diversity");
  assert.equal(label("chance", "min-conflicts"), "Chance of a bad move");
  assert.equal(label("temperature", "something"), "Temperature");
  assert.equal(pathLabel("crossover.parts.0.by"), "Crossover › Parts › no. 1 › Blocks by");
  assert.deepEqual([true, false, 5, [], ["a", "b"], ["a", "b", "c"], { use: "rank", size: 1 }].map(valueLabel),
    ["yes", "no", "5", "none", "a, b", "3", "rank"]);
});

test("the labels of a variant are read from its name, also if one begins another", () => {
  const axes = [["selection", ["rank", "rank-linear"]], ["elitism", ["elite"]], ["rate", ["10", "50"]]];
  assert.deepEqual(labelsOf("", axes), {});
  assert.deepEqual(labelsOf("-rank-50", axes), { selection: "rank", rate: "50" });
  assert.deepEqual(labelsOf("-rank-linear-elite", axes), { selection: "rank-linear", elitism: "elite" });
  assert.deepEqual(labelsOf("-elite-10", axes), { elitism: "elite", rate: "10" });
  assert.equal(labelsOf("-rank-else", axes), null);
  assert.equal(labelsOf("-50-rank", axes), null); // not in the order of the axes
});

test("values of a grid are data where they are JSON, else text", () => {
  assert.deepEqual(readValues("100, 0.5, true, rank"), [100, 0.5, true, "rank"]);
  assert.deepEqual(readValues('{"use": "points", "points": 3}, [1, 2],'), [{ use: "points", points: 3 }, [1, 2]]);
  assert.deepEqual(readValues("points(a, b), , x"), ["points(a, b)", "x"]);
  assert.deepEqual(readValues(""), []);
});

test("the paths of a recipe are all that can be varied", () => {
  assert.deepEqual(pathsOf({ ...GENETIC, none: null }), [
    ["population", 100], ["selection", "rank"], ["crossover", "mixed"], ["crossover.parts.1.points", 2],
  ]);
});
