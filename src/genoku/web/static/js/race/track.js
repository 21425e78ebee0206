// @ts-check
// A race as one watches it: a card for every lane, the chart they share, and the result.

import { isUnreachable, messageOf } from "../api.js";
import { legend } from "../board/legend.js";
import { fill, h, meter, onKeys, toast } from "../dom.js";
import { conflictNotice, hideBanner, LiveSession, showBanner } from "../live.js";
import { keep, recall } from "../prefs.js";
import { limitsText, onlyLimit } from "../recipe/until.js";
import { puzzleOf } from "../symbols.js";
import { sentence } from "../words.js";
import { runAsStudy, SEEDS } from "./again.js";
import { laneCard } from "./lane.js";
import { ErrorsChart } from "./errors-chart.js";

/** @import { Facts, Frame, RacePlan, Trouble } from "../types.d.ts" */

const EVERY = 100; // milliseconds between two drawings of the chart
// The rule by which a race was decided.
const RULES = {
  "": "",
  solution: "The first to solve the puzzle wins, by its own CPU time.",
  proof: "Proving that there is no solution wins, too.",
  errors: "No lane solved it within the budget: the fewest errors left win.",
  tie: "No lane solved it, and the best have equally many errors left.",
};
const LITTLE = "One race says little: the next seed may give another result.";

/**
 * @param {object} options
 * @param {() => void} options.onFacts another race is on show
 * @param {() => void} options.onEdit
 * @param {(seed?: number | null) => Promise<void>} options.onAgain starts it anew: with this seed, with any if it is null, by default with that of the page
 * @param {(message: string) => void} options.onGone
 */
