// @ts-check
// Reports: the five, what each did and claimed, its presets ready to run, and its reproduction.

import { get } from "../api.js";
import { fill, h, markup } from "../dom.js";
import { inline } from "../markdown.js";
import { localReproduction } from "../reports/again.js";
import { runLink, runsCard } from "../reports/runs.js";
import { claimList, verdictBar } from "../reports/verdicts.js";
import { link } from "../share.js";

/** @import { ReadyPreset, Report, Reproduction } from "../types.d.ts" */

/** @type {(main: HTMLElement, query: URLSearchParams, rest: string[]) => Promise<(() => void) | null>} */
export async function show(main, _, [number]) {
  const reports = await get("/api/reports");
  const chosen = reports.find((each) => each.number === number);
  window.scrollTo(0, 0);
  if (chosen) return detail(main, reports, chosen);
  overview(main, reports);
  return null;
}

/** @type {(main: HTMLElement, reports: Report[]) => void} */
function overview(main, reports) {
  fill(main,
    h("h1", {}, "The five reports"),
    h("p", { class: "lead" }, "Five student reports on solving Sudoku by evolution are where genoku comes from. Each ",
      "has a preset that does what it did, and its experiments were run again with many seeds: ",
      "which of its claims hold?"),
    h("div", { class: "report-cards" }, reports.map(card), beyond()));
}

function beyond() {
  return h("article", { class: "card report-card" },
    h("h2", {}, "And beyond"),
    h("p", { class: "small soft" }, "genoku's own"),
    h("p", {}, "A real simulated annealing, tabu search, a memetic algorithm and the champion solve in milliseconds ",
      "what the reports' own systems never finished. Race them against a report, or learn why populations ",
      "get stuck."),
    h("div", { class: "row report-end" },
      h("a", { class: "button", href: "#/race" }, "Race them"),
      h("a", { class: "button", href: "#/learn/stuck" }, "Why they get stuck")));
}

/** @param {Report} report */
function card(report) {
  return h("article", { class: "card report-card" },
    h("p", { class: "report-number", "aria-hidden": "true" }, report.number),
    h("h2", {}, h("a", { href: `#/reports/${report.number}` }, report.name)),
    h("p", { class: "small soft" }, byline(report)),
    h("p", {}, report.summary),
    report.verdicts ? verdictBar(report.verdicts) : null,
    h("div", { class: "row" }, runLink(report.presets[0]),
      h("a", {
        class: "button", href: `#/reports/${report.number}`, "aria-label": `Claims and evidence of ${report.name}`,
      }, "Claims and evidence")));
}

/** @type {(report: Report) => string} */
const byline = (report) => `“${report.title}”, ${report.authors}${report.year ? `, ${report.year}` : ""}`;

// The page loads the puzzle of the preset.
/** @type {(preset: ReadyPreset) => HTMLElement} */
const openLink = ({ name }) =>
  h("a", { class: "button", href: link("solve", { preset: name, seed: 1 }), "aria-label": `Open ${name}` }, "Open");

/** @param {ReadyPreset} preset */
function presetItem(preset) {
  const clash = "The givens of its puzzle clash: no board can solve it.";
  return h("li", {},
    h("div", {}, h("strong", {}, preset.name),
      h("p", { class: "small soft" }, `${preset.about}; on ${preset.puzzle_name}, ${preset.until}`),
      preset.allow_conflicts ? h("p", { class: "small soft" }, clash) : null),
    openLink(preset));
}

/** @type {(main: HTMLElement, reports: Report[], report: Report) => Promise<() => void>} */
async function detail(main, reports, report) {
  const found = await get(`/api/reports/${report.number}/reproduction`);
  const local = localReproduction(report.number, found);
  const facts = [["Encoding", report.encoding], ["Fitness", report.fitness], ["Operators", report.operators]];
  fill(main,
    h("nav", { class: "row report-nav", "aria-label": "Reports" },
      h("a", { href: "#/reports" }, "All reports"),
      reports.map((each) => h("a", {
        href: `#/reports/${each.number}`, "aria-current": each === report ? "page" : null,
        "aria-label": `Report ${each.number}, ${each.name}`,
      }, each.number))),
    h("h1", {}, `Report ${report.number}: ${report.name}`),
    h("p", { class: "lead" }, byline(report)),
    found.own ? folded(`Its own tables and figures, with ours: genoku reproduce ${report.number}`, found.own) : null,
    h("div", { class: "report" },
      h("div", { class: "stack" },
        runsCard(report.number),
        h("section", { class: "card stack" },
          h("h2", {}, "What it did"),
          h("p", {}, report.summary),
          h("dl", { class: "report-facts" }, facts.map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])),
          h("h3", {}, "What it claimed"), h("p", {}, report.claimed),
          h("h3", {}, "What we found"), h("p", {}, report.found)),
        h("section", { class: "card stack" },
          h("h2", {}, "Its presets"),
          h("ul", { class: "report-presets" }, report.presets.map(presetItem))),
        local.element),
      h("div", { class: "stack" }, found.claims.length ? tested(report, found) : missing())),
    found.evidence ? folded("The whole reproduction: tables and figures", found.evidence) : null);
  return () => local.close();
}

const missing = () => h("section", { class: "card" },
  h("p", {}, "This copy of genoku does not include the published reproduction. Run it on this machine."));

/** @type {(report: Report, found: Reproduction) => HTMLElement[]} */
function tested(report, found) {
  return [
    h("section", { class: "card stack" },
      h("h2", {}, "Its claims, tested"),
      h("p", {}, inline(found.subtitle)),
      report.verdicts ? verdictBar(report.verdicts) : null,
      h("details", { class: "small" }, h("summary", {}, "How verdicts are reached"),
        h("p", {}, inline(found.summary)))),
    claimList(found.claims, "Claims"),
  ];
}

// Long, and with many figures: built when it is opened.
/** @type {(title: string, html: string) => HTMLElement} */
function folded(title, html) {
  const body = h("div", { class: "evidence" });
  const onToggle = () => {
    if (!body.childElementCount) fill(body, markup(html));
  };
  return h("section", { class: "card report-evidence" },
    h("details", { ontoggle: onToggle }, h("summary", {}, title), body));
}
