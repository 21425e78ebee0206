// The form of a recipe, made from the catalogue: every part and every parameter of it, nested as they
// are. The main choices stand first, details open on demand; what is changed is marked and can be reset.

import { fill, h } from "../dom.js";
import { inline, prose } from "../markdown.js";
import { capital, sentence } from "../words.js";
import { same } from "./catalogue.js";
import { control } from "./fields.js";
import { isDetail, label, shown, trail } from "./labels.js";

const TOLD = 3; // parameters of a part that its summary has room for

let forms = 0;

export class Form {
  constructor(catalogue, { onChange }) {
    this.catalogue = catalogue;
    this.onChange = onChange;
    this.element = h("div", { class: "recipe-form" });
    this.prefix = `recipe-${++forms}`;
    this.open = new Set();
    this.problem = null;
    this.base = this.now = null;
    this.places = new Map(); // what stands for every path: { box, input, reset, trouble, isChanged, path }
  }

  // Show a recipe as it differs from another; both are whole.
  show(base, now) {
    this.base = base;
    this.now = now;
    this.render();
  }

  // Say at its field what is wrong with the recipe; null: nothing is.
  explain(problem) {
    this.problem = problem;
    for (const place of this.places.values()) this.clear(place);
    const place = problem && this.places.get(problem.path);
    if (!place) return;
    for (let box = place.box.parentElement; box && box !== this.element; box = box.parentElement) {
      if (box.tagName === "DETAILS") box.open = true;
    }
    this.point(place);
  }

  has(path) {
    return path !== "" && this.places.has(path);
  }

  focus(path) {
    this.places.get(path)?.input.focus();
  }

  change(path, value) {
    this.now = this.catalogue.put("algorithm", this.now, path ? path.split(".") : [], value);
    this.onChange(this.now);
  }

  // A change of what the form consists of.
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

  // An algorithm: which one, its main parts, and on demand the rest of them.
  algorithm(path, base, now, name) {
    const row = this.catalogue.part("algorithm", now.use);
    const head = this.chosen(path, "algorithm", base, now, name);
    const about = row?.about
      ? this.details(`${path}/about`, `About ${row.name}`, h("div", { class: "prose" }, prose(row.about))) : null;
    if (!row) return h("div", { class: "algorithm" }, head);
    const inner = row.parameters.filter((each) => each.type === "algorithm");
    const own = row.parameters.filter((each) => each.type !== "algorithm");
    const main = own.filter((each) => !isDetail(row.name, each.name));
    const rest = own.filter((each) => isDetail(row.name, each.name));
    const others = rest.map((each) => label(each.name).toLowerCase()).join(", ");
    const many = (parameters) => parameters.map((each) => this.parameter(path, each, base, now));
    return h("div", { class: "algorithm" },
      h("div", { class: "algorithm-head" }, head, about),
      h("div", { class: "recipe-grid" }, many(main)),
      rest.length
        ? this.details(`${path}/rest`, `More of ${row.name}: ${others}`, h("div", { class: "recipe-grid" }, many(rest)))
        : null,
      inner.map((each) => this.parameter(path, each, base, now)));
  }

  parameter(path, parameter, base, now) {
    const here = path ? `${path}.${parameter.name}` : parameter.name;
    const value = now[parameter.name];
    const usual = this.catalogue.filled(parameter.type, parameter.default);
    const baseline = base && base.use === now.use ? base[parameter.name] : usual;
    if (parameter.type === "algorithm") {
      const legend = now.use === "islands" ? "What every island runs" : "What it starts";
      return h("fieldset", { class: "inner" }, h("legend", {}, legend),
        this.algorithm(here, baseline, value, parameter.name));
    }
    if (this.catalogue.isKind(parameter.type)) {
      return this.part(here, parameter.type, baseline, value, label(parameter.name, now.use));
    }
    if (this.catalogue.isKind(this.catalogue.entry(parameter.type))) return this.list(here, parameter, baseline, value);
    return this.scalar(here, parameter, baseline, value, now.use);
  }

  // A part: which one, what that is in a line, and its parameters on demand.
  part(path, kind, base, now, name) {
    const row = this.catalogue.part(kind, now.use);
    const body = [];
    if (row?.parameters.length) {
      body.push(h("div", { class: "recipe-grid" },
        row.parameters.map((each) => this.parameter(path, each, base, now))));
    }
    if (row?.about) body.push(h("div", { class: "prose" }, prose(row.about)));
    return h("div", { class: "part" }, this.chosen(path, kind, base, now, name),
      body.length ? this.details(`${path}/details`, this.told(row, now, name), body) : null);
  }

  // What the details of a part hold, in a line.
  told(row, now, name) {
    const settings = row.parameters.slice(0, TOLD).map((each) =>
      h("span", {}, `${label(each.name).toLowerCase()} `, h("b", {}, shown(now[each.name]))));
    const others = row.parameters.length - settings.length;
    if (others > 0) settings.push(h("span", {}, `${others} more`));
    const hidden = h("span", { class: "unseen" }, `${name}, ${now.use}: `);
    return [hidden, settings.length ? settings : `more about ${row.name}`];
  }

  chosen(path, kind, base, now, name) {
    const rows = this.catalogue.parts(kind);
    const names = rows.map((row) => row.name);
    if (!names.includes(now.use)) names.push(now.use);
    const select = h("select", {}, names.map((each) => h("option", { value: each }, each)));
    select.value = now.use;
    select.addEventListener("change", () => this.replace(path, select.value === base?.use ? base : select.value));
    const row = this.catalogue.part(kind, now.use);
    return this.framed(path, capital(label(name)), select, {
      baseline: base,
      isChanged: () => base !== undefined && base?.use !== now.use,
      help: row ? inline(row.doc) : "",
      was: base?.use,
    });
  }

