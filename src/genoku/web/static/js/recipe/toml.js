// The recipe as TOML: to read, copy, save, and to bring in from a file.

import { h, toast } from "../dom.js";
import { count } from "../words.js";

const LARGEST = 20_000; // characters of a file

export function tomlView({ onImport }) {
  const text = h("pre", { class: "toml", tabindex: "0", "aria-label": "The recipe as TOML" });
  const note = h("p", { class: "soft small", hidden: true }, "As soon as the recipe can run, it stands here.");
  const file = h("input", {
    type: "file", accept: ".toml,text/plain", class: "unseen", tabindex: "-1", "aria-label": "Recipe file (TOML)",
  });
  const buttons = [
    h("button", { type: "button", class: "small", onclick: copy }, "Copy"),
    h("button", { type: "button", class: "small", onclick: save }, "Save as a file"),
  ];

  async function copy() {
    try {
      await navigator.clipboard.writeText(text.textContent);
      toast("The recipe was copied.");
    } catch {
      getSelection().selectAllChildren(text);
      toast("The browser does not let the page copy: the recipe is selected instead.");
    }
  }

  function save() {
    const written = new Blob([text.textContent], { type: "application/toml" });
    const link = h("a", { href: URL.createObjectURL(written), download: "recipe.toml" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    file.value = "";
    if (!chosen) return;
    const { name, size } = chosen;
    if (size > LARGEST) toast(`Expected a recipe of at most ${count(LARGEST)} bytes, got ${count(size)}.`, "bad");
    else onImport(await chosen.text(), name);
  });

  return {
    element: h("details", { class: "toml-view" }, h("summary", {}, "Recipe as a file (TOML)"),
      h("div", { class: "row" }, buttons,
        h("button", { type: "button", class: "small", onclick: () => file.click() }, "Import a file …"), file),
      note, text),
    show(toml, problem) {
      text.textContent = toml;
      text.hidden = !toml;
      note.hidden = Boolean(toml) || !problem;
      for (const button of buttons) button.disabled = !toml;
    },
  };
}
