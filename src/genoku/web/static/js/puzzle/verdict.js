// The instant check below the grid: clashes at once, then how many solutions, then how hard.

import { post } from "../api.js";
import { fill, h } from "../dom.js";
import { boardText, boxText, clashesOf } from "../symbols.js";
import { capital, plural } from "../words.js";

const PAUSE = 250; // milliseconds after the last change
const NAMED = 3; // clashes in words
const KINDS = { unique: "good", several: "warn", none: "bad", clashes: "bad", unknown: "warn" };
const LOOKS = { unique: "✓", several: "!", none: "✕", clashes: "!", unknown: "?" };

// `onClashes(cells)` is called at once, on every change.
export function verdictLine({ onClashes }) {
  const givens = h("span", { class: "badge" });
  const said = h("span", { class: "verdict-words" });
  const rated = h("span", { class: "verdict-rating" });
  const named = h("ul", { class: "clash-list small" });
  const spoken = h("span", { class: "unseen", role: "status" }); // only what is settled is read out
  const element = h("div", { class: "verdict" },
    h("div", { class: "row" }, givens, said, rated), named, spoken);
  let visit = 0;
  let timer = 0;
  let asking = false;
  let waiting = null;

  function show(verdict, words) {
    const kind = KINDS[verdict] || "";
    spoken.textContent = verdict ? words : "";
    const look = h("span", { "aria-hidden": "true" }, `${LOOKS[verdict]} `);
    const badge = h("span", { class: `badge ${kind}` }, look, words);
    fill(said, verdict ? badge : h("span", { class: "soft small" }, words));
  }

  function check(board) {
    const now = ++visit;
    clearTimeout(timer);
    waiting = null;
    const clashes = clashesOf(board);
    onClashes([...new Set(clashes.flatMap((each) => each.cells))]);
    const count = board.digits.filter(Boolean).length;
    givens.textContent = plural(count, "given");
    fill(rated);
    fill(named, clashes.slice(0, NAMED).map((each) => h("li", {}, each.words)),
      clashes.length > NAMED ? h("li", {}, `and ${clashes.length - NAMED} more`) : null);
    if (clashes.length) {
      show("clashes", clashes.length === 1 ? "Givens clash" : `${clashes.length} clashes`);
      spoken.textContent = clashes[0].words;
      return;
    }
    show("", count ? "Checking…" : "An empty board: type, paste, load or generate a puzzle.");
    if (count) timer = setTimeout(() => ask(now, board), PAUSE);
  }

  // One question at a time: while one is being answered, only the newest waits.
  async function ask(now, board) {
    if (asking) {
      waiting = [now, board];
      return;
    }
    asking = true;
    await answer(now, board);
    asking = false;
    if (waiting) ask(...waiting);
  }

  async function answer(now, { digits, side, boxRows, boxCols }) {
    waiting = null;
    const puzzle = { puzzle: boardText(digits, side), box: boxText(boxRows, boxCols) };
    try {
      const counted = await post("/api/puzzles/check", puzzle);
      if (now !== visit) return;
      show(counted.verdict, counted.words.replace(/\.$/, ""));
      if (counted.verdict !== "unique" || !digits.includes(0)) return;
      fill(rated, h("span", { class: "soft small" }, "Rating…"));
      const { rating } = await post("/api/puzzles/check", { ...puzzle, count: false, rate: true });
      if (now !== visit) return;
      fill(rated, rating ? difficulty(rating) : null);
      if (rating) spoken.textContent = `${counted.words} ${rating.words}`;
    } catch (error) {
      if (now !== visit) return;
      fill(rated);
      if (!said.querySelector(".badge")) fill(said, h("span", { class: "badge bad" }, error.message));
    }
  }

  return { element, check };
}

function difficulty({ level, technique, words, steps }) {
  const list = Object.entries(steps).map(([name, count]) => `${count} × ${name}`).join(", ");
  const needs = technique === "guess" ? " beyond the ladder of techniques" : ` hardest step: ${technique}`;
  return h("span", { title: list ? `${words} Steps: ${list}` : words },
    h("span", { class: "badge live" }, capital(level)),
    h("span", { class: "soft small" }, needs));
}
