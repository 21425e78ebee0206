// How long runs may go on: a number of something, or limits in the words of `--until`.

import { field, h } from "../dom.js";
import { limits } from "./until.js";

const AMOUNTS = { seconds: 5, generations: 200, evaluations: 100000, moves: 1000000 };

// budget({ own: true, onChange }) → { element, value, set }; `own` also offers every preset's own limits,
// and `clock` says what its seconds are.
export function budget({ own = false, clock = "seconds of processor time", onChange = () => {} }) {
  const amount = h("input", { type: "number", min: "0", step: "any", inputmode: "decimal", oninput: () => onChange() });
  const words = h("input", {
    type: "text", maxlength: "500", spellcheck: "false", placeholder: "generations=500 or seconds=10",
    oninput: () => onChange(),
  });
  const kind = h("select", { onchange: () => { turn(); onChange(); } },
    Object.keys(AMOUNTS).map((word) => h("option", { value: word }, word === "seconds" ? clock : word)),
    own ? h("option", { value: "own" }, "every preset's own limits") : null,
    h("option", { value: "words" }, "in words …"));
  const amountField = field("At most", amount);
  const wordsField = field("Until", words, "limits joined by “and” and “or”, as genoku solve --until has them");
  const element = h("div", { class: "limit-fields" }, amountField, field("Of", kind), wordsField);
  let before = "seconds";

  function turn() {
    if (kind.value in AMOUNTS && kind.value !== before) amount.value = AMOUNTS[kind.value];
    before = kind.value;
    amountField.hidden = !(kind.value in AMOUNTS);
    wordsField.hidden = kind.value !== "words";
  }

  function set(until) {
    const [only, ...others] = limits(until) ?? [];
    if (only && !others.length && only.word in AMOUNTS) {
      before = kind.value = only.word;
      amount.value = only.number;
    } else if (own && !until) kind.value = "own";
    else {
      kind.value = "words";
      words.value = until;
    }
    turn();
  }

  set(own ? "" : "seconds=5");
  return {
    element,
    get value() {
      if (kind.value === "own") return "";
      return kind.value === "words" ? words.value.trim() : `${kind.value}=${amount.value || 0}`;
    },
    set,
  };
}
