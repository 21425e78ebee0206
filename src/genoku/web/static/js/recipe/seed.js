// Seeds by chance.

import { h } from "../dom.js";

export const anySeed = () => Math.floor(Math.random() * 1_000_000);

// A button that draws another seed: dice((seed) => { input.value = seed; })
export function dice(onDraw) {
  const words = "Another seed, by chance";
  return h("button", { type: "button", "aria-label": words, title: words, onclick: () => onDraw(anySeed()) }, "⚄");
}