  scalar(path, parameter, baseline, value, owner) {
    const input = control(parameter, value, (typed) => {
      this.change(path, typed);
      this.mark(path);
    });
    return this.framed(path, label(parameter.name, owner), input, {
      baseline,
      isChanged: () => baseline !== undefined && !same(this.value(path), baseline),
      was: shown(baseline),
      isSwitch: parameter.type === "bool",
    });
  }

  // A list of parts, such as those of a mixture: each can be changed or taken out, and more be added.
  list(path, parameter, baseline, value) {
    const kind = this.catalogue.entry(parameter.type);
    const items = Array.isArray(value) ? value : [];
    const isOwn = Array.isArray(baseline) && baseline.length === items.length;
    const add = h("button", { type: "button", class: "small", onclick: () => {
      const last = items.at(-1) ?? this.catalogue.parts(kind)[0].name;
      this.replace(path, [...items, last]);
    } }, `Add ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`);
    const box = this.framed(path, label(parameter.name), add, {
      baseline,
      isChanged: () => !isOwn && baseline !== undefined,
      was: Array.isArray(baseline) ? `${baseline.length} of them` : "",
      isGroup: true,
    });
    add.before(h("ol", { class: "parts" }, items.map((each, i) => h("li", {},
      this.part(`${path}.${i}`, kind, isOwn ? baseline[i] : each, each, `${capital(kind)} ${i + 1}`),
      h("button", { type: "button", class: "quiet small remove", "aria-label": `Take out ${kind} ${i + 1}, ${each.use}`,
        onclick: () => this.replace(path, items.filter((_, place) => place !== i)) }, "Take out")))));
    return box;
  }

  // A labelled control with the mark of a change and room for a message.
  framed(path, name, input, { baseline, isChanged, help = "", was = "", isSwitch = false, isGroup = false }) {
    const id = `${this.prefix}-${path || "use"}`;
    input.id = id;
    const reset = h("button", {
      type: "button", class: "quiet reset", title: `Reset to ${was}`,
      "aria-label": `Reset ${trail(path || "algorithm")} to ${was}`,
      onclick: () => {
        this.replace(path, baseline);
        document.getElementById(id)?.focus();
      },
    }, "↺ ", h("span", { class: "was" }, was));
    const helped = help ? h("span", { class: "help", id: `${id}-help` }, help) : null;
    if (helped) input.setAttribute("aria-describedby", helped.id);
    const named = isGroup
      ? h("span", { class: "label", id: `${id}-label`, title: path }, name)
      : h("label", { class: "label", for: id, title: path || "use" }, name);
    const trouble = h("div", { class: "trouble", id: `${id}-trouble`, hidden: true });
    const titled = isSwitch ? h("span", { class: "switch" }, input, named) : named;
    const box = h("div", { class: `field${isSwitch ? " switched" : ""}${isGroup ? " list" : ""}` },
      h("div", { class: "field-head" }, titled, reset), isSwitch ? null : input, helped, trouble);
    if (isGroup) {
      box.setAttribute("role", "group");
      box.setAttribute("aria-labelledby", named.id);
    }
    const place = { box, input, reset, trouble, isChanged, path };
    this.places.set(path, place);
    this.mark(path);
    return box;
  }

  mark(path) {
    const place = this.places.get(path);
    const changed = place.isChanged();
    place.box.classList.toggle("changed", changed);
    place.reset.hidden = !changed;
  }

  value(path) {
    return path.split(".").reduce((value, key) => value?.[key], this.now);
  }

  clear(place) {
    place.input.removeAttribute("aria-invalid");
    place.input.removeAttribute("aria-errormessage");
    place.trouble.hidden = true;
    fill(place.trouble);
  }

  point(place) {
    place.input.setAttribute("aria-invalid", "true");
    place.input.setAttribute("aria-errormessage", place.trouble.id);
    place.trouble.hidden = false;
    fill(place.trouble, explained(this.problem, place.path, (path, value) => {
      this.replace(path === "use" ? "" : path, value);
      this.focus(place.path);
    }));
  }

  details(key, summary, ...body) {
    const made = h("details", { open: this.open.has(key) }, h("summary", {}, summary), body);
    made.addEventListener("toggle", () => this.open[made.open ? "add" : "delete"](key));
    return made;
  }
}

// What is wrong, and what would do as buttons; `apply(path, value)` does it.
export function explained(problem, path, apply) {
  const options = problem.alternatives;
  const buttons = options.map((each) => h("button", {
    type: "button", class: "small", onclick: () => apply(each.path, each.value),
  }, each.path === path ? valued(each.value) : `${trail(each.path)}: ${valued(each.value)}`));
  const instead = h("div", { class: "row", role: "group", "aria-label": "What would do" },
    h("span", { class: "small" }, "Take instead"), buttons);
  return [h("p", {}, sentence(problem.message)), buttons.length ? instead : null];
}

// "points by=box" for a part with a choice made, "as it comes" for a list.
function valued(value) {
  if (Array.isArray(value)) return "as it comes";
  if (!value || typeof value !== "object") return shown(value);
  return Object.entries(value).map(([key, each]) => (key === "use" ? each : `${key}=${each}`)).join(" ");
}
