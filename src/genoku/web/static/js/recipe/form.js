// @ts-check
// The form of a recipe, made from the catalogue: every part and each of its parameters, nested as they are. The main
// choices come first, details open on demand; changed values are marked and can be reset.

import { fill, h } from "../dom.js";
import { inline, prose } from "../markdown.js";
import { capital, sentence } from "../words.js";
import { entryType, isSame, isTable, nameOf } from "./catalogue.js";
import { isDetail, label, labelOf, pathLabel, valueLabel } from "./labels.js";

/** @import { Child, Parameter, Part, Problem, RecipeTable, RecipeValue } from "../types.d.ts" */
/** @import { Catalogue } from "./catalogue.js" */

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLButtonElement} Input */

/**
 * @typedef {object} Place the field of a path
 * @property {string} path
 * @property {HTMLElement} box
 * @property {Input} input
 * @property {HTMLElement} reset
 * @property {HTMLElement} trouble
 * @property {() => boolean} isChanged
 */

const SUMMARISED = 3; // parameters of a part that its summary has room for

let forms = 0;

export class Form {
  /** @type {RecipeTable} */
  base = {};
  /** @type {RecipeTable} */
  now = {};
  /** @type {Problem | null} */
  problem = null;
  /** @type {Set<string>} */
  open = new Set(); // keys of the details that are open
  /** @type {Map<string, Place>} */
  places = new Map();

  /**
   * @param {Catalogue} catalogue
   * @param {(recipe: RecipeTable) => void} onChange
   */
  constructor(catalogue, onChange) {
    this.catalogue = catalogue;
    this.onChange = onChange;
    this.element = h("div", { class: "recipe-form" });
    this.prefix = `recipe-${++forms}`;
  }

  // Show a recipe, marking where it differs from another; both are complete.
  /** @type {(base: RecipeTable, now: RecipeTable) => void} */
  show(base, now) {
    this.base = base;
    this.now = now;
    this.render();
  }

  // Say at its field what is wrong with the recipe; null: nothing is.
  /** @param {Problem | null} problem */
  explain(problem) {
    this.problem = problem;
    for (const place of this.places.values()) this.clear(place);
    const place = problem && this.places.get(problem.path);
    if (!place) return;
    for (let box = place.box.parentElement; box && box !== this.element; box = box.parentElement) {
      if (box instanceof HTMLDetailsElement) box.open = true;
    }
    place.input.setAttribute("aria-invalid", "true");
    place.input.setAttribute("aria-errormessage", place.trouble.id);
    place.trouble.hidden = false;
    fill(place.trouble, explanation(problem, place.path, (path, value) => {
      this.replace(path === "use" ? "" : path, value);
      this.focus(place.path);
    }));
  }

  /** @type {(path: string) => boolean} */
  has(path) {
    return path !== "" && this.places.has(path);
  }

  /** @param {string} path */
  focus(path) {
    this.places.get(path)?.input.focus();
  }

  /** @type {(path: string, value: RecipeValue) => void} */
  change(path, value) {
    this.now = this.catalogue.replace(this.now, path, value);
    this.onChange(this.now);
  }

  // A change after which the form has other fields.
  /** @type {(path: string, value: RecipeValue) => void} */
  replace(path, value) {
    const focused = document.activeElement?.id;
    this.change(path, value);
    this.render();
    if (focused) document.getElementById(focused)?.focus();
  }

  render() {
    this.places.clear();
    fill(this.element, this.algorithm("", this.base, this.now, "algorithm"));
    if (this.problem) this.explain(this.problem);
  }

