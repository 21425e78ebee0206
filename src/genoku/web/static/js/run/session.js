// A run on the server, and what only a run can be asked.

import { get } from "../api.js";
import { LiveSession } from "../session.js";

export class RunSession extends LiveSession {
  constructor(told) {
    super({ kind: "runs", ...told });
  }

  async course() {
    return this.facts.frame.lanes[0].step > 0 ? this.curve().catch(() => null) : null;
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
}
