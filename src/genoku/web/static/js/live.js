// @ts-check
// A run or a race on the server: started, watched, controlled, and found again after a reload or an interruption.

import { ApiError, del, get, isUnreachable, listen, messageOf, post, RETRY, statusOf } from "./api.js";
import { byId, fill, h } from "./dom.js";
import { clashesOf } from "./symbols.js";
import { sentence } from "./words.js";

/** @import { Curve, Facts, Frame, Puzzle, RacePlan, RunPlan, Trouble } from "./types.d.ts" */

/**
 * @typedef {object} Callbacks
 * @property {(facts: Facts, curve: Curve | null) => void} onFacts another session is on show
 * @property {(frame: Frame) => void} onFrame it has advanced
 * @property {(trouble: Trouble | null) => void} onTrouble it cannot be watched, or can be again
 */

export class LiveSession {
  id = ""; // after a reload it is known before the facts are
  /** @type {Facts | null} */
  facts = null;
  /** @type {Frame | null} */
  frame = null;
  /** @type {ReturnType<typeof listen> | null} */
  #stream = null;
  #visit = 0; // counts up whenever something else is watched, so that late answers can be dropped
  #retry = 0;
  #closed = false;

  /**
   * @param {"runs" | "races"} kind
   * @param {Callbacks} callbacks
   */
  constructor(kind, callbacks) {
    this.kind = kind;
    this.callbacks = callbacks;
  }

  get path() {
    return this.#pathOf(this.id);
  }

  get phase() {
    return this.frame ? this.frame.phase : null;
  }

