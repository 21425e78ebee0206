// A dialog with a title, content and a way out. Escape closes it; focus goes back where it was.

import { h } from "./dom.js";

let dialogs = 0;

export function openDialog(title, content, { onClose = () => {}, wide = false } = {}) {
  const id = `dialog-${++dialogs}`;
  const shut = () => dialog.close();
  const dialog = h("dialog", { class: wide ? "dialog wide" : "dialog", "aria-labelledby": id },
    h("div", { class: "row spread dialog-head" },
      h("h2", { id }, title),
      h("button", { class: "quiet", type: "button", "aria-label": "Close", onclick: shut }, "✕")),
    content);
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose();
  });
  dialog.addEventListener("mousedown", (event) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const inside = event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
    if (event.target === dialog && !inside) shut(); // on the backdrop
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// A question to be answered with yes or no before anything is lost or long; `text` may be elements.
export function askFirst(title, text, yes) {
  return new Promise((answer) => {
    let said = false;
    const close = (value) => {
      said = value;
      dialog.close();
    };
    const sure = h("button", { class: "primary", type: "button", onclick: () => close(true) }, yes);
    const cancel = h("button", { type: "button", onclick: () => close(false) }, "Cancel");
    const content = h("div", { class: "stack" }, typeof text === "string" ? h("p", {}, text) : text,
      h("div", { class: "row" }, sure, cancel));
    const dialog = openDialog(title, content, { onClose: () => answer(said) });
    cancel.focus();
  });
}

// Where a dialog tells what went wrong.
export function complaint() {
  const element = h("div", { class: "notice bad", role: "alert", hidden: true });
  return {
    element,
    say(text) {
      element.textContent = text;
      element.hidden = !text;
    },
  };
}
