// The line at the head of the page when a run cannot be watched: what happened and what one can do.

import { fill, h } from "../dom.js";
import { count, sentence } from "../words.js";

// `trouble` as RunSession tells it, or null; `word` is what a step of the run is called.
export function showBanner(trouble, { word = "step", onResume, onAgain }) {
  const banner = document.getElementById("banner");
  banner.hidden = trouble === null;
  if (trouble === null) return fill(banner);
  if (trouble.kind === "server") return fill(banner, h("span", {}, "The server has gone; trying again…"));
  const again = h("button", { type: "button", onclick: onAgain }, "Start again");
  if (!trouble.resumable) {
    const gone = "This run is no longer on the server: it was ended elsewhere, or left alone for too long.";
    return fill(banner, h("span", {}, gone), again);
  }
  const resume = h("button", { type: "button", class: "primary", onclick: onResume },
    "Resume from the last checkpoint");
  const said = trouble.kind === "refused" ? sentence(trouble.message)
    : `The run was interrupted at ${word} ${count(trouble.step)}.`;
  return fill(banner, h("span", {}, said), resume, again);
}
