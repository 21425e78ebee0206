// @ts-check
// Elements as expressions. Text is only ever set as text: nothing a person typed becomes markup.

/** @import { Attributes, Child } from "./types.d.ts" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * h("button", { class: "primary", onclick: start }, "Start")
 * @type {<K extends keyof HTMLElementTagNameMap>(tag: K, attributes?: Attributes, ...children: Child[]) => HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** @type {<K extends keyof SVGElementTagNameMap>(tag: K, attributes?: Record<string, string | number>, ...children: Child[]) => SVGElementTagNameMap[K]} */
export function svg(tag, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

// Nested lists as one list, without what is not there.
/** @type {(children: Child[]) => (Node | string)[]} */
const flatten = (children) => children.flatMap((child) => {
  if (Array.isArray(child)) return flatten(child);
  if (child === null || child === undefined || child === false) return [];
  return typeof child === "number" ? String(child) : child;
});

/** @type {<E extends Element>(element: E, attributes: Attributes | Record<string, string | number>, children: Child[]) => E} */
function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "value" || name === "checked") Object.assign(element, { [name]: value });
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...flatten(children));
  return element;
}

// Replace whatever an element holds.
/** @type {(element: Element, ...children: Child[]) => void} */
export function fill(element, ...children) {
  element.replaceChildren(...flatten(children));
}

// An element of index.html.
/** @type {(id: string) => HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`expected an element with the id ${id}`);
  return found;
}

// HTML that the server rendered, in which everything a person typed is text. Should it hold anything active, that is
// removed here, and the page's content security policy would not let it run.
/** @type {(html: string) => ChildNode[]} */
export function markup(html) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const each of body.querySelectorAll("script, style, iframe, object, embed, base, form")) each.remove();
  for (const each of body.querySelectorAll("*")) {
    for (const { name, value } of [...each.attributes]) {
      if (/^(on|style$)/i.test(name) || /^\s*(javascript|data:text)/i.test(value)) each.removeAttribute(name);
    }
  }
  return [...body.childNodes];
}

let fields = 0;

// A labelled field: field("Seed", input, "Decides the whole run.")
/** @type {(label: string, control: HTMLElement, help?: string) => HTMLElement} */
export function field(label, control, help = "") {
  const id = control.id || `field-${++fields}`;
  control.id = id;
  const described = help ? h("span", { class: "help", id: `${id}-help` }, help) : null;
  if (described) control.setAttribute("aria-describedby", described.id);
  return h("div", { class: "field" }, h("label", { class: "label", for: id }, label), control, described);
}

// A progress bar: meter("Runs done").show(0.5)
/** @param {string} label */
export function meter(label) {
  const filling = h("i");
  const element = h("div", {
    class: "bar", role: "progressbar", "aria-label": label, "aria-valuemin": "0", "aria-valuemax": "100",
  }, filling);
  return {
    element,
    /** @param {number} share */
    show(share) {
      filling.style.width = `${100 * share}%`;
      element.setAttribute("aria-valuenow", String(Math.floor(100 * share)));
    },
  };
}

// A term and its value in a list of facts: fact("Step", "12")
/** @type {(name: Child, value: Child, kind?: string) => HTMLElement} */
export const fact = (name, value, kind = "") =>
  h("div", { class: kind || null }, h("dt", {}, name), h("dd", {}, value));

// A short message at the edge of the page, read out by screen readers.
/** @type {(text: string, kind?: string) => void} */
export function toast(text, kind = "") {
  const message = h("div", { class: `toast ${kind}` }, text);
  byId("toasts").append(message);
  setTimeout(() => message.remove(), kind === "bad" ? 9000 : 4000);
}

// Copy to the clipboard, and say so; `select()` is called where the browser does not allow it.
/** @type {(text: string, what: string, select: () => void) => Promise<void>} */
export async function copyText(text, what, select) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch {
    select();
    toast(`${what} selected: this browser does not allow the page to copy it.`);
  }
}

const TYPING = "input:not([type=range]), textarea, select, [contenteditable], [role=grid]";
const PRESSED = "button, a, summary, [role=application]"; // where the space key already has a meaning

// Keys that press buttons while an element is visible: onKeys(element, { " ": pause, s: step }). Returns a function
// that ends it.
/** @type {(element: HTMLElement, buttons: Record<string, HTMLButtonElement>) => () => void} */
export function onKeys(element, buttons) {
  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !element.offsetParent) return;
    // A button that was pressed and is now hidden keeps the focus until the page is drawn again.
    const isShown = event.target instanceof Element && event.target.checkVisibility();
    const target = isShown ? event.target : document.body;
    if (document.querySelector("dialog[open]") || target.closest(TYPING)) return;
    if (event.key === " " && target.closest(PRESSED)) return;
    const button = buttons[event.key.toLowerCase()];
    if (!button || button.disabled || button.hidden) return;
    event.preventDefault();
    button.click();
  }
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}
