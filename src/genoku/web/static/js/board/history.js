// @ts-check
// Undo and redo: states in the order in which they came.

const MOST = 300;

/** @template State */
export class History {
  /** @type {State[]} */
  #past = [];
  /** @type {State[]} */
  #future = [];

  // Note a state before it is left.
  /** @param {State} state */
  note(state) {
    this.#past.push(state);
    if (this.#past.length > MOST) this.#past.shift();
    this.#future = [];
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  // The state before, in exchange for the current one; null if there is none.
  /** @type {(now: State) => State | null} */
  undo(now) {
    return exchange(this.#past, this.#future, now);
  }

  /** @type {(now: State) => State | null} */
  redo(now) {
    return exchange(this.#future, this.#past, now);
  }
}

/** @type {<State>(from: State[], to: State[], now: State) => State | null} */
function exchange(from, to, now) {
  const state = from.pop();
  if (state === undefined) return null;
  to.push(now);
  return state;
}