  // Start a run or race. The one before is ended only once the server has accepted the new one.
  /** @param {RunPlan | RacePlan} plan */
  async start(plan) {
    const facts = await post(`/api/${this.kind}`, plan);
    const before = this.id;
    await this.#take(facts);
    if (before) del(this.#pathOf(before)).catch(() => {});
  }

  // Come back to one, as after a reload.
  /** @param {string} id */
  async open(id) {
    this.leave();
    this.id = id;
    await this.#ask();
  }

  // Resume from the last checkpoint after an interruption.
  async restore() {
    await this.#take(await post(`${this.path}/restore`));
    if (!this.#closed && this.phase !== "ended") await this.control("resume"); // it is restored paused
  }

  // Pause, resume, step, stop or change the speed; the server answers with the frame after that.
  /** @type {(action: string, more?: { speed?: number | null }) => Promise<void>} */
  async control(action, more = {}) {
    const { facts } = this;
    try {
      const frame = await post(`${this.path}/control`, { do: action, ...more });
      if (facts === this.facts) this.#show(frame);
    } catch (error) {
      if (isUnreachable(error) && facts === this.facts) await this.#lose(error);
      throw error;
    }
  }

  // The history to show before the first frame.
  /** @type {() => Promise<Curve | null>} */
  async history() {
    return null;
  }

  // Stop watching; the server keeps the session for a while.
  leave() {
    this.#visit += 1;
    this.#stream?.close();
    this.#stream = null;
    clearTimeout(this.#retry);
  }

  // Drop a session that no longer exists.
  forget() {
    this.leave();
    this.id = "";
    this.facts = this.frame = null;
  }

  // Leave for good: answers that are still to come are ignored.
  close() {
    this.leave();
    this.#closed = true;
  }

  /** @param {string} id */
  #pathOf(id) {
    return /** @type {const} */ (`/api/${this.kind}/${encodeURIComponent(id)}`);
  }

  /** @param {Facts} facts */
  async #take(facts) {
    if (this.#closed) return;
    this.leave();
    const visit = this.#visit;
    this.id = facts.id;
    this.facts = facts;
    this.frame = null;
    const curve = await this.history();
    if (visit !== this.#visit) return;
    this.callbacks.onTrouble(null);
    this.callbacks.onFacts(facts, curve);
    this.#show(facts.frame);
    if (visit !== this.#visit) return; // it had ended, and the page has left it
    this.#stream = listen(this.path, {
      onFrame: (frame) => this.#show(frame),
      onGone: (error) => this.#lose(error),
    });
  }

  // Answers and stream may overtake each other: an older frame never replaces a newer one.
  /** @param {Frame} frame */
  #show(frame) {
    if (this.#closed || (this.frame && frame.seq < this.frame.seq)) return;
    this.frame = frame;
    this.callbacks.onFrame(frame);
  }

  /** @param {unknown} error */
  async #lose(error) {
    if (!this.id || this.#closed) return;
    this.leave();
    const message = messageOf(error);
    if (!(error instanceof ApiError) || !error.status || error.status >= 500) {
      this.callbacks.onTrouble({ kind: "server", resumable: false, step: 0, message });
      this.#retry = setTimeout(() => this.#ask(), RETRY);
      return;
    }
    const { resumable = false, step = 0, ended = false } =
      /** @type {{ resumable?: boolean, step?: number, ended?: boolean }} */ (error.body);
    // One that has ended needs no computing: it is restored without asking.
    const isBack = resumable && ended && await this.restore().then(() => true, () => false);
    if (!isBack && !this.#closed) this.callbacks.onTrouble({ kind: "gone", resumable, step, message });
  }

  // Ask whether the session is there, and what became of it if not.
  async #ask() {
    const visit = this.#visit;
    try {
      const facts = await get(this.path);
      if (visit === this.#visit) await this.#take(facts);
    } catch (error) {
      if (visit === this.#visit) await this.#lose(error);
    }
  }
}

// A run, and what only a run can be asked for.
export class RunSession extends LiveSession {
  /** @param {Callbacks} callbacks */
  constructor(callbacks) {
    super("runs", callbacks);
  }

  /** @override */
  async history() {
    return this.facts?.frame.lanes[0].step ? this.curve().catch(() => null) : null;
  }

  curve() {
    return get(`/api/runs/${encodeURIComponent(this.id)}/curve`);
  }

  /** @type {(first: number, count: number) => ReturnType<typeof get<`/api/runs/${string}/population?${string}`>>} */
  population(first, count) {
    return get(`/api/runs/${encodeURIComponent(this.id)}/population?first=${first}&count=${count}`);
  }

  /** @param {number} rank */
  individual(rank) {
    return get(`/api/runs/${encodeURIComponent(this.id)}/individuals/${rank}`);
  }
}

// Why a run or race was not started. If the givens clash, a button with `label` starts it anyway.
/** @type {(error: unknown, puzzle: Puzzle, label: string, startAnyway: (() => void) | null) => HTMLElement} */
export function refusalNotice(error, puzzle, label, startAnyway) {
  const canStart = startAnyway && statusOf(error) === 422 && clashesOf(puzzle).length > 0;
  return h("div", { class: "notice bad" }, h("p", {}, sentence(messageOf(error))),
    canStart && h("button", { type: "button", onclick: startAnyway }, label));
}

const NAMED = 6; // clashes that are listed

// That no board can solve the puzzle of a run or race, and why; nothing if its givens do not clash.
/** @type {(session: Facts) => HTMLElement | null} */
export function conflictNotice({ conflicts }) {
  if (!conflicts.length) return null;
  const more = conflicts.length - NAMED;
  return h("div", { class: "notice warn clash-notice" },
    h("p", {}, "No board can solve this puzzle, because its givens clash:"),
    h("ul", { class: "small" }, conflicts.slice(0, NAMED).map((each) => h("li", {}, each)),
      more > 0 ? h("li", {}, `and ${more} more`) : null));
}

/**
 * The line at the head of the page when a run or a race cannot be watched: what happened, and what can be done.
 * @param {Trouble | null} trouble
 * @param {object} options
 * @param {"run" | "race"} options.what
 * @param {(step: number) => string} [options.at] how far it had come
 * @param {() => Promise<unknown>} options.onResume
 * @param {() => Promise<unknown>} options.onRestart
 * @returns {void}
 */
export function showBanner(trouble, { what, at = () => "", onResume, onRestart }) {
  if (!trouble) return hideBanner();
  const banner = byId("banner");
  banner.hidden = false;
  if (trouble.kind === "server") return fill(banner, h("span", {}, "Lost the server. Reconnecting…"));
  /** @param {unknown} error */
  const onRefused = (error) => showBanner(
    { kind: "refused", message: messageOf(error), resumable: true }, { what, at, onResume, onRestart });
  const restart = h("button", { type: "button", onclick: () => onRestart().catch(onRefused) }, "Start again");
  if (!trouble.resumable) {
    const gone = `This ${what} is no longer on the server: it was ended elsewhere, or nobody watched it for too long.`;
    return fill(banner, h("span", {}, gone), restart);
  }
  const resume = h("button", { type: "button", class: "primary", onclick: () => onResume().catch(onRefused) },
    "Resume from the last checkpoint");
  const said = trouble.kind === "refused" ? sentence(trouble.message)
    : `The ${what} was interrupted${at(trouble.step ?? 0)}.`;
  return fill(banner, h("span", {}, said), resume, restart);
}

export function hideBanner() {
  const banner = byId("banner");
  banner.hidden = true;
  fill(banner);
}
