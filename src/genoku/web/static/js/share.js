// Everything about a run in a link: the hash's query, as short as can be, and back.

import { toast } from "./dom.js";
import { isTable } from "./recipe/catalogue.js";

const LONGEST = { puzzle: 50_000, box: 20, name: 200, preset: 200, until: 500 };

const named = (key) => (key === "settings" ? "set" : key); // as the command line has it

// Encoded so that a person can still read it: only what a query cannot hold as it is.
const encoded = (text) => encodeURIComponent(text)
  .replace(/%20/g, "+")
  .replace(/%(2C|3A|3B|40|2F|24|7C)/g, (escape) => decodeURIComponent(escape));

// The query of a value, without what is as it comes.
export function toQuery(value) {
  const said = [];
  for (const key of Object.keys(LONGEST)) if (value[key]) said.push([key, String(value[key])]);
  for (const key of ["settings", "recipe"]) {
    if (isTable(value[key]) && Object.keys(value[key]).length) said.push([named(key), JSON.stringify(value[key])]);
  }
  if (value.seed) said.push(["seed", String(value.seed)]);
  if (typeof value.speed === "number") said.push(["speed", String(value.speed)]);
  return said.map(([key, text]) => `${key}=${encoded(text)}`).join("&");
}

// What a query says; what makes no sense is left out, and said so.
export function fromQuery(query) {
  const value = {};
  const left = [];
  const take = (key, read) => {
    const text = query.get(named(key));
    if (text === null) return;
    const found = read(text);
    if (found === undefined) left.push(key);
    else value[key] = found;
  };
  for (const [key, longest] of Object.entries(LONGEST)) {
    take(key, (text) => (text.length <= longest ? text : undefined));
  }
  for (const key of ["settings", "recipe"]) take(key, table);
  take("seed", (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined));
  take("speed", (text) => (Number(text) > 0 && Number.isFinite(Number(text)) ? Number(text) : undefined));
  const were = left.length > 1 ? "were" : "was";
  if (left.length) toast(`The link's ${left.join(" and ")} could not be read, and ${were} left out.`, "bad");
  return value;
}

function table(text) {
  try {
    const read = JSON.parse(text);
    return isTable(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

// The whole address of a page with a value: link("solve", { preset: "simon", seed: 7 })
export function link(path, value) {
  const query = toQuery(value);
  return `${location.origin}${location.pathname}#/${path}${query ? `?${query}` : ""}`;
}
