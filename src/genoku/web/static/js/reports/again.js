// Run a report's experiments again on this machine, and see how far they are.

import { get, post } from "../api.js";
import { fill, h, meter } from "../dom.js";
import { count, plural, seconds } from "../words.js";
import { claimList, count as counted, verdictBar } from "./verdicts.js";

const EVERY = 1000; // milliseconds between two looks

const leftWords = (work) => (work.left ? `; this part has about ${seconds(work.left)} left` : "");

export function again(number, first) {
  let timer = null;
  let closed = false;
  let mine = first.mine;
  const place = h("div", { class: "stack" });
  const found = h("div", { class: "stack" });
  const element = h("section", { class: "card stack" }, h("h2", {}, "Made on this machine"), place, found);

  function show(work) {
    const here = work.number === number;
    if (work.phase && here) running(work);
    else if (work.phase) fill(place, busy(work));
    else fill(place, idle(here ? work.said : ""));
    clearTimeout(timer);
    if (work.phase && !closed) timer = setTimeout(look, EVERY);
  }

  async function look() {
    try {
      const work = await get(`/api/reports/${number}/progress`);
      if (closed) return;
      if (!work.phase && work.number === number && !work.said) await fresh();
      show(work);
    } catch (error) {
      fill(place, h("div", { class: "notice bad", role: "alert" }, error.message));
    }
  }

  async function fresh() {
    ({ mine } = await get(`/api/reports/${number}/reproduction`));
    showMine();
  }

  async function ask(path, body) {
    try {
      show(await post(path, body));
    } catch (error) {
      fill(place, h("div", { class: "notice bad", role: "alert" }, error.message), idle(""));
    }
  }

  const begin = (seeds) => ask(`/api/reports/${number}/reproduction`, { seeds });

  function idle(said) {
    const all = h("p", { class: "small soft" }, "All of it, with every seed: ", h("code", {}, first.command));
    if (!first.can_start) {
      return [h("p", {}, "The report's experiments are run again from a clone of genoku's repository."), all];
    }
    return [
      said ? h("div", { class: "notice warn", role: "status" }, `The last one: ${said}.`) : null,
      h("p", {}, "Run the report's own experiments again with fewer seeds, in the background. Other pages go on ",
        "working meanwhile, and runs are kept: what is stopped goes on where it was."),
      h("div", { class: "row" },
        h("button", { type: "button", class: "primary", onclick: () => begin(null) },
          `Run it again, quick (about ${seconds(first.seconds)})`),
        h("button", { type: "button", onclick: () => begin(2) }, "Only 2 seeds")),
      all,
    ];
  }

  function busy(work) {
    return h("p", {}, "Report ", h("a", { href: `#/reports/${work.number}` }, work.number),
      " is being run again now. One at a time: this one can start when it is done.");
  }

  // Changed in place, so that whoever is about to stop it keeps the button.
  const bar = meter("Runs made");
  const told = h("span", { class: "small" });
  const halt = () => ask(`/api/reports/${number}/stop`);
  const stop = h("button", { type: "button", class: "danger", onclick: halt }, "Stop");
  const working = h("div", { class: "stack" }, bar.element, h("div", { class: "row spread" }, told, stop));

  function running(work) {
    bar.show(work.planned ? work.done / work.planned : 0);
    told.textContent = work.phase === "running"
      ? `${count(work.done)} of ${plural(work.planned, "run")}, now: ${work.study}${leftWords(work)}`
      : { starting: "Starting…", writing: "Writing the page…" }[work.phase];
    if (working.parentElement !== place) fill(place, working);
  }

  function showMine() {
    if (!mine) return fill(found, h("p", { class: "soft small" }, "None was made on this machine yet."));
    const when = new Date(mine.made).toLocaleString();
    fill(found,
      h("p", {}, `Made ${when}, ${mine.seeds ? plural(mine.seeds, "seed") : "the quick version"}: `,
        h("a", { href: `/api/reports/${number}/page`, target: "_blank", rel: "noopener" },
          "open its page with all tables and figures")),
      verdictBar(counted(mine.claims)),
      h("details", {}, h("summary", {}, "Its claims"), claimList(mine.claims, "Claims, from fewer runs")));
  }

  showMine();
  show(first.work);
  return {
    element,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
