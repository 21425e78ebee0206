// @ts-check
// The puzzles of a study: bundled ones, your own boards, and sets to generate.

import { get, messageOf } from "../api.js";
import { field, fill, h } from "../dom.js";
import { puzzlePanel } from "../puzzle/panel.js";
import { plural } from "../words.js";

/** @import { StudyPuzzle } from "../types.d.ts" */

const LEVELS = ["", "easy", "medium", "hard", "expert", "extreme"];

/** @param {{ onChange: () => void }} options */
export function puzzleChooser({ onChange }) {
  /** @type {Map<string, { label: string, value: StudyPuzzle }>} */
  const chosen = new Map();
  const list = h("ul", { class: "chosen", "aria-label": "Chosen puzzles" });
  const bundled = h("div", { class: "study-bundled", role: "group", "aria-label": "Bundled puzzles" });

  /** @type {(key: string, label: string, value: StudyPuzzle | null) => void} */
  function put(key, label, value) {
    if (value) chosen.set(key, { label, value });
    else chosen.delete(key);
    showChosen();
    onChange();
  }

  function showChosen() {
    fill(list, [...chosen].map(([key, { label }]) => h("li", { class: "chip" }, label, h("button", {
      type: "button", class: "quiet", "aria-label": `Remove ${label}`,
      onclick: () => {
        put(key, label, null);
        /** @type {HTMLInputElement | null} */
        const box = bundled.querySelector(`input[value="${CSS.escape(key)}"]`);
        if (box) box.checked = false;
      },
    }, "✕"))), chosen.size ? null : h("li", { class: "soft small" }, "none yet"));
  }

  async function showBundled() {
    const { puzzles } = await get("/api/puzzles");
    fill(bundled, puzzles.map(({ name, side }) => {
      const box = h("input", {
        type: "checkbox", value: name, checked: chosen.has(name),
        onchange: () => { put(name, name, box.checked ? { bundled: name } : null); },
      });
      return h("label", { class: "check" }, box, h("span", {}, name),
        side === 9 ? null : h("span", { class: "soft small" }, `${side}×${side}`));
    }));
  }

  const count = h("input", { type: "number", min: "1", max: "500", value: "5", required: true });
  const sides = ["4", "6", "9", "12", "16", "25"];
  const size = h("select", {}, sides.map((side) => h("option", { value: side }, `${side}×${side}`)));
  size.value = "9";
  const level = h("select", {}, LEVELS.map((each) => h("option", { value: each }, each || "any")));
  const seed = h("input", { type: "number", min: "0", max: "1000000000", value: "1", required: true });
  const make = h("button", { type: "button", onclick: () => {
    if (![count, seed].every((each) => each.reportValidity())) return;
    const value = {
      generate: Number(count.value), size: size.value, seed: Number(seed.value),
      ...(level.value ? { level: level.value } : {}),
    };
    const made = [plural(value.generate, "generated puzzle"), `${size.value}×${size.value}`, level.value];
    put(`generate ${JSON.stringify(value)}`, [...made, `seed ${value.seed}`].filter(Boolean).join(", "), value);
  } }, "Add this set");

  const own = h("div", { class: "folded stack" });
  const ownFold = h("details", { ontoggle: () => {
    if (!ownFold.open || own.firstChild) return;
    const panel = puzzlePanel({});
    fill(own, panel.element, h("button", { type: "button", onclick: () => {
      const { puzzle, box, name, side } = panel.value();
      const label = name || `${side}×${side} of your own, ${puzzle.replace(/[^0-9A-Za-z.]/g, "").slice(0, 12)}…`;
      put(`own ${puzzle} ${box}`, label, { puzzle, box, name: name.slice(0, 120) });
    } }, "Add this puzzle"));
  } }, h("summary", {}, "A puzzle of your own"), own);

  const element = h("div", { class: "stack" }, list,
    h("details", { open: true }, h("summary", {}, "Bundled puzzles"), h("div", { class: "folded" }, bundled)),
    ownFold,
    h("details", {}, h("summary", {}, "Generated puzzles"), h("div", { class: "folded generate-set" },
      field("How many", count), field("Size", size), field("Level", level), field("Seed", seed), make)));
  put("charles-hard", "charles-hard", { bundled: "charles-hard" });
  showBundled().catch((error) => fill(bundled, h("p", { class: "soft" }, messageOf(error))));
  return { element, value: () => [...chosen.values()].map(({ value }) => value) };
}
