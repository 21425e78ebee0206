// What was, so that it can be again: states in the order in which they came.

const MOST = 300;

export class History {
  #past = [];
  #future = [];

  // Note a state before it is left.
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

  // The state before, in exchange for the one that is; null where there is none.
  undo(now) {
    return exchanged(this.#past, this.#future, now);
  }

  redo(now) {
    return exchanged(this.#future, this.#past, now);
  }
}

function exchanged(from, to, now) {
  if (!from.length) return null;
  to.push(now);
  return from.pop();
}
