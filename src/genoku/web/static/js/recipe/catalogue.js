// The catalogue of parts and the presets, and arithmetic with recipes: whole ones, differences, paths.

import { get } from "../api.js";

let loading = null;

// The catalogue and the presets, asked for once.
export function load() {
  if (!loading) {
    loading = Promise.all([get("/api/catalogue"), get("/api/presets")])
      .then(([rows, presets]) => ({ catalogue: new Catalogue(rows), presets }));
    loading.catch(() => { loading = null; });
  }
  return loading;
}

export const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

// Keys in any order; 1 and 1.0 are one number here.
export function same(one, two) {
  if (Array.isArray(one)) {
    return Array.isArray(two) && one.length === two.length && one.every((each, i) => same(each, two[i]));
  }
  if (isTable(one)) {
    if (!isTable(two)) return false;
    const keys = Object.keys(one);
    return keys.length === Object.keys(two).length && keys.every((key) => key in two && same(one[key], two[key]));
  }
  return one === two;
}

class Catalogue {
  constructor(rows) {
    this.kinds = {};
    for (const row of rows) (this.kinds[row.kind] ??= new Map()).set(row.name, row);
  }

  part(kind, name) {
    return this.kinds[kind]?.get(name) ?? null;
  }

  parts(kind) {
    return [...this.kinds[kind].values()];
  }

  isKind(type) {
    return type in this.kinds;
  }

  // What the entries of a list are, or "" if it is none: "list of crossover" has crossovers.
  entry(type) {
    return type.startsWith("list of ") ? type.slice("list of ".length) : "";
  }

  // A part with everything that it leaves to defaults. What is unknown stays as it is: the server says why.
  whole(kind, recipe) {
    const table = isTable(recipe) ? recipe : { use: recipe };
    const row = this.part(kind, table.use);
    if (!row) return { ...table, use: String(table.use ?? "") };
    const made = { use: row.name };
    for (const each of row.parameters) {
      made[each.name] = this.filled(each.type, each.name in table ? table[each.name] : each.default);
    }
    return { ...table, ...made };
  }

  filled(type, value) {
    if (this.isKind(type)) return this.whole(type, value);
    const entry = this.entry(type);
    return entry && Array.isArray(value) ? value.map((each) => this.filled(entry, each)) : value;
  }

  // The shortest way to say a part: its name, and what is not as it comes.
  short(kind, table) {
    const row = this.part(kind, table.use);
    if (!row) return table;
    const said = {};
    for (const each of row.parameters) {
      const usual = this.filled(each.type, each.default);
      if (!same(table[each.name], usual)) said[each.name] = this.shortValue(each.type, table[each.name]);
    }
    return Object.keys(said).length ? { use: table.use, ...said } : table.use;
  }

  shortValue(type, value) {
    if (this.isKind(type)) return this.short(type, value);
    const entry = this.entry(type);
    return entry && Array.isArray(value) ? value.map((each) => this.shortValue(entry, each)) : value;
  }

  // The settings that make one whole recipe of another: { "selection.size": 5, "crossover": "order" }.
  difference(base, now) {
    const settings = {};
    this.differ("algorithm", base, now, "", settings);
    return settings;
  }

  differ(type, base, now, path, settings) {
    if (same(base, now)) return;
    const entry = this.entry(type);
    if (this.isKind(type) && base?.use === now.use && this.part(type, now.use)) {
      for (const each of this.part(type, now.use).parameters) {
        this.differ(each.type, base[each.name], now[each.name], path ? `${path}.${each.name}` : each.name, settings);
      }
    } else if (entry && Array.isArray(base) && Array.isArray(now) && base.length === now.length) {
      now.forEach((each, i) => this.differ(entry, base[i], each, `${path}.${i}`, settings));
    } else {
      settings[path || "use"] = this.shortValue(type, now);
    }
  }

  // A whole recipe with settings applied; those that lead nowhere are left to the server to explain.
  applied(recipe, settings) {
    let now = recipe;
    for (const [path, value] of Object.entries(settings)) now = this.put("algorithm", now, path.split("."), value);
    return now;
  }

  put(type, old, keys, value) {
    if (!keys.length) return this.filled(type, value);
    const [key, ...rest] = keys;
    if (this.isKind(type)) {
      if (key === "use" && !rest.length) return this.whole(type, value);
      const parameter = this.part(type, old?.use)?.parameters.find((each) => each.name === key);
      return parameter ? { ...old, [key]: this.put(parameter.type, old[key], rest, value) } : old;
    }
    const entry = this.entry(type);
    if (!entry || !Array.isArray(old) || !(key in old)) return old;
    return old.map((each, i) => (String(i) === key ? this.put(entry, each, rest, value) : each));
  }
}

// Changes in a few words: "population=500, selection=rank".
export function summary(settings) {
  return Object.entries(settings).map(([path, value]) => `${path}=${said(value)}`).join(", ");
}

function said(value) {
  if (Array.isArray(value)) return `[${value.map(said).join(", ")}]`;
  if (!isTable(value)) return String(value);
  const rest = Object.entries(value).filter(([key]) => key !== "use").map(([key, each]) => `${key}=${said(each)}`);
  return rest.length ? `${value.use} (${rest.join(", ")})` : String(value.use);
}
