// As much of a browser as the modules under test use. Import it before them.

export class FakeElement extends EventTarget {
  attributes = {};
  children = [];
  dataset = {};
  style = {};
  hidden = false;
  isConnected = true;

  constructor(tag) {
    super();
    this.tag = tag;
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  append(...children) {
    this.children.push(...children);
  }

  replaceChildren(...children) {
    this.children = children;
  }

  remove() {}

  focus() {}

  get textContent() {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }

  set textContent(text) {
    this.children = [text];
  }
}

class FakeStorage {
  values = new Map();

  getItem(name) {
    return this.values.get(name) ?? null;
  }

  setItem(name, value) {
    this.values.set(name, value);
  }
}

const elements = new Map();

const document = Object.assign(new EventTarget(), {
  hidden: false,
  documentElement: new FakeElement("html"),
  createElement: (tag) => new FakeElement(tag),
  getElementById(id) {
    if (!elements.has(id)) elements.set(id, new FakeElement(id));
    return elements.get(id);
  },
});

Object.assign(globalThis, {
  document,
  localStorage: new FakeStorage(),
  location: { origin: "http://here", pathname: "/" },
  matchMedia: () => Object.assign(new EventTarget(), { matches: false }),
});

// What a page means to do later ends with the page: no test waits until a message has faded away.
const { setTimeout: timeout } = globalThis;
globalThis.setTimeout = (...later) => timeout(...later).unref();

// The messages that the page has shown since the last call.
export function takeToasts() {
  const toasts = document.getElementById("toasts");
  const said = toasts.children.map((each) => each.textContent);
  toasts.replaceChildren();
  return said;
}
