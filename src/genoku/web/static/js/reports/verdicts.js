// Claims of a report and what became of them.

import { fill, h } from "../dom.js";
import { inline } from "../markdown.js";
import { plural } from "../words.js";

const KINDS = { holds: ["good", "holds"], fails: ["bad", "fails"], undecided: ["warn", "undecided"] };

export function verdictBar({ holds, fails, undecided }) {
  const all = holds + fails + undecided || 1;
  const parts = [["good", holds], ["bad", fails], ["warn", undecided]].map(([kind, many]) => {
    const part = h("i", { class: kind });
    part.style.width = `${(100 * many) / all}%`;
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

export function count(claims) {
  const counts = { holds: 0, fails: 0, undecided: 0 };
  for (const each of claims) counts[each.verdict] += 1;
  return counts;
}

// All claims, or those of one verdict.
export function claimList(claims, heading) {
  const counts = count(claims);
  const list = h("ul", { class: "claims" });
  const buttons = h("div", { class: "row", role: "group", "aria-label": "Which claims to show" });
  const choices = Object.entries(KINDS).map(([verdict, [, words]]) => [verdict, `${words} ${counts[verdict]}`]);
  choices.unshift(["", `All ${claims.length}`]);

  function show(wanted) {
    fill(buttons, choices.map(([verdict, label]) => h("button", {
      type: "button", "aria-pressed": String(verdict === wanted), onclick: () => {
        show(verdict);
        buttons.querySelector("[aria-pressed=true]").focus();
      },
    }, label)));
    const chosen = claims.filter((each) => !wanted || each.verdict === wanted);
    fill(list, chosen.length ? chosen.map(claim) : h("li", { class: "soft" }, "None."));
  }

  show("");
  return h("section", { class: "card stack" }, h("div", { class: "row spread" }, h("h2", {}, heading), buttons), list);
}

function claim(each) {
  const [kind, words] = KINDS[each.verdict];
  return h("li", { class: each.verdict },
    h("span", { class: `badge ${kind}` }, words),
    h("div", {},
      h("p", { class: "claim" }, inline(each.text),
        each.where ? h("span", { class: "small soft" }, ` (${each.where})`) : null),
      h("p", { class: "small soft because" }, inline(each.because))));
}
