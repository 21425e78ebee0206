// @ts-check
// The recipe as TOML: to read, copy, save, and import from a file.

import { copyText, h, toast } from "../dom.js";
import { count } from "../words.js";

const LARGEST = 20_000; // bytes of a file

/** @param {{ onImport: (text: string, name: string) => void }} options */
export function tomlView({ onImport }) {
  const text = h("pre", { class: "toml", tabindex: "0", "aria-label": "The recipe as TOML" });
  const note = h("p", { class: "soft small", hidden: true }, "Shown here as soon as the recipe can run.");
  const file = h("input", {
    type: "file", accept: ".toml,text/plain", class: "unseen", tabindex: "-1", "aria-label": "Recipe file (TOML)",
    onchange: readFile,
  });
  const select = () => getSelection()?.selectAllChildren(text);
  const copy = h("button", { type: "button", class: "small",
    onclick: () => copyText(text.textContent, "Recipe", select) }, "Copy");
  const save = h("button", { type: "button", class: "small", onclick: () => {
    const link = h("a", {
      href: URL.createObjectURL(new Blob([text.textContent], { type: "application/toml" })), download: "recipe.toml",
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } }, "Save as a file");

  async function readFile() {
    const [chosen] = file.files ?? [];
    file.value = "";
    if (!chosen) return;
    const { name, size } = chosen;
    if (size > LARGEST) toast(`Expected a recipe of at most ${count(LARGEST)} bytes, got ${count(size)}.`, "bad");
    else onImport(await chosen.text(), name);
  }

  return {
    element: h("details", { class: "toml-view" }, h("summary", {}, "Recipe as a file (TOML)"),
      h("div", { class: "row" }, copy, save,
        h("button", { type: "button", class: "small", onclick: () => file.click() }, "Import a file…"), file),
      note, text),
    /** @type {(toml: string, hasProblem: boolean) => void} */
    show(toml, hasProblem) {
      text.textContent = toml;
      text.hidden = !toml;
      copy.disabled = save.disabled = !toml;
      note.hidden = Boolean(toml) || !hasProblem;
    },
  };
}
