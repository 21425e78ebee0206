import { takeToasts } from "./browser.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { raceQuery, raceSettings } from "../../src/genoku/web/static/js/race/settings.js";
import { fromQuery, link, toQuery } from "../../src/genoku/web/static/js/share.js";

const SETTINGS = {
  puzzle: "1 2.+&=?#%é", box: "2x2", name: "Größe, 1/2 & more", preset: "charles-elite", until: "generations=5 or seconds=1",
  settings: { "selection.size": 5, crossover: { use: "points", by: "box" } }, recipe: { use: "genetic", population: 7 },
  seed: 123456789012345, speed: 0.5,
};

test("a link holds all settings, and gives them back", () => {
  const query = toQuery(SETTINGS);
  assert.deepEqual(fromQuery(new URLSearchParams(query)), SETTINGS);
  assert.equal(new URL(link("solve", SETTINGS)).hash, `#/solve?${query}`);
  assert.deepEqual(takeToasts(), []);
});

test("defaults are left out, and the rest can be read by people", () => {
  assert.equal(toQuery({ puzzle: "", seed: 0, speed: null, settings: {}, recipe: null }), "");
  assert.equal(toQuery({ preset: "simon", seed: 7 }), "preset=simon&seed=7");
  assert.equal(toQuery({ name: "a b, c/d:e" }), "name=a+b,+c/d:e");
  assert.equal(link("race", {}), "http://here/#/race");
});

test("what cannot be read is left out, and the page says so", () => {
  const query = new URLSearchParams({
    seed: "-1", speed: "fast", set: "[1]", recipe: "{", preset: "x".repeat(201), until: "seconds=1",
  });
  assert.deepEqual(fromQuery(query), { until: "seconds=1" });
  assert.deepEqual(fromQuery(new URLSearchParams({ speed: "-1" })), {});
  const [said] = takeToasts();
  for (const key of ["seed", "speed", "settings", "recipe", "preset"]) assert.match(said, new RegExp(key));
  assert.doesNotMatch(said, /until/);
});

test("a race is read back from its link", () => {
  const plan = {
    puzzle: "1...", box: "2x2", name: "mine", until: "cpu_seconds=2", seed: 9,
    lanes: [
      { preset: "simon", recipe: null, settings: {} },
      { preset: "charles", recipe: null, settings: { population: 5 } },
      { preset: "champion", recipe: { use: "genetic" }, settings: {} },
    ],
  };
  assert.deepEqual(raceSettings(raceQuery(plan)), plan);
  assert.equal(raceQuery(plan, "abc").get("race"), "abc");
});

test("a race has two to four lanes that can be read, else the usual ones", () => {
  const lanes = (...texts) => raceSettings(new URLSearchParams(texts.map((text) => ["lane", text]))).lanes;
  assert.deepEqual(lanes("a", "b", "c", "d", "e").map(({ preset }) => preset), ["a", "b", "c", "d"]);
  assert.equal(lanes("a").length, 4);
  assert.equal(lanes("a", "{broken").length, 4);
  assert.deepEqual(lanes("a", '{"set": 3}')[1], { preset: "champion", recipe: null, settings: {} });
});

test("a race counts seconds of CPU time only", () => {
  const until = (text) => raceSettings(new URLSearchParams({ until: text })).until;
  assert.equal(until("seconds=3 or moves=5"), "cpu_seconds=3 or moves=5");
  assert.equal(until("cpu_seconds=3"), "cpu_seconds=3");
});
