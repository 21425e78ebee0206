// A race as it is watched: a card for every lane, the chart they share, and what became of it.

import { showBanner } from "../banner.js";
import { legend } from "../board/legend.js";
import { fill, h, meter, toast } from "../dom.js";
import { onKeys } from "../keys.js";
import { limits, told } from "../recipe/until.js";
import { LiveSession } from "../session.js";
import { puzzleOf } from "../symbols.js";
import { sentence } from "../words.js";
import { asStudy, SEEDS } from "./again.js";
import { laneCard } from "./lane.js";
import { LossChart } from "./losses.js";

const DRAWN = 100; // milliseconds between two pictures of the chart
// The rule by which a race was decided.
const RULES = {
  solution: "The first to solve the puzzle wins, by processor time of its own.",
  proof: "To prove that there is no solution wins, too.",
  loss: "Nobody solved it within the budget: the lowest loss wins.",
  tie: "Nobody is ahead of all others, by solving or by loss.",
};

// `onAgain(seed)` starts it anew: with this seed, with any if it is null, with the one of the page if there is none.
export function track({ onFacts, onEdit, onAgain, onGone }) {
  let facts = null;
  let asked = null; // the plan of the race that is being started
  let plan = null; // that of the race on show, as far as it is known
  let frame = null;
  let cards = [];
  let chart = null;
  let drawn = 0;
  const session = new LiveSession({ kind: "races", onFacts: take, onFrame: see, onTrouble });

  const title = h("h2", {});
  const standing = h("p", { class: "race-standing" });
  const heard = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
  const share = meter("Share of the budget that is spent");
  const turn = () => control(frame.phase === "paused" ? "resume" : "pause");
  const pause = h("button", { type: "button", class: "primary", onclick: turn }, "Pause");
  const stop = h("button", { type: "button", onclick: () => control("stop") }, "Stop");
  const again = h("button", { type: "button", hidden: true, onclick: () => onAgain(facts.seed) }, "Race again");
  const other = h("button", { type: "button", hidden: true, onclick: () => onAgain(null) }, "With a new seed");
  const edit = h("button", { type: "button", onclick: () => onEdit() }, "Edit");
  const verdict = h("div", { class: "race-verdict notice good", hidden: true });
  const lanes = h("ol", { class: "race-lanes" });
  const canvas = h("canvas", { class: "race-chart" });
  const apart = h("p", { class: "soft small race-card-says" },
    "These lanes have different fitness functions, whose losses are not quite the same thing.");
  const element = h("section", { class: "race-live", hidden: true, "aria-label": "The race" },
    h("div", { class: "card stack race-head" },
      h("div", { class: "row spread" }, title, h("div", { class: "row" }, pause, stop, again, other, edit)),
      share.element, standing, verdict),
    lanes, legend(),
    h("div", { class: "card" }, h("h2", {}, "Loss over processor time"), canvas, apart), heard);

  const deaf = onKeys(element, { " ": pause });
  const kept = (id) => `genoku.race.${id}`;

  function take(found) {
    clear();
    if (facts?.id !== found.id) plan = asked;
    facts = found;
    frame = null;
    const name = found.name || `${found.side}×${found.side}`;
    const [only, ...others] = limits(found.until) ?? [];
    const budget = only?.word === "cpu_seconds" && !others.length ? only.number : null;
    title.textContent = [name, `up to ${told(found.until)} each`, `seed ${found.seed}`].join(" · ");
    cards = found.lanes.map((lane, place) => laneCard(place, lane, puzzleOf(found), budget));
    lanes.dataset.count = cards.length;
    fill(lanes, cards.map((each) => each.element));
    element.hidden = false;
    chart = new LossChart(canvas, found.lanes.map((lane) => lane.name));
    recall();
    apart.hidden = new Set(found.lanes.map(({ recipe }) => JSON.stringify(recipe?.fitness ?? null))).size < 2;
    for (const card of cards) card.begin();
    fill(verdict);
    verdict.hidden = true;
    heard.textContent = "";
    onFacts(found);
  }

  function see(now) {
    const before = frame;
    frame = now;
    now.lanes.forEach((look, place) => cards[place].show(look, now.phase, now.winner));
    if (now.phase !== "waiting") chart.push(now.lanes);
    const over = now.phase === "ended";
    if (over || performance.now() - drawn > DRAWN) {
      drawn = performance.now();
      chart.draw();
    }
    standing.textContent = over ? "" : now.standing || (now.phase === "waiting" ? "Getting ready …" : "Off they go.");
    standing.hidden = over;
    share.show(now.share ?? (over ? 1 : 0));
    pause.textContent = now.phase === "paused" ? "Resume" : "Pause";
    pause.title = `${pause.textContent} (key: space)`;
    pause.hidden = stop.hidden = over;
    again.hidden = other.hidden = !over;
    if (before?.phase !== now.phase) {
      chart.tell();
      if (over) end(now);
      else heard.textContent = { running: "The race is on.", paused: "The race is paused." }[now.phase] || "";
    }
  }

  function end(now) {
    session.leave(); // nothing more will happen: the result stays, whatever becomes of the server
    keep();
    const said = now.standing || now.verdict?.join(" ") || "The race is over.";
    heard.textContent = `${said} ${RULES[now.by] || ""}`;
    const many = h("button", { type: "button", class: "primary", onclick: async () => {
      many.disabled = true;
      hint.textContent = "Trying some short runs to say how long it takes …";
      try {
        const study = await asStudy(facts, plan);
        if (!study) return;
        const address = `#/studies/${encodeURIComponent(study.name)}`;
        fill(next, h("a", { class: "button primary", href: address }, `Watch the study ${study.name}`));
        next.firstChild.focus();
        toast(`${study.name} is on its way: ${SEEDS} seeds for every lane`);
      } catch (error) {
        toast(sentence(error.message), "bad");
      } finally {
        many.disabled = false;
        hint.textContent = little;
      }
    } }, `Run this ${SEEDS} times`);
    const little = "One race says little: the next seed may tell another story.";
    const hint = h("span", { class: "small" }, little);
    const next = h("div", { class: "row" }, many, hint);
    verdict.className = `race-verdict notice ${now.winner === null ? "" : "good"}`;
    const crown = now.winner === null ? "" : h("span", { "aria-hidden": "true" }, "♛ ");
    fill(verdict, h("p", { class: "race-winner" }, crown, said),
      RULES[now.by] ? h("p", { class: "small" }, RULES[now.by]) : null, next);
    verdict.hidden = false;
  }

  async function control(what) {
    pause.disabled = stop.disabled = true;
    try {
      await session.control(what);
      pause.disabled = stop.disabled = false;
    } catch (error) {
      if (error.status === 0 || error.status === 404) return; // told as trouble
      pause.disabled = stop.disabled = false;
      toast(sentence(error.message), "bad");
    }
  }

  // While it is away nothing can be steered.
  function onTrouble(trouble) {
    pause.disabled = stop.disabled = trouble !== null;
    const isLost = trouble?.kind === "gone" && !trouble.resumable;
    offer(isLost ? null : trouble);
    if (!isLost) return;
    clear();
    session.forget();
    facts = null;
    onGone(`The race is no longer there (${trouble.message}). Its settings still are: start it again.`);
  }

  function offer(trouble) {
    const refused = (error) => offer({ kind: "refused", message: error.message, resumable: true });
    showBanner(trouble, {
      what: "race",
      onResume: () => session.restore().catch(refused),
      onAgain: () => onAgain(facts?.seed),
    });
  }

  // The course so far, for a page that is loaded again.
  function keep() {
    if (!facts || !chart) return;
    try {
      sessionStorage.setItem(kept(facts.id), JSON.stringify({ plan, lanes: chart.lanes }));
    } catch { /* the chart begins where one comes back */ }
  }

  function recall() {
    try {
      const then = JSON.parse(sessionStorage.getItem(kept(facts.id)));
      if (!then) return;
      plan = then.plan;
      if (then.lanes.length === chart.lanes.length) chart.lanes = then.lanes;
    } catch { /* as above */ }
  }

  function clear() {
    keep();
    for (const card of cards) card.close();
    cards = [];
    chart?.close();
    chart = null;
  }
  window.addEventListener("pagehide", keep);

  return {
    element,
    get id() { return session.id; },
    get isThere() { return facts !== null; },
    async start(wanted) {
      const before = facts;
      asked = wanted;
      try {
        await session.start(wanted);
      } finally {
        asked = null;
      }
      if (before) sessionStorage.removeItem(kept(before.id));
    },
    open: (id) => session.open(id),
    close() {
      deaf();
      showBanner(null);
      session.close();
      clear();
      window.removeEventListener("pagehide", keep);
    },
  };
}