export function track({ onFacts, onEdit, onAgain, onGone }) {
  /** @type {Facts | null} */
  let facts = null;
  /** @type {RacePlan | null} */
  let asked = null; // the plan of a race that is being started
  /** @type {RacePlan | null} */
  let plan = null; // that of the race on show, if it is known
  /** @type {Frame | null} */
  let frame = null;
  /** @type {ReturnType<typeof laneCard>[]} */
  let cards = [];
  /** @type {ErrorsChart | null} */
  let chart = null;
  let drawn = 0;
  const session = new LiveSession("races", { onFacts: begin, onFrame: show, onTrouble });

  const title = h("h2", {});
  const standing = h("p", { class: "race-standing" });
  const spoken = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
  const share = meter("Budget spent");
  const pause = h("button", { type: "button", class: "primary",
    onclick: () => control(frame?.phase === "paused" ? "resume" : "pause") }, "Pause");
  const stop = h("button", { type: "button", onclick: () => control("stop") }, "Stop");
  const again = h("button", { type: "button", hidden: true, onclick: () => onAgain(facts?.seed) }, "Race again");
  const reseed = h("button", { type: "button", hidden: true, onclick: () => onAgain(null) }, "With a new seed");
  const edit = h("button", { type: "button", onclick: onEdit }, "Edit");
  const verdict = h("div", { class: "race-verdict notice good", hidden: true });
  const clashes = h("div", {});
  const lanes = h("ol", { class: "race-lanes" });
  const canvas = h("canvas", { class: "race-chart" });
  const fitnessNote = h("p", { class: "soft small race-card-says" },
    "Algorithms with different fitness functions are compared by errors left and by whether they solve.");
  const element = h("section", { class: "race-live", hidden: true, "aria-label": "The race" },
    h("div", { class: "card stack race-head" },
      h("div", { class: "row spread" }, title, h("div", { class: "row" }, pause, stop, again, reseed, edit)),
      share.element, clashes, standing, verdict),
    lanes, legend(),
    h("div", { class: "card" }, h("h2", {}, "Errors left over CPU time"), canvas, fitnessNote), spoken);
  const endKeys = onKeys(element, { " ": pause });

  /** @param {Facts} race */
  function begin(race) {
    clear();
    if (facts?.id !== race.id) plan = asked;
    facts = race;
    frame = null;
    const name = race.name || `${race.side}×${race.side}`;
    const limit = onlyLimit(race.until);
    const budget = limit?.word === "cpu_seconds" ? limit.number : null;
    title.textContent = [name, `up to ${limitsText(race.until)} each`, `seed ${race.seed}`].join(" · ");
    fill(clashes, conflictNotice(race));
    cards = race.lanes.map((lane, place) => laneCard(place, lane.name, puzzleOf(race), budget));
    lanes.dataset.count = String(cards.length);
    fill(lanes, cards.map((each) => each.element));
    element.hidden = false;
    chart = new ErrorsChart(canvas, race.lanes.map((lane) => lane.name));
    restoreHistory(race, chart);
    fitnessNote.hidden = new Set(race.lanes.map(({ recipe }) => JSON.stringify(recipe?.fitness ?? null))).size < 2;
    for (const card of cards) card.begin();
    fill(verdict);
    verdict.hidden = true;
    spoken.textContent = "";
    onFacts();
  }

  /** @param {Frame} now */
  function show(now) {
    const before = frame;
    frame = now;
    now.lanes.forEach((lane, place) => cards[place].show(lane, now.phase, now.winner));
    if (now.phase !== "waiting") chart?.push(now.lanes);
    const hasEnded = now.phase === "ended";
    if (hasEnded || performance.now() - drawn > EVERY) {
      drawn = performance.now();
      chart?.draw();
    }
    standing.textContent = now.standing || (now.phase === "waiting" ? "Getting ready…" : "Started.");
    standing.hidden = hasEnded;
    share.show(now.share ?? (hasEnded ? 1 : 0));
    pause.textContent = now.phase === "paused" ? "Resume" : "Pause";
    pause.title = `${pause.textContent} (key: space)`;
    pause.hidden = stop.hidden = hasEnded;
    again.hidden = reseed.hidden = !hasEnded;
    if (before?.phase === now.phase) return;
    chart?.describe();
    if (hasEnded) end(now);
    else spoken.textContent = now.phase === "waiting" ? "" : `The race is ${now.phase}.`;
  }

  /** @param {Frame} now */
  function end(now) {
    session.leave(); // nothing more will happen: the result stays, whatever becomes of the server
    keepHistory();
    const said = now.standing || now.verdict?.join(" ") || "The race is over.";
    const rule = RULES[now.by];
    spoken.textContent = `${said} ${rule}`;
    const hasWinner = now.winner !== null;
    verdict.className = `race-verdict notice ${hasWinner ? "good" : ""}`;
    fill(verdict, h("p", { class: "race-winner" }, hasWinner && h("span", { "aria-hidden": "true" }, "♛ "), said),
      rule ? h("p", { class: "small" }, rule) : null, studyOffer());
    verdict.hidden = false;
  }

  // A button that runs the race as a study, then a link to it.
  function studyOffer() {
    const hint = h("span", { class: "small" }, LITTLE);
    const many = h("button", { type: "button", class: "primary", onclick: offer }, `Run this ${SEEDS} times`);
    const line = h("div", { class: "row" }, many, hint);

    async function offer() {
      if (!facts) return;
      many.disabled = true;
      hint.textContent = "Trying some short runs to estimate the time…";
      try {
        const study = await runAsStudy(facts, plan);
        if (!study) return;
        const watch = h("a", { class: "button primary", href: `#/studies/${encodeURIComponent(study.name)}` },
          `Watch the study ${study.name}`);
        fill(line, watch);
        watch.focus();
        toast(`${study.name} has started: ${SEEDS} seeds for every lane`);
      } catch (error) {
        toast(sentence(messageOf(error)), "bad");
      } finally {
        many.disabled = false;
        hint.textContent = LITTLE;
      }
    }

    return line;
  }

  /** @param {"pause" | "resume" | "stop"} action */
  async function control(action) {
    pause.disabled = stop.disabled = true;
    try {
      await session.control(action);
    } catch (error) {
      if (isUnreachable(error)) return; // the banner reports it
      toast(sentence(messageOf(error)), "bad");
    }
    pause.disabled = stop.disabled = false;
  }

  // While the race cannot be reached nothing can be controlled.
  /** @param {Trouble | null} trouble */
  function onTrouble(trouble) {
    pause.disabled = stop.disabled = trouble !== null;
    const isLost = trouble?.kind === "gone" && !trouble.resumable;
    if (!isLost) {
      showBanner(trouble, {
        what: "race", onResume: () => session.restore(), onRestart: () => onAgain(facts?.seed),
      });
      return;
    }
    hideBanner();
    clear();
    session.forget();
    facts = null;
    onGone(`The race is no longer there (${trouble.message}). Its settings are: start it again.`);
  }

  // The history so far, for a page that is loaded again.
  const store = () => sessionStorage;

  function keepHistory() {
    if (facts && chart) keep(`race-errors.${facts.id}`, JSON.stringify({ plan, lanes: chart.lanes }), store);
  }

  /** @type {(race: Facts, to: ErrorsChart) => void} */
  function restoreHistory({ id }, to) {
    const kept = JSON.parse(recall(`race-errors.${id}`, store) ?? "null");
    if (!kept) return;
    plan = kept.plan;
    if (kept.lanes.length === to.lanes.length) to.lanes = kept.lanes;
  }

  function clear() {
    keepHistory();
    for (const card of cards) card.close();
    cards = [];
    chart?.close();
    chart = null;
  }
  window.addEventListener("pagehide", keepHistory);

  return {
    element,
    get id() { return session.id; },
    get isThere() { return facts !== null; },
    /** @param {RacePlan} wanted */
    async start(wanted) {
      const before = facts;
      asked = wanted;
      try {
        await session.start(wanted);
      } finally {
        asked = null;
      }
      if (before) sessionStorage.removeItem(`genoku.race.${before.id}`);
    },
    /** @param {string} id */
    open: (id) => session.open(id),
    close() {
      endKeys();
      hideBanner();
      session.close();
      clear();
      window.removeEventListener("pagehide", keepHistory);
    },
  };
}
