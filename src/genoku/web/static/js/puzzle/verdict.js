// @ts-check
// The instant check below the grid: clashes at once, then how many solutions, then how difficult.

import { messageOf, post } from "../api.js";
import { fill, h } from "../dom.js";
import { boardText, boxText, clashesOf } from "../symbols.js";
import { capital, plural } from "../words.js";

/** @import { Puzzle, Rating, Verdict } from "../types.d.ts" */

const PAUSE = 250; // milliseconds after the last change
const NAMED = 6; // conflicts listed by name
const EMPTY = "An empty board: every correct grid solves it. Type, paste, load or generate givens.";
const BADGES = {
  unique: ["good", "✓"], several: ["warn", "!"], none: ["bad", "✕"], clashes: ["bad", "!"], unknown: ["warn", "?"],
};

// `onClashes(cells)` is called at once, on every change.
/** @param {{ onClashes: (cells: number[]) => void }} options */
export function verdictLine({ onClashes }) {
  const givens = h("span", { class: "badge" });
  const result = h("span", { class: "verdict-words" });
  const rating = h("span", { class: "verdict-rating" });
  const clashList = h("ul", { class: "clash-list small" });
  const spoken = h("span", { class: "unseen", role: "status" }); // only final results are read out
  const element = h("div", { class: "verdict" },
    h("div", { class: "row" }, givens, result, rating), clashList, spoken);
  let visit = 0;
  let timer = 0;
  let isAsking = false;
  /** @type {Parameters<typeof ask> | null} */
  let waiting = null;

  /** @type {(verdict: Verdict, words: string) => void} */
  function show(verdict, words) {
    spoken.textContent = verdict ? words : "";
    if (!verdict) return fill(result, h("span", { class: "soft small" }, words));
    const [kind, mark] = BADGES[verdict];
    fill(result, h("span", { class: `badge ${kind}` }, h("span", { "aria-hidden": "true" }, `${mark} `), words));
  }

  /** @param {Puzzle} board */
  function check(board) {
    const now = ++visit;
    clearTimeout(timer);
    waiting = null;
    const clashes = clashesOf(board);
    onClashes([...new Set(clashes.flatMap((each) => each.cells))]);
    const count = board.digits.filter(Boolean).length;
    givens.textContent = plural(count, "given");
    fill(rating);
    fill(clashList, clashes.slice(0, NAMED).map((each) => h("li", {}, each.words)),
      clashes.length > NAMED ? h("li", {}, `and ${clashes.length - NAMED} more`) : null);
    if (clashes.length) {
      show("clashes", `${clashes.length === 1 ? "Givens clash" : `${clashes.length} clashes`}: no board can solve it`);
      spoken.textContent = clashes[0].words;
      return;
    }
    show("", count ? "Checking…" : EMPTY);
    if (count) timer = setTimeout(() => ask(now, board), PAUSE);
  }

  // One request at a time: while one is being answered, only the newest waits.
  /** @type {(now: number, board: Puzzle) => Promise<void>} */
  async function ask(now, board) {
    if (isAsking) {
      waiting = [now, board];
      return;
    }
    isAsking = true;
    await answer(now, board);
    isAsking = false;
    if (waiting) ask(...waiting);
  }

  /** @type {(now: number, board: Puzzle) => Promise<void>} */
  async function answer(now, { digits, side, boxRows, boxCols }) {
    waiting = null;
    const puzzle = { puzzle: boardText(digits, side), box: boxText(boxRows, boxCols) };
    try {
      const counted = await post("/api/puzzles/check", puzzle);
      if (now !== visit) return;
      show(counted.verdict, counted.words.replace(/\.$/, ""));
      if (counted.verdict !== "unique" || !digits.includes(0)) return;
      fill(rating, h("span", { class: "soft small" }, "Rating…"));
      const { rating: found } = await post("/api/puzzles/check", { ...puzzle, count: false, rate: true });
      if (now !== visit) return;
      fill(rating, found ? difficulty(found) : null);
      if (found) spoken.textContent = `${counted.words} ${found.words}`;
    } catch (error) {
      if (now !== visit) return;
      fill(rating);
      if (!result.querySelector(".badge")) fill(result, h("span", { class: "badge bad" }, messageOf(error)));
    }
  }

  return { element, check };
}

/** @type {(rating: Rating) => HTMLElement} */
function difficulty({ level, technique, words, steps }) {
  const list = Object.entries(steps).map(([name, count]) => `${count} × ${name}`).join(", ");
  const needs = technique === "guess" ? " needs guessing" : ` hardest step: ${technique}`;
  return h("span", { title: list ? `${words} Steps: ${list}` : words },
    h("span", { class: "badge live" }, capital(level)),
    h("span", { class: "soft small" }, needs));
}
