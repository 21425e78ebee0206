// The line at the head of the page when a run or a race cannot be watched: what happened and what one can do.

import { fill, h } from "./dom.js";
import { sentence } from "./words.js";

// `trouble` as a session tells it, or null; `what` is "run" or "race"; `at(step)` says how far it had come.
export function showBanner(trouble, { what, at = () => "", onResume, onAgain } = {}) {
  const banner = document.getElementById("banner");
  banner.hidden = trouble === null;
  if (trouble === null) return fill(banner);
  if (trouble.kind === "server") return fill(banner, h("span", {}, "The server has gone; trying again…"));
  const again = h("button", { type: "button", onclick: onAgain }, "Start again");
  if (!trouble.resumable) {
    const gone = `This ${what} is no longer on the server: it was ended elsewhere, or left alone for too long.`;
    return fill(banner, h("span", {}, gone), again);
  }
  const resume = h("button", { type: "button", class: "primary", onclick: onResume },
    "Resume from the last checkpoint");
  const said = trouble.kind === "refused" ? sentence(trouble.message)
    : `The ${what} was interrupted${at(trouble.step)}.`;
  return fill(banner, h("span", {}, said), resume, again);
}
