import "./browser.js";

import assert from "node:assert/strict";
import { test } from "node:test";

localStorage.setItem("genoku.theme", "dark");
localStorage.setItem("genoku.palette", "no such palette");
const {
  keep, onPrefs, palette, paletteName, PALETTES, recall, redrawWithPrefs, setPreference, theme,
} = await import("../../src/genoku/web/static/js/prefs.js");

test("stored preferences are used, and unknown ones are not", () => {
  assert.equal(theme(), "dark");
  assert.equal(document.documentElement.dataset.theme, "dark");
  assert.equal(paletteName(), "003");
});

test("a preference is stored, applied and announced", () => {
  let calls = 0;
  const forget = onPrefs(() => { calls += 1; });
  setPreference("palette", "safe");
  setPreference("theme", "light");
  forget();
  setPreference("theme", "auto");
  assert.equal(calls, 2);
  assert.equal(localStorage.getItem("genoku.palette"), "safe");
  assert.equal(palette(), PALETTES.safe);
  assert.equal(document.documentElement.dataset.theme, "light"); // as the system has it
});

test("an element is drawn until it has left the page", () => {
  const element = document.createElement("i");
  let drawn = 0;
  redrawWithPrefs(element, () => { drawn += 1; });
  setPreference("palette", "003");
  assert.equal(drawn, 2);
  element.isConnected = false;
  setPreference("palette", "safe");
  setPreference("palette", "003");
  assert.equal(drawn, 2);
});

test("a browser that stores nothing is no error", () => {
  const refused = () => { throw new Error("no storage in a private window"); };
  keep("puzzle", "1...", refused);
  assert.equal(recall("puzzle", refused), null);
  assert.equal(recall("never stored"), null);
});
