// @ts-check
// Run a report's experiments again on this machine, and see how far they are.

import { get, messageOf, post } from "../api.js";
import { fill, h, meter } from "../dom.js";
import { count, plural, seconds } from "../words.js";
import { claimList, countVerdicts, verdictBar } from "./verdicts.js";

/** @import { Child, LocalReproduction, Reproduction, ReproductionWork } from "../types.d.ts" */

const EVERY = 1000; // milliseconds between two requests

// The card of a reproduction on this machine.
/** @type {(number: string, first: Reproduction) => { element: HTMLElement, close: () => void }} */
export function localReproduction(number, first) {
  let timer = 0;
  let closed = false;
  const place = h("div", { class: "stack" });
  const found = h("div", { class: "stack" });
  const element = h("section", { class: "card stack" }, h("h2", {}, "On this machine"), place, found);

  /** @param {ReproductionWork} work */
  function show(work) {
    const here = work.number === number;
    if (work.phase && here) showProgress(work);
    else if (work.phase) fill(place, busy(work));
    else fill(place, idle(here ? work.said : ""));
    clearTimeout(timer);
    if (work.phase && !closed) timer = setTimeout(ask, EVERY);
  }

  async function ask() {
    try {
      const work = await get(`/api/reports/${number}/progress`);
      if (closed) return;
      if (!work.phase && work.number === number && !work.said) {
        showResult((await get(`/api/reports/${number}/reproduction`)).mine);
      }
      show(work);
    } catch (error) {
      fill(place, h("div", { class: "notice bad", role: "alert" }, messageOf(error)));
    }
  }

  /** @param {Promise<ReproductionWork>} request */
  async function act(request) {
    try {
      show(await request);
    } catch (error) {
      fill(place, h("div", { class: "notice bad", role: "alert" }, messageOf(error)), idle(""));
    }
  }

  /** @param {number | null} seeds */
  const start = (seeds) => act(post(`/api/reports/${number}/reproduction`, { seeds }));

  /** @type {(said: string) => Child[]} */
  function idle(said) {
    const all = h("p", { class: "small soft" }, "All experiments with every seed: ", h("code", {}, first.command));
    if (!first.can_start) {
      return [h("p", {}, "The report's experiments are run again from a clone of genoku's repository."), all];
    }
    return [
      said ? h("div", { class: "notice warn", role: "status" }, `The last attempt: ${said}.`) : null,
      h("p", {}, "Run the report's own experiments again with fewer seeds, in the background. Other pages can be ",
        "used meanwhile, and runs are kept: a stopped run continues where it left off."),
      h("div", { class: "row" },
        h("button", { type: "button", class: "primary", onclick: () => start(null) },
          `Run it again, quick (about ${seconds(first.seconds)})`),
        h("button", { type: "button", onclick: () => start(2) }, "Only 2 seeds")),
      all,
    ];
  }

  /** @param {ReproductionWork} work */
  function busy(work) {
    return h("p", {}, "Report ", h("a", { href: `#/reports/${work.number}` }, work.number),
      " is being run again now. Only one runs at a time: this one can start when that is done.");
  }

  // Changed in place, so that the Stop button stays where it is.
  const bar = meter("Runs done");
  const line = h("span", { class: "small" });
  const stop = h("button", {
    type: "button", class: "danger", onclick: () => act(post(`/api/reports/${number}/stop`)),
  }, "Stop");
  const working = h("div", { class: "stack" }, bar.element, h("div", { class: "row spread" }, line, stop));

  /** @param {ReproductionWork} work */
  function showProgress(work) {
    bar.show(work.planned ? work.done / work.planned : 0);
    const left = work.left ? `; this part has about ${seconds(work.left)} left` : "";
    line.textContent = work.phase === "starting" ? "Starting…" : work.phase === "writing" ? "Writing the page…"
      : `${count(work.done)} of ${plural(work.planned, "run")}, now: ${work.study}${left}`;
    if (working.parentElement !== place) fill(place, working);
  }

  /** @param {LocalReproduction | null} mine */
  function showResult(mine) {
    if (!mine) return fill(found, h("p", { class: "soft small" }, "Not run on this machine yet."));
    const when = new Date(mine.made).toLocaleString();
    fill(found,
      h("p", {}, `Made ${when}, ${mine.seeds ? plural(mine.seeds, "seed") : "the quick version"}: `,
        h("a", { href: `/api/reports/${number}/page`, target: "_blank", rel: "noopener" },
          "open its page with all tables and figures")),
      verdictBar(countVerdicts(mine.claims)),
      h("details", {}, h("summary", {}, "Its claims"), claimList(mine.claims, "Claims, from fewer runs")));
  }

  showResult(first.mine);
  show(first.work);
  return {
    element,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
