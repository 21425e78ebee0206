// Several values of a parameter: every combination becomes an algorithm of its own.

import { fill, h } from "../dom.js";
import { load } from "../recipe/catalogue.js";

// "100, 500" or "rank, {use=…}" → a list; what reads as JSON is data, all else is the name of a part or text.
function readValues(text) {
  const made = [];
  let depth = 0;
  let word = "";
  for (const letter of `${text},`) {
    if ("[{(".includes(letter)) depth += 1;
    if ("]})".includes(letter)) depth -= 1;
    if (letter !== "," || depth > 0) word += letter;
    else {
      if (word.trim()) made.push(readValue(word.trim()));
      word = "";
    }
  }
  return made;
}

function readValue(word) {
  try {
    return JSON.parse(word);
  } catch {
    return word;
  }
}

// Every place of a whole recipe that holds a number, a word or a part: ["population", 500], ["selection", "rank"].
function places(table, path = "") {
  return Object.entries(table).filter(([key]) => key !== "use").flatMap(([key, value]) => {
    const here = path ? `${path}.${key}` : key;
    if (Array.isArray(value)) {
      return value.flatMap((each, i) => (each && typeof each === "object" ? places(each, `${here}.${i}`) : []));
    }
    if (value && typeof value === "object") return [[here, value.use], ...places(value, here)];
    return value === null || value === undefined ? [] : [[here, value]];
  });
}

let lists = 0;

// gridEditor({ recipe: () => value of a recipe panel, onChange }) → { element, value, refresh }
export function gridEditor({ recipe, onChange }) {
  const id = `grid-paths-${++lists}`;
  const options = h("datalist", { id });
  const rows = h("div", { class: "stack" });
  const entries = [];

  async function refresh() {
    try {
      const { catalogue, presets } = await load();
      const { preset, recipe: table, settings } = recipe();
      const base = table || presets.find((each) => each.name === preset)?.recipe;
      if (!base) return;
      const whole = catalogue.applied(catalogue.whole("algorithm", base), settings || {});
      fill(options, places(whole).map(([path, now]) => h("option", { value: path }, `now ${now}`)));
    } catch { /* without suggestions one can still type */ }
  }

  function add(path = "", values = "") {
    const plain = { type: "text", spellcheck: "false", oninput: onChange };
    const where = h("input", {
      ...plain, list: id, value: path, "aria-label": "Parameter", placeholder: "population",
    });
    const what = h("input", {
      ...plain, value: values, "aria-label": "Values, separated by commas", placeholder: "100, 500, 1000",
    });
    const entry = { where, what };
    const row = h("div", { class: "study-grid-row" }, where, what, h("button", {
      type: "button", class: "quiet", "aria-label": "Remove this parameter",
      onclick: () => { entries.splice(entries.indexOf(entry), 1); row.remove(); onChange(); },
    }, "✕"));
    entries.push(entry);
    rows.append(row);
    if (!path) where.focus();
  }

  const opened = () => { if (element.open && !entries.length) add(); };
  const element = h("details", { class: "grid-editor", ontoggle: opened },
    h("summary", { class: "small" }, "Try several values"),
    h("div", { class: "stack folded" },
      h("p", { class: "soft small" }, "Every combination becomes an algorithm of its own. ",
        "Names of parts are values too: selection with rank, tournament."),
      options, rows, h("button", { type: "button", class: "quiet", onclick: () => add() }, "+ Another parameter")));
  return {
    element,
    refresh,
    get value() {
      const found = entries.map(({ where, what }) => [where.value.trim(), readValues(what.value)]);
      return Object.fromEntries(found.filter(([path, values]) => path && values.length));
    },
  };
}
