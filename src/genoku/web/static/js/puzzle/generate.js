// A new puzzle, as a person wants it.

import { post } from "../api.js";
import { complaint, openDialog } from "../dialog.js";
import { field, h } from "../dom.js";
import { boxShapes, boxText, SIDES } from "../symbols.js";

const LEVELS = {
  "": "As it comes", easy: "Easy", medium: "Medium", hard: "Hard", expert: "Expert", extreme: "Extreme",
};
const AMOUNTS = { fewest: "As few as can be", exactly: "Exactly", share: "A share, blanked at random" };
const SYMMETRIES = {
  none: "None", rotation180: "Half turn", rotation90: "Quarter turn", mirror: "Left and right", diagonal: "Diagonal",
};
const SQUARE_ONLY = ["rotation90", "diagonal"];
const HEAVY = 25; // from this side on, as few givens as can be take long to find
const kept = { box: "3x3", level: "", amount: "fewest", symmetry: "none" };

export function generatePuzzle(shape, onChoose) {
  const choose = (options, value) => {
    const select = h("select", {}, options.map(([key, label]) => h("option", { value: key }, label)));
    select.value = value;
    return select;
  };
  const size = choose(SIDES.flatMap((side) => boxShapes(side).map(([rows, cols], i, all) =>
    [boxText(rows, cols), `${side}×${side}${all.length > 1 ? `, boxes ${rows}×${cols}` : ""}`])), kept.box);
  size.value = boxText(shape.boxRows, shape.boxCols);
  const level = choose(Object.entries(LEVELS), kept.level);
  const amount = choose(Object.entries(AMOUNTS), kept.amount);
  const number = h("input", { type: "number", min: 0, max: 1296, step: 1, required: true });
  const share = h("input", { type: "number", min: 0, max: 100, step: 1, value: "50", required: true });
  const symmetry = choose(Object.entries(SYMMETRIES), kept.symmetry);
  const seed = h("input", {
    type: "text", inputmode: "numeric", pattern: "\\s*[0-9]{0,15}\\s*", autocomplete: "off", placeholder: "drawn",
  });
  const numbered = field("Number of givens", number);
  const shared = field("Share of givens, %", share, "The solution may not stay the only one.");
  const wrong = complaint();
  const make = h("button", { class: "primary", type: "submit" }, "Generate");
  const told = h("span", { class: "soft small", role: "status" });

  const side = () => size.value.split("x").reduce((a, b) => a * b, 1);

  function sized() {
    const cells = side() ** 2;
    number.max = cells;
    number.value = Math.round(cells * (side() >= HEAVY ? 0.6 : side() >= 16 ? 0.45 : 0.37));
    if (side() >= HEAVY && amount.value === "fewest") amount.value = "exactly";
    adapted();
  }

  // What does not go together is not offered.
  function adapted() {
    numbered.hidden = amount.value !== "exactly";
    shared.hidden = amount.value !== "share";
    number.disabled = numbered.hidden;
    share.disabled = shared.hidden;
    level.disabled = symmetry.disabled = amount.value === "share";
    const [rows, cols] = size.value.split("x");
    for (const option of symmetry.options) option.disabled = rows !== cols && SQUARE_ONLY.includes(option.value);
    if (symmetry.selectedOptions[0]?.disabled) symmetry.value = "none";
  }

  size.addEventListener("change", sized);
  amount.addEventListener("change", adapted);
  sized();

  const form = h("form", { class: "stack" },
    h("div", { class: "form-grid" },
      field("Size", size), field("Level", level), field("Givens", amount), numbered, shared,
      field("Symmetry", symmetry), field("Seed", seed, "The same seed makes the same puzzle.")),
    wrong.element,
    h("div", { class: "row" }, make, told));

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    Object.assign(kept, { box: size.value, level: level.value, amount: amount.value, symmetry: symmetry.value });
    const wanted = { box: size.value };
    if (amount.value === "exactly") wanted.givens = Number(number.value);
    if (amount.value === "share") wanted.share = Number(share.value) / 100;
    else {
      if (level.value) wanted.level = level.value;
      wanted.symmetry = symmetry.value;
    }
    if (seed.value.trim()) wanted.seed = Number(seed.value);
    wrong.say("");
    make.disabled = true;
    told.textContent = side() >= HEAVY ? "Making it; a large one takes a while…" : "Making it…";
    try {
      const made = await post("/api/puzzles/generate", wanted);
      if (!dialog.open) return;
      dialog.close();
      onChoose(made);
    } catch (error) {
      wrong.say(error.message);
    }
    told.textContent = "";
    make.disabled = false;
  });
  const dialog = openDialog("Generate a puzzle", form);
  size.focus();
}
