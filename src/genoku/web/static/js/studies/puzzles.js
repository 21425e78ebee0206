// The puzzles of a study: bundled ones, boards of one's own, and sets that are generated.

import { get } from "../api.js";
import { field, fill, h } from "../dom.js";
import { puzzlePanel } from "../puzzle/panel.js";
import { plural } from "../words.js";

const LEVELS = ["", "easy", "medium", "hard", "expert", "extreme"];

// puzzleChooser({ onChange }) → { element, value: what the API takes }
export function puzzleChooser({ onChange }) {
  const chosen = new Map(); // what it is called → [label, what the API takes]
  const list = h("ul", { class: "chosen", "aria-label": "Chosen puzzles" });
  const boxes = h("div", { class: "study-bundled", role: "group", "aria-label": "Bundled puzzles" });

  function put(key, label, value) {
    if (value) chosen.set(key, [label, value]);
    else chosen.delete(key);
    show();
    onChange();
  }

  function show() {
    fill(list, [...chosen].map(([key, [label]]) => h("li", { class: "chip" }, label, h("button", {
      type: "button", class: "quiet", "aria-label": `Remove ${label}`,
      onclick: () => {
        put(key, label, null);
        const box = boxes.querySelector(`input[value="${CSS.escape(key)}"]`);
        if (box) box.checked = false;
      },
    }, "✕"))), chosen.size ? null : h("li", { class: "soft small" }, "none yet"));
  }

  async function offer() {
    const { puzzles } = await get("/api/puzzles");
    fill(boxes, puzzles.map(({ name, side }) => h("label", { class: "check" },
      h("input", {
        type: "checkbox", value: name, checked: chosen.has(name),
        onchange: (event) => put(name, name, event.target.checked ? { bundled: name } : null),
      }), h("span", {}, name), side && side !== 9 ? h("span", { class: "soft small" }, `${side}×${side}`) : null)));
  }

  const count = h("input", { type: "number", min: "1", max: "500", value: "5", required: true });
  const sides = ["4", "6", "9", "12", "16", "25"];
  const size = h("select", {}, sides.map((side) => h("option", { value: side }, `${side}×${side}`)));
  size.value = "9";
  const level = h("select", {}, LEVELS.map((each) => h("option", { value: each }, each || "any")));
  const seed = h("input", { type: "number", min: "0", max: "1000000000", value: "1", required: true });
  const make = h("button", { type: "button", onclick: () => {
    if (![count, seed].every((each) => each.reportValidity())) return;
    const value = { generate: Number(count.value), size: size.value, seed: Number(seed.value) };
    if (level.value) value.level = level.value;
    const made = [plural(value.generate, "generated puzzle"), `${size.value}×${size.value}`, level.value];
    put(`generate ${JSON.stringify(value)}`, [...made, `seed ${value.seed}`].filter(Boolean).join(", "), value);
  } }, "Add this set");

  const own = h("div", { class: "stack" });
  let panel = null;
  const add = h("button", { type: "button", onclick: () => {
    const { puzzle, box, name, side } = panel.value;
    const label = name || `${side}×${side} of your own, ${puzzle.replace(/[^0-9A-Za-z.]/g, "").slice(0, 12)}…`;
    put(`own ${puzzle} ${box}`, label, { puzzle, box, name: name.slice(0, 120) });
  } }, "Add this puzzle");
  const ownFold = h("details", { ontoggle: () => {
    if (!ownFold.open || panel) return;
    panel = puzzlePanel({});
    fill(own, panel.element, add);
  } }, h("summary", {}, "A puzzle of your own"), h("div", { class: "folded stack" }, own));

  const element = h("div", { class: "stack" }, list,
    h("details", { open: true }, h("summary", {}, "Bundled puzzles"), h("div", { class: "folded" }, boxes)),
    ownFold,
    h("details", {}, h("summary", {}, "Generated puzzles"), h("div", { class: "folded generate-set" },
      field("How many", count), field("Size", size), field("Level", level), field("Seed", seed), make)));
  put("charles-hard", "charles-hard", { bundled: "charles-hard" });
  offer().catch((error) => fill(boxes, h("p", { class: "soft" }, error.message)));
  return { element, get value() { return [...chosen.values()].map(([, value]) => value); } };
}
