// What the colours of a scene's boards mean.

import { h } from "../dom.js";
import { onPrefs, palette } from "../prefs.js";

const ORIGINS = [["given", "given"], ["first", "from parent A"], ["second", "from parent B"], ["both", "alike in both"],
  ["neither", "from neither"]];
const UNITS = ["no complete unit", "one", "two", "three"];

export function sceneLegend(scene) {
  const views = scene.steps.flatMap((step) => step.boards);
  const items = [];
  if (views.some((view) => view.paint === "origin")) {
    const used = new Set(views.filter((view) => view.paint === "origin")
      .flatMap((view) => view.colours.filter((_, cell) => view.digits[cell])));
    ORIGINS.forEach(([kind, words], place) => { if (used.has(place)) items.push(item(kind, words)); });
  }
  if (views.some((view) => view.paint === "units")) UNITS.forEach((words, place) => items.push(unit(place, words)));
  if (views.some((view) => view.clashes.length)) {
    items.push(h("li", {}, h("b", { class: "swatch clash" }, "5"), "stands again in a unit"));
  }
  if (views.some((view) => view.marked.length)) items.push(item("ring", "what this step is about"));
  return items.length ? h("ul", { class: "lesson-legend", "aria-label": "Colours" }, items) : null;
}

const item = (kind, words) => h("li", {}, h("i", { class: `swatch ${kind}` }), words);

function unit(place, words) {
  const swatch = h("i", { class: "swatch" });
  let seen = false;
  const forget = onPrefs(colour);
  function colour() {
    if (seen && !swatch.isConnected) return forget();
    seen ||= swatch.isConnected;
    swatch.style.background = palette().colours[place];
  }
  colour();
  return h("li", {}, swatch, words);
}
