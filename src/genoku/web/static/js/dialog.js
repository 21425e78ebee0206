// @ts-check
// A dialog with a title, content and a close button. Escape closes it, and the focus returns to where it was.

import { h } from "./dom.js";

/** @import { Child } from "./types.d.ts" */

let dialogs = 0;

/** @type {(title: string, content: Child, options?: { onClose?: () => void, wide?: boolean }) => HTMLDialogElement} */
export function openDialog(title, content, { onClose = () => {}, wide = false } = {}) {
  const id = `dialog-${++dialogs}`;
  const close = () => { dialog.close(); };
  const dialog = h("dialog", { class: wide ? "dialog wide" : "dialog", "aria-labelledby": id },
    h("div", { class: "row spread dialog-head" },
      h("h2", { id }, title),
      h("button", { class: "quiet", type: "button", "aria-label": "Close", onclick: close }, "✕")),
    content);
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose();
  });
  dialog.addEventListener("mousedown", (event) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const inside = event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
    if (event.target === dialog && !inside) close(); // on the backdrop
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// Ask before something is lost or takes long; resolves to whether the answer was yes.
/** @type {(title: string, text: Child, yes: string) => Promise<boolean>} */
export function confirmFirst(title, text, yes) {
  return new Promise((resolve) => {
    let confirmed = false;
    /** @param {boolean} answer */
    const close = (answer) => {
      confirmed = answer;
      dialog.close();
    };
    const sure = h("button", { class: "primary", type: "button", onclick: () => close(true) }, yes);
    const cancel = h("button", { type: "button", onclick: () => close(false) }, "Cancel");
    const content = h("div", { class: "stack" }, typeof text === "string" ? h("p", {}, text) : text,
      h("div", { class: "row" }, sure, cancel));
    const dialog = openDialog(title, content, { onClose: () => resolve(confirmed) });
    cancel.focus();
  });
}

// Where a dialog or a panel says what went wrong: errorLine().say("expected …"); "" hides it.
export function errorLine() {
  const element = h("div", { class: "notice bad", role: "alert", hidden: true });
  return {
    element,
    /** @param {string} text */
    say(text) {
      element.textContent = text;
      element.hidden = !text;
    },
  };
}
