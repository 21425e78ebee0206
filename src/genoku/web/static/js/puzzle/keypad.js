// Digits to tap, for screens without a keyboard.

import { fill, h } from "../dom.js";
import { symbol } from "../symbols.js";

export function keypad(grid) {
  const element = h("div", {
    class: "keypad", role: "group", "aria-label": "Digits",
    onmousedown: (event) => event.preventDefault(), // a tap leaves the focus in its cell
  });
  let side = 0;

  function key(label, digit, words) {
    return h("button", { type: "button", "aria-label": words, onclick: () => grid.put(grid.at, digit) }, label);
  }

  return {
    element,
    fit() {
      if (side === grid.side) return;
      side = grid.side;
      element.classList.toggle("few", side <= 9);
      const digits = Array.from({ length: side }, (_, i) => i + 1);
      const enter = (digit) => key(symbol(digit, side), digit, `Enter ${symbol(digit, side)}`);
      fill(element, digits.map(enter), key("⌫", 0, "Clear the cell"));
    },
  };
}
