// @ts-check
// Several values of a parameter: every combination becomes an algorithm of its own.

import { fill, h } from "../dom.js";
import { isTable, load } from "../recipe/catalogue.js";

/** @import { RecipeChoice, RecipeTable, RecipeValue } from "../types.d.ts" */

// Values separated by commas: "100, 500" or "rank, {use=…}". JSON is read as data, anything else as text.
/** @type {(text: string) => RecipeValue[]} */
export function readValues(text) {
  const values = [];
  let depth = 0;
  let word = "";
  for (const letter of `${text},`) {
    if ("[{(".includes(letter)) depth += 1;
    if ("]})".includes(letter)) depth -= 1;
    if (letter !== "," || depth > 0) word += letter;
    else {
      if (word.trim()) values.push(readValue(word.trim()));
      word = "";
    }
  }
  return values;
}

/** @type {(word: string) => RecipeValue} */
function readValue(word) {
  try {
    return JSON.parse(word);
  } catch {
    return word;
  }
}

// Every path of a complete recipe, and its value: ["population", 500], ["selection", "rank"].
/** @type {(table: RecipeTable, path?: string) => [string, RecipeValue][]} */
export function pathsOf(table, path = "") {
  return Object.entries(table).filter(([key]) => key !== "use").flatMap(([key, value]) => {
    const here = path ? `${path}.${key}` : key;
    if (Array.isArray(value)) return value.flatMap((each, i) => (isTable(each) ? pathsOf(each, `${here}.${i}`) : []));
    if (isTable(value)) return [[here, value.use], ...pathsOf(value, here)];
    return value === null || value === undefined ? [] : [[here, value]];
  });
}

let lists = 0;

// `recipe()` gives the value of the recipe panel whose parameters are varied.
/** @param {{ recipe: () => RecipeChoice, onChange: () => void }} options */
export function gridEditor({ recipe, onChange }) {
  const id = `grid-paths-${++lists}`;
  const options = h("datalist", { id });
  const rows = h("div", { class: "stack" });
  /** @type {{ path: HTMLInputElement, values: HTMLInputElement }[]} */
  const entries = [];

  async function refresh() {
    try {
      const { catalogue, presets } = await load();
      const { preset, recipe: table, settings } = recipe();
      const base = table || presets.find((each) => each.name === preset)?.recipe;
      if (!base) return;
      const whole = catalogue.apply(catalogue.complete("algorithm", base), settings);
      fill(options, pathsOf(whole).map(([path, now]) => h("option", { value: path }, `now ${now}`)));
    } catch { /* one can type without suggestions */ }
  }

  function add() {
    const plain = { type: "text", spellcheck: "false", oninput: onChange };
    const path = h("input", { ...plain, list: id, "aria-label": "Parameter", placeholder: "population" });
    const values = h("input", {
      ...plain, "aria-label": "Values, separated by commas", placeholder: "100, 500, 1000",
    });
    const entry = { path, values };
    const row = h("div", { class: "study-grid-row" }, path, values, h("button", {
      type: "button", class: "quiet", "aria-label": "Remove this parameter",
      onclick: () => { entries.splice(entries.indexOf(entry), 1); row.remove(); onChange(); },
    }, "✕"));
    entries.push(entry);
    rows.append(row);
    path.focus();
  }

  const onToggle = () => { if (element.open && !entries.length) add(); };
  const element = h("details", { class: "grid-editor", ontoggle: onToggle },
    h("summary", { class: "small" }, "Try several values"),
    h("div", { class: "stack folded" },
      h("p", { class: "soft small" }, "Every combination becomes an algorithm of its own. ",
        "Names of parts are values too: selection with rank, tournament."),
      options, rows, h("button", { type: "button", class: "quiet", onclick: add }, "+ Another parameter")));
  return {
    element,
    refresh,
    value() {
      const found = entries.map(({ path, values }) => /** @type {const} */ ([path.value.trim(), readValues(values.value)]));
      return Object.fromEntries(found.filter(([path, values]) => path && values.length));
    },
  };
}
