// @ts-check
// Generate a puzzle with the chosen properties.

import { messageOf, post } from "../api.js";
import { errorLine, openDialog } from "../dialog.js";
import { field, h } from "../dom.js";
import { boxShapes, boxText, SIDES } from "../symbols.js";

/** @import { ServerPuzzle, Shape } from "../types.d.ts" */

const LEVELS = {
  "": "Any", easy: "Easy", medium: "Medium", hard: "Hard", expert: "Expert", extreme: "Extreme",
};
const AMOUNTS = { fewest: "As few as possible", exactly: "Exactly", share: "A share, blanked at random" };
const SYMMETRIES = {
  none: "None", rotation180: "Half turn", rotation90: "Quarter turn", mirror: "Left and right", diagonal: "Diagonal",
};
const SQUARE_ONLY = ["rotation90", "diagonal"];
const HEAVY = 25; // from this side on, finding as few givens as possible takes long
let last = { level: "", amount: "fewest", symmetry: "none" };

/** @type {(shape: Shape, onChoose: (puzzle: ServerPuzzle) => void) => void} */
export function generatePuzzle(shape, onChoose) {
  /** @type {(options: [string, string][], value?: string) => HTMLSelectElement} */
  const choose = (options, value = "") => {
    const select = h("select", {}, options.map(([key, label]) => h("option", { value: key }, label)));
    select.value = value;
    return select;
  };
  const size = choose(SIDES.flatMap((side) => boxShapes(side).map(([rows, cols], _, all) =>
    [boxText(rows, cols), `${side}×${side}${all.length > 1 ? `, boxes ${rows}×${cols}` : ""}`])),
  boxText(shape.boxRows, shape.boxCols));
  const level = choose(Object.entries(LEVELS), last.level);
  const amount = choose(Object.entries(AMOUNTS), last.amount);
  const number = h("input", { type: "number", min: 0, max: 1296, step: 1, required: true });
  const share = h("input", { type: "number", min: 0, max: 100, step: 1, value: "50", required: true });
  const symmetry = choose(Object.entries(SYMMETRIES), last.symmetry);
  const seed = h("input", {
    type: "text", inputmode: "numeric", pattern: "\\s*[0-9]{0,15}\\s*", autocomplete: "off", placeholder: "random",
  });
  const numberField = field("Number of givens", number);
  const shareField = field("Share of givens, %", share, "The puzzle may have several solutions.");
  const wrong = errorLine();
  const make = h("button", { class: "primary", type: "submit" }, "Generate");
  const status = h("span", { class: "soft small", role: "status" });

  const side = () => size.value.split("x").map(Number).reduce((a, b) => a * b, 1);

  function onSize() {
    const cells = side() ** 2;
    number.max = String(cells);
    number.value = String(Math.round(cells * (side() >= HEAVY ? 0.6 : side() >= 16 ? 0.45 : 0.37)));
    if (side() >= HEAVY && amount.value === "fewest") amount.value = "exactly";
    adapt();
  }

  // Offer only what can be combined.
  function adapt() {
    numberField.hidden = amount.value !== "exactly";
    shareField.hidden = amount.value !== "share";
    number.disabled = numberField.hidden;
    share.disabled = shareField.hidden;
    level.disabled = symmetry.disabled = amount.value === "share";
    const [rows, cols] = size.value.split("x");
    for (const option of symmetry.options) option.disabled = rows !== cols && SQUARE_ONLY.includes(option.value);
    if (symmetry.selectedOptions[0]?.disabled) symmetry.value = "none";
  }

  size.addEventListener("change", onSize);
  amount.addEventListener("change", adapt);
  onSize();

  const form = h("form", { class: "stack" },
    h("div", { class: "form-grid" },
      field("Size", size), field("Level", level), field("Givens", amount), numberField, shareField,
      field("Symmetry", symmetry), field("Seed", seed, "The same seed makes the same puzzle.")),
    wrong.element,
    h("div", { class: "row" }, make, status));

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    last = { level: level.value, amount: amount.value, symmetry: symmetry.value };
    const byShare = amount.value === "share";
    const wanted = {
      box: size.value,
      givens: amount.value === "exactly" ? Number(number.value) : null,
      ...(byShare ? { share: Number(share.value) / 100 } : { level: level.value || null, symmetry: symmetry.value }),
      seed: seed.value.trim() ? Number(seed.value) : null,
    };
    wrong.say("");
    make.disabled = true;
    status.textContent = side() >= HEAVY ? "Generating; a large puzzle takes a while…" : "Generating…";
    try {
      const made = await post("/api/puzzles/generate", wanted);
      if (!dialog.open) return;
      dialog.close();
      onChoose(made);
    } catch (error) {
      wrong.say(messageOf(error));
    }
    status.textContent = "";
    make.disabled = false;
  });
  const dialog = openDialog("Generate a puzzle", form);
  size.focus();
}