  // An algorithm: which one, its main parts, and the others on demand.
  /** @type {(path: string, base: RecipeValue, now: RecipeTable, name: string) => HTMLElement} */
  algorithm(path, base, now, name) {
    const part = this.catalogue.part("algorithm", now.use);
    const head = this.partChooser(path, "algorithm", base, now, name);
    if (!part) return h("div", { class: "algorithm" }, head);
    const about = part.about && this.details(`${path}/about`, `About ${part.name}`,
      h("div", { class: "prose" }, prose(part.about)));
    const inner = part.parameters.filter((each) => each.type === "algorithm");
    const own = part.parameters.filter((each) => each.type !== "algorithm");
    const main = own.filter((each) => !isDetail(part.name, each.name));
    const rest = own.filter((each) => isDetail(part.name, each.name));
    const others = rest.map((each) => labelOf(each).toLowerCase()).join(", ");
    /** @param {Parameter[]} parameters */
    const fields = (parameters) => parameters.map((each) => this.parameter(path, each, base, now));
    return h("div", { class: "algorithm" },
      h("div", { class: "algorithm-head" }, head, about),
      h("div", { class: "recipe-grid" }, fields(main)),
      rest.length ? this.details(`${path}/rest`, `More of ${part.name}: ${others}`,
        h("div", { class: "recipe-grid" }, fields(rest))) : null,
      fields(inner));
  }

  /** @type {(path: string, parameter: Parameter, base: RecipeValue, now: RecipeTable) => HTMLElement} */
  parameter(path, parameter, base, now) {
    const { name, type } = parameter;
    const here = path ? `${path}.${name}` : name;
    const value = now[name];
    const owner = nameOf(now);
    const baseline = isTable(base) && base.use === now.use ? base[name]
      : this.catalogue.completeValue(type, parameter.default);
    if (type === "algorithm" && isTable(value)) {
      const legend = owner === "islands" ? "Algorithm of every island" : "Algorithm that it starts";
      return h("fieldset", { class: "inner" }, h("legend", {}, legend), this.algorithm(here, baseline, value, name));
    }
    if (this.catalogue.isKind(type) && isTable(value)) {
      return this.part(here, type, baseline, value, label(name, owner));
    }
    if (this.catalogue.isKind(entryType(type))) return this.list(here, parameter, baseline, value);
    return this.scalar(here, parameter, baseline, value, owner);
  }

  // A part: which one, what it does in a line, and its parameters on demand.
  /** @type {(path: string, kind: string, base: RecipeValue, now: RecipeTable, name: string) => HTMLElement} */
  part(path, kind, base, now, name) {
    const part = this.catalogue.part(kind, now.use);
    const fields = part?.parameters.map((each) => this.parameter(path, each, base, now)) ?? [];
    return h("div", { class: "part" }, this.partChooser(path, kind, base, now, name),
      part && (fields.length || part.about) ? this.details(`${path}/details`, this.partSummary(part, now, name),
        fields.length ? h("div", { class: "recipe-grid" }, fields) : null,
        part.about ? h("div", { class: "prose" }, prose(part.about)) : null) : null);
  }

  // What the details of a part hold, in a line.
  /** @type {(part: Part, now: RecipeTable, name: string) => Child[]} */
  partSummary(part, now, name) {
    const settings = part.parameters.slice(0, SUMMARISED).map((each) =>
      h("span", {}, `${labelOf(each).toLowerCase()} `, h("b", {}, valueLabel(now[each.name]))));
    const others = part.parameters.length - settings.length;
    if (others > 0) settings.push(h("span", {}, `${others} more`));
    const hidden = h("span", { class: "unseen" }, `${name}, ${nameOf(now)}: `);
    return [hidden, settings.length ? settings : `more about ${part.name}`];
  }

  /** @type {(path: string, kind: string, base: RecipeValue, now: RecipeTable, name: string) => HTMLElement} */
  partChooser(path, kind, base, now, name) {
    const names = this.catalogue.parts(kind).map((each) => each.name);
    const use = nameOf(now);
    if (!names.includes(use)) names.push(use);
    const select = selectOf(names, use, (chosen) => this.replace(path, chosen === nameOf(base) ? base : chosen));
    const part = this.catalogue.part(kind, use);
    return this.frame(path, capital(label(name)), select, {
      baseline: base,
      isChanged: () => base !== undefined && nameOf(base) !== use,
      help: part ? inline(part.doc) : "",
      was: nameOf(base),
    });
  }

