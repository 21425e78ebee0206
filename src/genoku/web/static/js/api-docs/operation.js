// One address of the API: what it does, what it takes and answers, and a way to try it.

import { fill, h, toast } from "../dom.js";
import { inline } from "../markdown.js";
import { curlSample, pythonSample } from "./samples.js";
import { example, resolve, schemaTree, typeWords } from "./schema.js";
import { trial } from "./trial.js";

const METHODS = new Set(["get", "post", "delete", "put", "patch"]);
const PLACES = new Set(["path", "query"]);

// All operations of an API, in the order of its description.
export function operations(api) {
  const found = [];
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, about] of Object.entries(methods)) {
      if (METHODS.has(method)) found.push(operationOf(api, path, method.toUpperCase(), about));
    }
  }
  return found;
}

function operationOf(api, path, method, about) {
  const parameters = (about.parameters ?? []).map((each) => resolve(api, each)).filter((each) => PLACES.has(each.in));
  const body = about.requestBody?.content?.["application/json"]?.schema;
  const answers = Object.entries(about.responses ?? {}).map(([status, each]) => ({ status, ...resolve(api, each) }));
  const good = answers.find((each) => each.status.startsWith("2")) ?? { content: {} };
  const kinds = Object.keys(good.content ?? {});
  return {
    path, method, parameters, body, answers, good, kinds,
    group: about.tags?.[0] ?? "other", summary: about.summary ?? "", description: about.description ?? "",
    id: `${method.toLowerCase()}-${path.replace(/[^a-z0-9]+/gi, "-").replace(/^-|-$/g, "")}`,
    streams: kinds.includes("text/event-stream"),
    isJson: kinds.length === 0 || kinds.includes("application/json"),
    // The address with values in place of its parameters, or ID for what is not said; those of the query only if said.
    address(values, whole = true) {
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] || name.toUpperCase()));
      const query = parameters.filter((each) => each.in === "query" && values[each.name])
        .map((each) => `${each.name}=${encodeURIComponent(values[each.name])}`).join("&");
      return `${whole ? location.origin : ""}${filled}${query ? `?${query}` : ""}`;
    },
  };
}

export function operationView(api, operation) {
  const body = h("div", { class: "operation-body" });
  const details = h("details", { class: "operation", id: operation.id, ontoggle: () => {
    if (details.open && !body.childElementCount) fill(body, inside(api, operation));
  } },
  h("summary", {},
    h("span", { class: `method ${operation.method.toLowerCase()}` }, operation.method),
    h("code", { class: "path" }, operation.path),
    h("span", { class: "soft summary" }, operation.summary)),
  body);
  return details;
}

function inside(api, operation) {
  const values = Object.fromEntries(operation.parameters.map((each) => [each.name, given(api, each)]));
  const body = operation.body ? example(api, operation.body) : undefined;
  const samples = h("div", { class: "samples" });
  const drawSamples = (now) => {
    const asked = { ...operation, address: operation.address(now.values), body: now.body };
    fill(samples, sample("curl", curlSample(asked)), sample("Python", pythonSample(asked)));
  };
  drawSamples({ values, body });
  const tries = operation.method !== "DELETE";
  return [
    operation.description ? h("p", {}, inline(operation.description.replace(/\s+/g, " "))) : null,
    operation.parameters.length ? parameterList(api, operation.parameters) : null,
    operation.body ? [h("h3", {}, "Body"), schemaTree(api, operation.body, true)] : null,
    h("h3", {}, "Answer"),
    answer(api, operation),
    h("h3", {}, "For example"),
    samples,
    tries ? h("details", { class: "try" }, h("summary", {}, "Try it"),
      trial(operation, { values, body, onChange: drawSamples })) : null,
  ];
}

// What to fill a parameter with: its own example, or its schema's, or the first choice of what is needed.
function given(api, parameter) {
  const named = parameter.examples && Object.values(parameter.examples)[0];
  const { examples, enum: choices } = resolve(api, parameter.schema);
  const said = named?.value ?? named ?? parameter.example ?? examples?.[0] ?? (parameter.required && choices?.[0]);
  return String(said || "");
}

const parameterList = (api, parameters) => [
  h("h3", {}, "Parameters"),
  h("ul", { class: "schema" }, parameters.map((each) => parameter(api, each))),
];

function parameter(api, each) {
  const { description } = each;
  return h("li", {}, h("div", {}, h("code", { class: each.required ? "required" : "" }, each.name), " ",
    h("span", { class: "type" }, `${typeWords(api, each.schema)}, in the ${each.in}`),
    each.required ? h("span", { class: "needed" }, " needed") : null,
    description ? h("span", { class: "soft about" }, inline(description)) : null));
}

function answer(api, operation) {
  const { status, description, content = {} } = operation.good;
  const schema = content["application/json"]?.schema;
  const others = Object.keys(content).filter((kind) => kind !== "application/json");
  return [
    h("p", { class: "small" }, h("span", { class: "badge good" }, status ?? "200"), " ",
      others.length ? others.join(", ") : (schema ? "JSON" : (description ?? "nothing"))),
    schema && Object.keys(schema).length ? schemaTree(api, schema) : null,
  ];
}

function sample(label, text) {
  const copy = h("button", {
    type: "button", class: "quiet", "aria-label": `Copy the ${label} example`, onclick: async () => {
      try {
        await navigator.clipboard.writeText(text);
        toast("Copied");
      } catch {
        toast("This browser does not let pages copy", "bad");
      }
    },
  }, "Copy");
  return h("figure", { class: "sample" }, h("figcaption", {}, label, copy), h("pre", { tabindex: "0" }, text));
}
