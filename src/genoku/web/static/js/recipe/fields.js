// Controls for the parameters of a part: numbers, switches, choices and text.

import { h } from "../dom.js";

// A control that shows a value; `onInput(value)` is called with what a person makes of it. What is no
// number goes to the server as it was typed, which says what was expected.
export function control(parameter, value, onInput) {
  if (parameter.type === "bool") return checkbox(value, onInput);
  if (parameter.type === "choice") return choice(parameter.choices, value, onInput);
  if (parameter.type === "int" || parameter.type === "float") return number(parameter.type, value, onInput);
  if (parameter.type.startsWith("list of ")) return list(parameter, value, onInput);
  const input = h("input", { type: "text", value: String(value ?? ""), spellcheck: "false", autocomplete: "off" });
  input.addEventListener("input", () => onInput(input.value));
  return input;
}

function checkbox(value, onInput) {
  const input = h("input", { type: "checkbox", checked: value === true });
  input.addEventListener("change", () => onInput(input.checked));
  return input;
}

export function choice(choices, value, onInput) {
  const known = choices.includes(value) ? choices : [...choices, value];
  const select = h("select", {}, known.map((each) => h("option", { value: String(each) }, String(each))));
  select.value = String(value);
  select.addEventListener("change", () => onInput(known[select.selectedIndex]));
  return select;
}

function number(type, value, onInput) {
  const input = h("input", {
    type: "number", step: type === "int" ? "1" : "any", value: String(value), autocomplete: "off",
    inputmode: type === "int" ? "numeric" : "decimal",
  });
  input.addEventListener("input", () => onInput(input.value === "" ? "" : Number(input.value)));
  return input;
}

const numbered = (text) => (Number.isNaN(Number(text)) ? text : Number(text));

// A list of plain values, separated by commas.
function list(parameter, value, onInput) {
  const text = Array.isArray(value) ? value.join(", ") : String(value ?? "");
  const input = h("input", { type: "text", value: text, spellcheck: "false", autocomplete: "off" });
  input.addEventListener("input", () => {
    const pieces = input.value.split(",").map((each) => each.trim()).filter(Boolean);
    onInput(parameter.type.endsWith("str") ? pieces : pieces.map(numbered));
  });
  return input;
}
