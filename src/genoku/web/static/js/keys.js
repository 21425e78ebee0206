// Keys that press the buttons of what is watched, wherever one is on the page.

const TYPING = "input:not([type=range]), textarea, select, [contenteditable], [role=grid]";
const PRESSED = "button, a, summary, [role=application]"; // which have the space key to themselves

// onKeys(element, { " ": pause, s: step }), while the element is on show; returns what ends it.
export function onKeys(element, buttons) {
  function hear(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !element.offsetParent) return;
    if (document.querySelector("dialog[open]") || event.target.closest(TYPING)) return;
    if (event.key === " " && event.target.closest(PRESSED)) return;
    const button = buttons[event.key.toLowerCase()];
    if (!button || button.disabled || button.hidden) return;
    event.preventDefault();
    button.click();
  }
  document.addEventListener("keydown", hear);
  return () => document.removeEventListener("keydown", hear);
}
