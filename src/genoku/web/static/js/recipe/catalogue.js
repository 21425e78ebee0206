// @ts-check
// The catalogue of parts and the presets, and what can be computed with recipes: completing, comparing, changing.
// A recipe is complete if it names every parameter; what differs from the defaults is all that has to be written down.

import { get } from "../api.js";

/** @import { Part, Preset, RecipeTable, RecipeValue, Settings } from "../types.d.ts" */

/** @type {Promise<{ catalogue: Catalogue, presets: Preset[] }> | null} */
let loading = null;

// The catalogue and the presets, requested once.
export function load() {
  if (!loading) {
    loading = Promise.all([get("/api/catalogue"), get("/api/presets")])
      .then(([parts, presets]) => ({ catalogue: new Catalogue(parts), presets }));
    loading.catch(() => { loading = null; });
  }
  return loading;
}

/**
 * @param {unknown} value
 * @returns {value is RecipeTable}
 */
export function isTable(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

// The name of a part, or "" where it has none.
/** @type {(value: RecipeValue) => string} */
export const nameOf = (value) => (isTable(value) ? String(value.use ?? "") : "");

// Whether two values are equal; keys may be in any order, and 1 equals 1.0.
/** @type {(one: RecipeValue, two: RecipeValue) => boolean} */
export function isSame(one, two) {
  if (Array.isArray(one)) {
    return Array.isArray(two) && one.length === two.length && one.every((each, i) => isSame(each, two[i]));
  }
  if (isTable(one)) {
    if (!isTable(two)) return false;
    const keys = Object.keys(one);
    return keys.length === Object.keys(two).length && keys.every((key) => key in two && isSame(one[key], two[key]));
  }
  return one === two;
}

// What the entries of a list are, or "" if a type is no list: "list of crossover" has crossovers.
/** @type {(type: string) => string} */
export const entryType = (type) => (type.startsWith("list of ") ? type.slice("list of ".length) : "");

export class Catalogue {
  /** @type {Record<string, Map<string, Part>>} */
  kinds = {};

  /** @param {Part[]} parts */
  constructor(parts) {
    for (const part of parts) (this.kinds[part.kind] ??= new Map()).set(part.name, part);
  }

  /** @type {(kind: string, name: RecipeValue) => Part | null} */
  part(kind, name) {
    return this.kinds[kind]?.get(String(name)) ?? null;
  }

  /** @type {(kind: string) => Part[]} */
  parts(kind) {
    return [...this.kinds[kind].values()];
  }

  /** @type {(type: string) => boolean} */
  isKind(type) {
    return type in this.kinds;
  }

  // A part with every parameter. An unknown one stays as it is: the server explains what is wrong.
  /** @type {(kind: string, recipe: RecipeValue) => RecipeTable} */
  complete(kind, recipe) {
    const table = isTable(recipe) ? recipe : { use: recipe };
    const part = this.part(kind, table.use);
    if (!part) return { ...table, use: nameOf(table) };
    /** @type {RecipeTable} */
    const made = { use: part.name };
    for (const each of part.parameters) {
      made[each.name] = this.completeValue(each.type, each.name in table ? table[each.name] : each.default);
    }
    return { ...table, ...made };
  }

  /** @type {(type: string, value: RecipeValue) => RecipeValue} */
  completeValue(type, value) {
    if (this.isKind(type)) return this.complete(type, value);
    const entry = entryType(type);
    return entry && Array.isArray(value) ? value.map((each) => this.completeValue(entry, each)) : value;
  }

  // The shortest way to write a value: of a part, its name and what differs from its defaults.
  /** @type {(type: string, value: RecipeValue) => RecipeValue} */
  shorten(type, value) {
    const entry = entryType(type);
    if (entry && Array.isArray(value)) return value.map((each) => this.shorten(entry, each));
    const part = isTable(value) && this.part(type, value.use);
    if (!part) return value;
    /** @type {RecipeTable} */
    const changed = {};
    for (const each of part.parameters) {
      const now = value[each.name];
      if (!isSame(now, this.completeValue(each.type, each.default))) changed[each.name] = this.shorten(each.type, now);
    }
    return Object.keys(changed).length ? { use: value.use, ...changed } : value.use;
  }

  // The settings that turn one complete recipe into another: { "selection.size": 5, "crossover": "order" }.
  /** @type {(base: RecipeTable, now: RecipeTable) => Settings} */
  difference(base, now) {
    /** @type {Settings} */
    const settings = {};
    this.#collect("algorithm", base, now, "", settings);
    return settings;
  }

  /** @type {(type: string, base: RecipeValue, now: RecipeValue, path: string, settings: Settings) => void} */
  #collect(type, base, now, path, settings) {
    if (isSame(base, now)) return;
    const entry = entryType(type);
    const part = isTable(now) && this.part(type, now.use);
    if (part && isTable(base) && base.use === now.use) {
      for (const { name, type: inner } of part.parameters) {
        this.#collect(inner, base[name], now[name], path ? `${path}.${name}` : name, settings);
      }
    } else if (entry && Array.isArray(base) && Array.isArray(now) && base.length === now.length) {
      now.forEach((each, i) => this.#collect(entry, base[i], each, `${path}.${i}`, settings));
    } else {
      settings[path || "use"] = this.shorten(type, now);
    }
  }

  // A complete recipe with settings applied. Paths that lead nowhere are skipped: the server explains what is wrong.
  /** @type {(recipe: RecipeTable, settings: Settings) => RecipeTable} */
  apply(recipe, settings) {
    return Object.entries(settings).reduce((now, [path, value]) => this.replace(now, path, value), recipe);
  }

  // A complete recipe with another value at a path; "" is the algorithm itself.
  /** @type {(recipe: RecipeTable, path: string, value: RecipeValue) => RecipeTable} */
  replace(recipe, path, value) {
    return /** @type {RecipeTable} */ (this.#put("algorithm", recipe, path ? path.split(".") : [], value));
  }

  /** @type {(type: string, old: RecipeValue, keys: string[], value: RecipeValue) => RecipeValue} */
  #put(type, old, keys, value) {
    const [key, ...rest] = keys;
    if (key === undefined) return this.completeValue(type, value);
    if (this.isKind(type)) {
      if (key === "use" && !rest.length) return this.complete(type, value);
      const parameter = isTable(old) && this.part(type, old.use)?.parameters.find((each) => each.name === key);
      return parameter ? { ...old, [key]: this.#put(parameter.type, old[key], rest, value) } : old;
    }
    const entry = entryType(type);
    if (!entry || !Array.isArray(old)) return old;
    return old.map((each, i) => (String(i) === key ? this.#put(entry, each, rest, value) : each));
  }
}

// Changes in a few words: "population=500, selection=rank".
/** @type {(settings: Settings) => string} */
export function summary(settings) {
  return Object.entries(settings).map(([path, value]) => `${path}=${formatValue(value)}`).join(", ");
}

/** @type {(value: RecipeValue) => string} */
function formatValue(value) {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(", ")}]`;
  if (!isTable(value)) return String(value);
  const rest = Object.entries(value).filter(([key]) => key !== "use");
  const words = rest.map(([key, each]) => `${key}=${formatValue(each)}`);
  return words.length ? `${nameOf(value)} (${words.join(", ")})` : nameOf(value);
}
