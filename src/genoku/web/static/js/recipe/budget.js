// How long runs may go on: a number of something, or limits in the words of `--until`.

import { field, h } from "../dom.js";
import { limits } from "./until.js";

const AMOUNTS = { cpu_seconds: 5, seconds: 5, generations: 200, evaluations: 100000, moves: 1000000 };
const NAMES = { cpu_seconds: "seconds of CPU time", seconds: "seconds by the clock" };

// budget({ own: true, onChange }) → { element, value, set }; `own` also offers every preset's own limits, and
// `wall` seconds of a clock on the wall.
export function budget({ own = false, wall = false, onChange = () => {} }) {
  const offered = Object.keys(AMOUNTS).filter((word) => wall || word !== "seconds");
  const amount = h("input", { type: "number", min: "0", step: "any", inputmode: "decimal", oninput: () => onChange() });
  const words = h("input", {
    type: "text", maxlength: "500", spellcheck: "false", placeholder: "generations=500 or cpu_seconds=10",
    oninput: () => onChange(),
  });
  const kind = h("select", { onchange: () => { turn(); onChange(); } },
    offered.map((word) => h("option", { value: word }, NAMES[word] || word)),
    own ? h("option", { value: "own" }, "every preset's own limits") : null,
    h("option", { value: "words" }, "in words …"));
  const amountField = field("At most", amount);
  const wordsField = field("Until", words, "limits joined by “and” and “or”, as genoku solve --until has them");
  const element = h("div", { class: "limit-fields" }, amountField, field("Of", kind), wordsField);
  let before = "cpu_seconds";

  function turn() {
    if (kind.value in AMOUNTS && kind.value !== before) amount.value = AMOUNTS[kind.value];
    before = kind.value;
    amountField.hidden = !(kind.value in AMOUNTS);
    wordsField.hidden = kind.value !== "words";
  }

  function set(until) {
    const [only, ...others] = limits(until) ?? [];
    if (only && !others.length && offered.includes(only.word)) {
      before = kind.value = only.word;
      amount.value = only.number;
    } else if (own && !until) kind.value = "own";
    else {
      kind.value = "words";
      words.value = until;
    }
    turn();
  }

  set(own ? "" : "cpu_seconds=5");
  return {
    element,
    get value() {
      if (kind.value === "own") return "";
      return kind.value === "words" ? words.value.trim() : `${kind.value}=${amount.value || 0}`;
    },
    set,
  };
}
