// Schemas of the API in words and as trees that unfold.

import { h } from "../dom.js";
import { inline } from "../markdown.js";
import { count } from "../words.js";

const DEEPEST = 8;

// A schema itself, where there is only a pointer to it.
export function resolve(api, schema) {
  let found = schema ?? {};
  while (found.$ref) {
    const { $ref, ...own } = found;
    const parts = $ref.replace(/^#\//, "").split("/");
    const path = parts.map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~"));
    found = { ...path.reduce((at, part) => at?.[part], api), ...own };
  }
  return found;
}

// What a value must be, in a few words: "whole number, 0 to 100".
export function typeWords(api, schema) {
  const found = resolve(api, schema);
  const choices = found.anyOf ?? found.oneOf;
  if (choices) return [...new Set(choices.map((each) => typeWords(api, each)))].join(" or ");
  if (found.const !== undefined) return JSON.stringify(found.const);
  if (found.enum) return found.enum.map((each) => JSON.stringify(each)).join(", ");
  const bounds = boundWords(found);
  if (found.type === "array") return `list of ${found.items ? many(typeWords(api, found.items)) : "anything"}${bounds}`;
  if (found.properties) return found.title || "object";
  if (found.type === "object") return `object${bounds}`;
  const words = { integer: "whole number", number: "number", string: "text", boolean: "true or false", null: "null" };
  return `${words[found.type] ?? "anything"}${bounds}`;
}

// Of several: "whole numbers, 0 to 9".
const many = (words) => words.replace(/^(whole number|number|text|object)\b/, "$1s");

function boundWords(schema) {
  const said = [];
  const [low, high] = [schema.minimum ?? schema.exclusiveMinimum, schema.maximum ?? schema.exclusiveMaximum];
  const below = schema.exclusiveMaximum !== undefined ? "below " : "";
  if (low !== undefined && high !== undefined) said.push(`${low} to ${below}${high}`);
  else if (low !== undefined) said.push(schema.exclusiveMinimum === undefined ? `${low} or more` : `above ${low}`);
  else if (high !== undefined) said.push(`${below || "up to "}${high}`);
  if (schema.maxLength !== undefined) said.push(`up to ${count(schema.maxLength)} characters`);
  if (schema.minItems || schema.maxItems) {
    said.push(`${schema.minItems ?? 0} to ${schema.maxItems ?? "any number of"} items`);
  }
  if (schema.pattern) said.push(`like ${schema.pattern}`);
  return said.length ? `, ${said.join(", ")}` : "";
}

// The tables inside a schema, however it wraps them.
function tableIn(api, schema) {
  const found = resolve(api, schema);
  if (found.properties) return found;
  if (found.type === "array" && found.items) return tableIn(api, found.items);
  for (const each of found.anyOf ?? found.oneOf ?? []) {
    const table = tableIn(api, each);
    if (table) return table;
  }
  return null;
}

// A schema as a list of its fields; those that hold others unfold. Of an answer all fields are there,
// so it is of what is `asked` only that a reader wants to know which are needed.
export function schemaTree(api, schema, asked = false, depth = 0) {
  const found = resolve(api, schema);
  const table = tableIn(api, found);
  if (!table) {
    const about = found.description ? [": ", inline(found.description)] : null;
    return h("p", { class: "schema-plain" }, typeWords(api, found), about);
  }
  const required = new Set(asked ? (table.required ?? []) : []);
  const lead = found.properties ? null : h("p", { class: "schema-plain" }, typeWords(api, found), " with");
  return [lead, h("ul", { class: "schema" }, Object.entries(table.properties).map(([name, each]) =>
    h("li", {}, field(api, name, each, required.has(name), asked, depth))))];
}

function field(api, name, schema, isRequired, asked, depth) {
  const found = resolve(api, schema);
  const head = [
    h("code", { class: isRequired ? "required" : "" }, name), " ",
    h("span", { class: "type" }, typeWords(api, schema)),
    isRequired ? h("span", { class: "needed" }, " needed") : null,
    found.default !== undefined && found.default !== null && found.default !== ""
      ? h("span", { class: "soft" }, `, else ${JSON.stringify(found.default)}`) : null,
    found.description ? h("span", { class: "soft about" }, inline(found.description)) : null,
  ];
  if (depth >= DEEPEST || !tableIn(api, found)) return h("div", {}, head);
  const details = h("details", {
    ontoggle: () => {
      if (!details.open || details.childElementCount > 1) return;
      details.append(...[schemaTree(api, found, asked, depth + 1)].flat().filter(Boolean));
    },
  }, h("summary", {}, head));
  return details;
}

// A value that fits a schema: its example, what is needed, or what stands if nothing is said.
export function example(api, schema, depth = 0) {
  const found = resolve(api, schema);
  if (found.examples?.length) return found.examples[0];
  if (found.example !== undefined) return found.example;
  if (found.default !== undefined) return found.default;
  if (found.const !== undefined) return found.const;
  if (found.enum) return found.enum[0];
  const choices = found.anyOf ?? found.oneOf;
  if (choices) return example(api, choices[0], depth);
  if (found.properties && depth < DEEPEST) {
    const required = new Set(found.required ?? []);
    const shown = Object.entries(found.properties)
      .filter(([name, each]) => required.has(name) || resolve(api, each).examples);
    return Object.fromEntries(shown.map(([name, each]) => [name, example(api, each, depth + 1)]));
  }
  if (found.type === "array") {
    return Array.from({ length: found.minItems ?? 0 }, () => example(api, found.items, depth + 1));
  }
  if (found.type === "integer" || found.type === "number") return found.minimum ?? 1;
  return { string: "", boolean: false, object: {}, null: null }[found.type] ?? null;
}
