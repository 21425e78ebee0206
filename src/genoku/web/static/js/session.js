// A run or a race on the server: started, watched, steered, and found again after a reload or an interruption.

import { AGAIN, ApiError, del, get, listen, post } from "./api.js";

export class LiveSession {
  // kind: "runs" or "races"; onFacts(facts, course): another one is on; onFrame(frame): it has moved;
  // onTrouble(null | { kind: "server" | "gone", resumable, step, message }): what is the matter, if anything.
  constructor({ kind, onFacts, onFrame, onTrouble }) {
    this.kind = kind;
    this.told = { onFacts, onFrame, onTrouble };
    this.id = ""; // known before the facts are, after a reload
    this.facts = null;
    this.frame = null;
    this.stream = null;
    this.visit = 0;
    this.closed = false;
  }

  get path() {
    return this.#pathOf(this.id);
  }

  get phase() {
    return this.frame ? this.frame.phase : null;
  }

  // Begin. The one before is ended only once the new one is there: a refusal loses nothing.
  async start(plan) {
    const facts = await post(`/api/${this.kind}`, plan);
    const before = this.id;
    await this.#take(facts);
    if (before) del(this.#pathOf(before)).catch(() => {});
  }

  // Come back, as after a reload.
  async open(id) {
    this.leave();
    this.id = id;
    await this.#look();
  }

  // Go on from the last checkpoint after an interruption.
  async restore() {
    await this.#take(await post(`${this.path}/restore`));
    if (!this.closed && this.phase !== "ended") await this.control("resume"); // it halts until asked
  }

  // pause, resume, step, stop or speed; the answer is the frame after it took effect.
  async control(what, more = {}) {
    const { facts } = this;
    try {
      const frame = await post(`${this.path}/control`, { do: what, ...more });
      if (facts === this.facts) this.#show(frame);
    } catch (error) {
      const isGone = error instanceof ApiError && (error.status === 0 || error.status === 404);
      if (isGone && facts === this.facts) await this.#gone(error);
      throw error;
    }
  }

  // What is to be known of the way so far before it is shown.
  async course() {
    return null;
  }

  // Stop watching; the server keeps it for a while.
  leave() {
    this.visit += 1;
    this.stream?.close();
    this.stream = null;
    clearTimeout(this.again);
  }

  // Think no more of one that is not there any more.
  forget() {
    this.leave();
    this.id = "";
    this.facts = this.frame = null;
  }

  // Leave for good: whatever is still on its way from the server comes to nothing.
  close() {
    this.leave();
    this.closed = true;
  }

  #pathOf(id) {
    return `/api/${this.kind}/${encodeURIComponent(id)}`;
  }

  async #take(facts) {
    if (this.closed) return;
    this.leave();
    const now = this.visit;
    this.id = facts.id;
    this.facts = facts;
    this.frame = null;
    const course = await this.course();
    if (now !== this.visit) return;
    this.told.onTrouble(null);
    this.told.onFacts(facts, course);
    this.#show(facts.frame);
    if (now === this.visit) this.#watch(); // unless that was all there is to see
  }

  #watch() {
    this.stream = listen(this.path, {
      onFrame: (frame) => this.#show(frame),
      onGone: (error) => this.#gone(error),
    });
  }

  // Answers and stream may cross on the way: an older frame never replaces a newer one.
  #show(frame) {
    if (this.closed || (this.frame && frame.seq < this.frame.seq)) return;
    this.frame = frame;
    this.told.onFrame(frame);
  }

  async #gone(error) {
    if (!this.id || this.closed) return;
    this.leave();
    const { status, message } = error;
    if (!status || status >= 500) {
      this.told.onTrouble({ kind: "server", resumable: false, step: 0, message });
      this.#seek();
      return;
    }
    const { resumable = false, step = 0, ended = false } = error.body || {};
    const trouble = { kind: "gone", resumable, step, message };
    // What is over does nothing any more: it comes back without being asked for.
    const isBack = resumable && ended && await this.restore().then(() => true, () => false);
    if (!isBack && !this.closed) this.told.onTrouble(trouble);
  }

  // Ask until a server answers; then either it is still there or one learns what became of it.
  #seek() {
    this.again = setTimeout(() => this.#look(), AGAIN);
  }

  async #look() {
    const now = this.visit;
    try {
      const facts = await get(this.path);
      if (now === this.visit) await this.#take(facts);
    } catch (error) {
      if (now === this.visit) await this.#gone(error);
    }
  }
}