  /** @type {(path: string, parameter: Parameter, baseline: RecipeValue, value: RecipeValue, owner: string) => HTMLElement} */
  scalar(path, parameter, baseline, value, owner) {
    const input = inputOf(parameter, value, (typed) => {
      this.change(path, typed);
      this.mark(path);
    });
    return this.frame(path, labelOf(parameter, owner), input, {
      baseline,
      isChanged: () => baseline !== undefined && !isSame(this.value(path), baseline),
      was: valueLabel(baseline),
      isSwitch: parameter.type === "bool",
    });
  }

  // A list of parts, such as those of a mixture: each can be changed or removed, and more be added.
  /** @type {(path: string, parameter: Parameter, baseline: RecipeValue, value: RecipeValue) => HTMLElement} */
  list(path, parameter, baseline, value) {
    const kind = entryType(parameter.type);
    const items = (Array.isArray(value) ? value : []).filter(isTable);
    const bases = Array.isArray(baseline) && baseline.length === items.length ? baseline : null;
    const add = h("button", { type: "button", class: "small", onclick: () => {
      this.replace(path, [...items, items.at(-1) ?? this.catalogue.parts(kind)[0].name]);
    } }, `Add ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`);
    const box = this.frame(path, label(parameter.name), add, {
      baseline,
      isChanged: () => !bases && baseline !== undefined,
      was: Array.isArray(baseline) ? `${baseline.length} of them` : "",
      isGroup: true,
    });
    add.before(h("ol", { class: "parts" }, items.map((each, i) => h("li", {},
      this.part(`${path}.${i}`, kind, bases ? bases[i] : each, each, `${capital(kind)} ${i + 1}`),
      h("button", {
        type: "button", class: "quiet small remove", "aria-label": `Remove ${kind} ${i + 1}, ${nameOf(each)}`,
        onclick: () => this.replace(path, items.filter((_, place) => place !== i)),
      }, "Remove")))));
    return box;
  }

  /**
   * A labelled control with a mark if it is changed, and room for a message.
   * @param {string} path
   * @param {string} name
   * @param {Input} input
   * @param {object} options
   * @param {RecipeValue} options.baseline
   * @param {() => boolean} options.isChanged
   * @param {Child} [options.help]
   * @param {string} [options.was] the value before the change
   * @param {boolean} [options.isSwitch]
   * @param {boolean} [options.isGroup]
   */
  frame(path, name, input, { baseline, isChanged, help = "", was = "", isSwitch = false, isGroup = false }) {
    const id = `${this.prefix}-${path || "use"}`;
    input.id = id;
    const reset = h("button", {
      type: "button", class: "quiet reset", title: `Reset to ${was}`,
      "aria-label": `Reset ${pathLabel(path || "algorithm")} to ${was}`,
      onclick: () => {
        this.replace(path, baseline);
        document.getElementById(id)?.focus();
      },
    }, "↺ ", h("span", { class: "was" }, was));
    const helpText = help ? h("span", { class: "help", id: `${id}-help` }, help) : null;
    if (helpText) input.setAttribute("aria-describedby", helpText.id);
    const named = isGroup
      ? h("span", { class: "label", id: `${id}-label`, title: path }, name)
      : h("label", { class: "label", for: id, title: path || "use" }, name);
    const trouble = h("div", { class: "trouble", id: `${id}-trouble`, hidden: true });
    const title = isSwitch ? h("span", { class: "switch" }, input, named) : named;
    const box = h("div", { class: `field${isSwitch ? " switched" : ""}${isGroup ? " list" : ""}` },
      h("div", { class: "field-head" }, title, reset), isSwitch ? null : input, helpText, trouble);
    if (isGroup) {
      box.setAttribute("role", "group");
      box.setAttribute("aria-labelledby", named.id);
    }
    this.places.set(path, { box, input, reset, trouble, isChanged, path });
    this.mark(path);
    return box;
  }

