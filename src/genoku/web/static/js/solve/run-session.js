// One run on the server: started, watched, steered, and found again after a reload or an interruption.

import { ApiError, del, get, listen, post } from "../api.js";

const AGAIN = 2000; // milliseconds between two looks for a server that has gone

export class RunSession {
  // onFacts(facts, curve): another run is on; onFrame(frame): it has moved;
  // onTrouble(null | { kind: "server" | "gone", resumable, step, message }): what is the matter, if anything.
  constructor({ onFacts, onFrame, onTrouble }) {
    this.told = { onFacts, onFrame, onTrouble };
    this.facts = null;
    this.frame = null;
    this.stream = null;
    this.visit = 0;
  }

  get path() {
    return `/api/runs/${this.facts.id}`;
  }

  get phase() {
    return this.frame ? this.frame.phase : null;
  }

  // Begin a run. The one before is ended only once the new one is there: a refusal loses nothing.
  async start(plan) {
    const facts = await post("/api/runs", plan);
    const before = this.facts;
    await this.#take(facts);
    if (before) del(`/api/runs/${before.id}`).catch(() => {});
    return facts;
  }

  // Come back to a run, as after a reload.
  async open(id) {
    await this.#take(await get(`/api/runs/${encodeURIComponent(id)}`));
  }

  // Go on from the last checkpoint of a run that was interrupted.
  async restore(id = this.facts.id) {
    await this.#take(await post(`/api/runs/${encodeURIComponent(id)}/restore`));
    if (this.phase !== "ended") await this.control("resume"); // it halts until asked
  }

  // pause, resume, step, stop or speed; the answer is the frame after it took effect.
  async control(what, more = {}) {
    const { facts } = this;
    try {
      const frame = await post(`${this.path}/control`, { do: what, ...more });
      if (facts === this.facts) this.#show(frame);
    } catch (error) {
      if (error instanceof ApiError && (error.status === 0 || error.status === 404)) this.#gone(error);
      throw error;
    }
  }

  curve() {
    return get(`${this.path}/curve`);
  }

  population(first, count) {
    return get(`${this.path}/population?first=${first}&count=${count}`);
  }

  individual(rank) {
    return get(`${this.path}/individuals/${rank}`);
  }

  // Stop watching; the server keeps the run for a while.
  leave() {
    this.visit += 1;
    this.stream?.close();
    this.stream = null;
    clearTimeout(this.again);
  }

  async #take(facts) {
    this.leave();
    const now = this.visit;
    this.facts = facts;
    this.frame = null;
    let curve = null;
    if (facts.frame.look.step > 0) curve = await this.curve().catch(() => null);
    if (now !== this.visit) return;
    this.told.onTrouble(null);
    this.told.onFacts(facts, curve);
    this.#show(facts.frame);
    this.#watch();
  }

  #watch() {
    this.stream = listen(this.path, {
      onFrame: (frame) => this.#show(frame),
      onGone: (error) => this.#gone(error),
    });
  }

  // Answers and stream may cross on the way: an older frame never replaces a newer one.
  #show(frame) {
    if (this.frame && frame.seq < this.frame.seq) return;
    this.frame = frame;
    this.told.onFrame(frame);
  }

  #gone(error) {
    if (!this.facts) return;
    this.leave();
    if (error.status === 404) {
      const { resumable = false, step = this.frame?.look.step ?? 0 } = error.body || {};
      this.told.onTrouble({ kind: "gone", resumable, step, message: error.message });
      return;
    }
    this.told.onTrouble({ kind: "server", resumable: false, step: 0, message: error.message });
    this.#seek();
  }

  // Ask until a server answers; then either the run is still there or it says what became of it.
  #seek() {
    const now = this.visit;
    this.again = setTimeout(async () => {
      try {
        const facts = await get(this.path);
        if (now === this.visit) await this.#take(facts);
      } catch (error) {
        if (now === this.visit) this.#gone(error);
      }
    }, AGAIN);
  }
}
