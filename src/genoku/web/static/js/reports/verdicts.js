// @ts-check
// The claims of a report, and whether they hold.

import { fill, h } from "../dom.js";
import { inline } from "../markdown.js";
import { plural } from "../words.js";

/** @import { Claim, Verdicts } from "../types.d.ts" */

const KINDS = /** @type {const} */ ({ holds: "good", fails: "bad", undecided: "warn" });
const VERDICTS = /** @type {(keyof Verdicts)[]} */ (Object.keys(KINDS));

/** @param {Verdicts} counts */
export function verdictBar({ holds, fails, undecided }) {
  const all = holds + fails + undecided || 1;
  const counts = { holds, fails, undecided };
  const parts = VERDICTS.map((verdict) => {
    const part = h("i", { class: KINDS[verdict] });
    part.style.width = `${(100 * counts[verdict]) / all}%`;
    return part;
  });
  const said = `${plural(all, "claim")}: ${holds} hold, ${fails} fail, ${undecided} undecided`;
  return h("div", { class: "verdicts" },
    h("div", { class: "verdict-bar", role: "img", "aria-label": said }, parts),
    h("p", { class: "small verdict-words" },
      h("span", { class: "badge good" }, `${holds} hold`), " ",
      h("span", { class: "badge bad" }, `${fails} fail`), " ",
      h("span", { class: "badge warn" }, `${undecided} undecided`)));
}

/** @param {Claim[]} claims */
export function countVerdicts(claims) {
  const counts = { holds: 0, fails: 0, undecided: 0 };
  for (const each of claims) counts[each.verdict] += 1;
  return counts;
}

// All claims, or those with one verdict.
/** @type {(claims: Claim[], heading: string) => HTMLElement} */
export function claimList(claims, heading) {
  const counts = countVerdicts(claims);
  const list = h("ul", { class: "claims" });
  const buttons = h("div", { class: "row", role: "group", "aria-label": "Which claims to show" });
  const choices = VERDICTS.map((verdict) => [verdict, `${verdict} ${counts[verdict]}`]);
  choices.unshift(["", `All ${claims.length}`]);

  /** @param {string} wanted */
  function show(wanted) {
    fill(buttons, choices.map(([verdict, label]) => h("button", {
      type: "button", "aria-pressed": String(verdict === wanted), onclick: () => {
        show(verdict);
        /** @type {HTMLElement | null} */ (buttons.querySelector("[aria-pressed=true]"))?.focus();
      },
    }, label)));
    const chosen = claims.filter((each) => !wanted || each.verdict === wanted);
    fill(list, chosen.length ? chosen.map(claimItem) : h("li", { class: "soft" }, "None."));
  }

  show("");
  return h("section", { class: "card stack" }, h("div", { class: "row spread" }, h("h2", {}, heading), buttons), list);
}

// A line, with the evidence folded.
/** @param {Claim} each */
function claimItem(each) {
  return h("li", { class: each.verdict },
    h("span", { class: `badge ${KINDS[each.verdict]}` }, each.verdict),
    h("details", {},
      h("summary", { class: "claim" }, inline(each.text),
        each.where ? h("span", { class: "small soft" }, " (", inline(each.where), ")") : null),
      h("p", { class: "small soft because" }, inline(each.because))));
}