  /** @param {string} path */
  mark(path) {
    const place = this.places.get(path);
    if (!place) return;
    const isChanged = place.isChanged();
    place.box.classList.toggle("changed", isChanged);
    place.reset.hidden = !isChanged;
  }

  /** @type {(path: string) => RecipeValue} */
  value(path) {
    /** @type {(value: RecipeValue, key: string) => RecipeValue} */
    const step = (value, key) => (Array.isArray(value) ? value[Number(key)] : isTable(value) ? value[key] : undefined);
    return path.split(".").reduce(step, this.now);
  }

  /** @param {Place} place */
  clear(place) {
    place.input.removeAttribute("aria-invalid");
    place.input.removeAttribute("aria-errormessage");
    place.trouble.hidden = true;
    fill(place.trouble);
  }

  /** @type {(key: string, summary: Child, ...body: Child[]) => HTMLElement} */
  details(key, summary, ...body) {
    const made = h("details", { open: this.open.has(key) }, h("summary", {}, summary), body);
    made.addEventListener("toggle", () => this.open[made.open ? "add" : "delete"](key));
    return made;
  }
}

// What is wrong, and buttons for values that would be accepted; `apply(path, value)` takes one.
/** @type {(problem: Problem, path: string, apply: (path: string, value: RecipeValue) => void) => Child[]} */
export function explanation(problem, path, apply) {
  const buttons = problem.alternatives.map((each) => h("button", {
    type: "button", class: "small", onclick: () => apply(each.path, each.value),
  }, each.path === path ? alternativeLabel(each.value) : `${pathLabel(each.path)}: ${alternativeLabel(each.value)}`));
  const instead = h("div", { class: "row", role: "group", "aria-label": "Alternatives" },
    h("span", { class: "small" }, "Use instead"), buttons);
  return [h("p", {}, sentence(problem.message)), buttons.length ? instead : null];
}

// "points by=box" for a part with a changed parameter, "default" for a list.
/** @type {(value: RecipeValue) => string} */
function alternativeLabel(value) {
  if (Array.isArray(value)) return "default";
  if (!isTable(value)) return valueLabel(value);
  return Object.entries(value).map(([key, each]) => (key === "use" ? each : `${key}=${each}`)).join(" ");
}

// The control of a parameter; `onInput(value)` is called with what a person enters. Text that is not a number is passed
// on as it is: the server says what was expected.
/** @type {(parameter: Parameter, value: RecipeValue, onInput: (value: RecipeValue) => void) => Input} */
function inputOf({ type, choices }, value, onInput) {
  const plain = { autocomplete: "off", spellcheck: "false" };
  if (type === "choice") return selectOf(choices, value, onInput);
  if (type === "bool") {
    const onchange = () => { onInput(input.checked); };
    const input = h("input", { type: "checkbox", checked: value === true, onchange });
    return input;
  }
  if (type === "int" || type === "float") {
    const input = h("input", {
      ...plain, type: "number", step: type === "int" ? "1" : "any", value: String(value),
      inputmode: type === "int" ? "numeric" : "decimal",
      oninput: () => { onInput(input.value === "" ? "" : Number(input.value)); },
    });
    return input;
  }
  const isList = type.startsWith("list of ");
  const text = Array.isArray(value) ? value.join(", ") : String(value ?? "");
  const input = h("input", { ...plain, type: "text", value: text, oninput: () => {
    const pieces = input.value.split(",").map((each) => each.trim()).filter(Boolean);
    if (!isList) onInput(input.value);
    else if (type.endsWith("str")) onInput(pieces);
    else onInput(pieces.map((each) => (Number.isNaN(Number(each)) ? each : Number(each))));
  } });
  return input;
}

/** @type {<T extends RecipeValue>(choices: T[], value: T, onInput: (value: T) => void) => HTMLSelectElement} */
function selectOf(choices, value, onInput) {
  const known = choices.includes(value) ? choices : [...choices, value];
  const select = h("select", { onchange: () => { onInput(known[select.selectedIndex]); } },
    known.map((each) => h("option", { value: String(each) }, String(each))));
  select.value = String(value);
  return select;
}
