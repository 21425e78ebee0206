// @ts-check
// The settings of a run as a link: the query in the page's hash, as short as possible, and back.

import { toast } from "./dom.js";
import { isTable } from "./recipe/catalogue.js";

/** @import { RecipeTable, Settings } from "./types.d.ts" */

/**
 * @typedef {object} Shared what a link can hold; what is missing has its default
 * @property {string} [puzzle]
 * @property {string | null} [box]
 * @property {string} [name]
 * @property {string} [preset]
 * @property {string} [until]
 * @property {Settings} [settings]
 * @property {RecipeTable | null} [recipe]
 * @property {number} [seed]
 * @property {number | null} [speed]
 */

const LONGEST = /** @type {const} */ ({ puzzle: 50_000, box: 20, name: 200, preset: 200, until: 500 });
const TEXTS = /** @type {(keyof typeof LONGEST)[]} */ (Object.keys(LONGEST));
const TABLES = /** @type {const} */ (["settings", "recipe"]);

/** @type {(key: string) => string} */
const parameterOf = (key) => (key === "settings" ? "set" : key); // as on the command line

// Escape only what a query cannot hold, so that a person can still read it.
/** @type {(text: string) => string} */
const encode = (text) => encodeURIComponent(text)
  .replace(/%20/g, "+")
  .replace(/%(2C|3A|3B|40|2F|24|7C)/g, (escape) => decodeURIComponent(escape));

// Settings as a query, without what has its default.
/** @type {(value: Shared) => string} */
export function toQuery(value) {
  /** @type {[string, string][]} */
  const pairs = [];
  for (const key of TEXTS) pairs.push([key, value[key] ?? ""]);
  for (const key of TABLES) {
    const table = value[key];
    if (isTable(table) && Object.keys(table).length) pairs.push([parameterOf(key), JSON.stringify(table)]);
  }
  if (value.seed) pairs.push(["seed", String(value.seed)]);
  if (typeof value.speed === "number") pairs.push(["speed", String(value.speed)]);
  return pairs.filter(([, text]) => text).map(([key, text]) => `${key}=${encode(text)}`).join("&");
}

// The settings in a query. What cannot be read is left out, and a message says so.
/** @type {(query: URLSearchParams) => Shared} */
export function fromQuery(query) {
  /** @type {Shared} */
  const value = {};
  /** @type {string[]} */
  const unread = [];
  /** @type {<K extends keyof Shared>(key: K, read: (text: string) => Shared[K]) => void} */
  const take = (key, read) => {
    const text = query.get(parameterOf(key));
    if (text === null) return;
    const found = read(text);
    if (found === undefined) unread.push(key);
    else value[key] = found;
  };
  for (const key of TEXTS) take(key, (text) => (text.length <= LONGEST[key] ? text : undefined));
  for (const key of TABLES) take(key, parseTable);
  take("seed", (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined));
  take("speed", (text) => (Number(text) > 0 && Number.isFinite(Number(text)) ? Number(text) : undefined));
  const were = unread.length > 1 ? "were" : "was";
  if (unread.length) toast(`The link's ${unread.join(" and ")} could not be read and ${were} left out.`, "bad");
  return value;
}

/** @type {(text: string) => RecipeTable | undefined} */
function parseTable(text) {
  try {
    const read = JSON.parse(text);
    return isTable(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

export const START = "start"; // in an address, asks for the run at once

// The address at which a run starts at once.
/** @type {(value: Shared) => string} */
export const startLink = (value) => `${link("solve", value)}&${START}=1`;

// The whole address of a page with settings: link("solve", { preset: "simon", seed: 7 })
/** @type {(path: string, value: Shared) => string} */
export function link(path, value) {
  const query = toQuery(value);
  return `${location.origin}${location.pathname}#/${path}${query ? `?${query}` : ""}`;
}
