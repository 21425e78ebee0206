// The two screens of a page, "setup" and "live", as places of the browser's history: what is watched lies on top of
// what was set up, so that Back leads from it to the settings, and Forward to it again.

import { remember } from "./app.js";

let current = null; // the page on show, if it has two
let made = 0;

// `query(mode)` is what the address says of a screen; `onTurn(mode)` shows it.
export function screens(path, { query, onTurn }) {
  const key = `${Date.now()}-${++made}`;
  let mode = "setup";
  let isOnTop = false; // whether the place before that of "live" is our own "setup"

  const write = (push = false) => remember(path, query(mode), { state: { key, mode }, push });

  function turn(next) {
    mode = next;
    onTurn(mode);
  }

  current = {
    key,
    arrive(next) {
      turn(next);
      write(); // settings may have changed since
    },
  };

  return {
    // The address follows what is on show.
    note: () => write(),
    // Something is on to be watched, or another one than before.
    watch() {
      if (mode === "live") return write();
      const isReloaded = history.state?.mode === "live"; // it lies on top of its settings already
      if (!isReloaded) {
        write();
        history.replaceState({ key, mode }, ""); // ours, also where the address was right already
      }
      turn("live");
      write(!isReloaded);
      isOnTop = !isReloaded;
    },
    // From one to the other, as Back and Forward do.
    edit() {
      if (isOnTop) return history.back();
      turn("setup");
      write(true);
    },
    comeBack: () => (isOnTop ? history.forward() : history.back()),
    // There is nothing to watch any more.
    fall() {
      turn("setup");
      write();
    },
  };
}

// Whether the page on show has turned by itself to the place that the browser came to.
export function turned() {
  const { key, mode } = history.state ?? {};
  if (!current || current.key !== key) return false;
  current.arrive(mode);
  return true;
}

export function forgetScreens() {
  current = null;
}
