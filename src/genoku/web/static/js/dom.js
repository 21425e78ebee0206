// Elements as expressions. Text is only ever set as text: nothing a person typed becomes markup.

const SVG = "http://www.w3.org/2000/svg";

// h("button", { class: "primary", onclick: start }, "Start")
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

// Children may be lists of lists, and nothing where there is none.
const present = (children) => children.flat(Infinity)
  .filter((child) => child !== null && child !== undefined && child !== false);

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

// Put children in place of whatever an element holds.
export function fill(element, ...children) {
  element.replaceChildren(...present(children));
  return element;
}

// What the server has rendered, in which all that people typed is text. Should it hold more, nothing of that gets in:
// the page's policy lets it do nothing, and here it is left out.
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

// A labelled field: field("Seed", input, "decides the whole run")
let fields = 0;
export function field(label, control, help = "") {
  const id = control.id || `field-${++fields}`;
  control.id = id;
  const described = help ? h("span", { class: "help", id: `${id}-help` }, help) : null;
  if (described) control.setAttribute("aria-describedby", described.id);
  return h("div", { class: "field" }, h("label", { class: "label", for: id }, label), control, described);
}

// A bar that fills: meter("Runs made").show(0.5)
export function meter(label) {
  const filling = h("i");
  const element = h("div", {
    class: "bar", role: "progressbar", "aria-label": label, "aria-valuemin": "0", "aria-valuemax": "100",
  }, filling);
  return {
    element,
    show(share) {
      filling.style.width = `${100 * share}%`;
      element.setAttribute("aria-valuenow", Math.floor(100 * share));
    },
  };
}

// A short message at the edge of the page, read out by screen readers.
export function toast(text, kind = "") {
  const shown = h("div", { class: `toast ${kind}` }, text);
  document.getElementById("toasts").append(shown);
  setTimeout(() => shown.remove(), kind === "bad" ? 9000 : 4000);
}
