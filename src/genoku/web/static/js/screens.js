// @ts-check
// The two screens of a page, "setup" and "live", as entries of the browser's history: the live screen comes after the
// settings it was started with, so that Back leads to the settings, and Forward to the live screen again.

import { remember } from "./app.js";

/** @typedef {"setup" | "live"} Mode */

/** @type {{ key: string, arrive: (mode: Mode) => void } | null} */
let current = null; // the page on show, if it has two screens
let made = 0;

/**
 * @param {string} path
 * @param {object} page
 * @param {(mode: Mode) => string | URLSearchParams} page.query what the address says of a screen
 * @param {(mode: Mode) => void} page.onTurn shows a screen
 */
export function screens(path, { query, onTurn }) {
  const key = `${Date.now()}-${++made}`;
  /** @type {Mode} */
  let mode = "setup";
  let isOnTop = false; // whether the entry before that of "live" is our own "setup"

  const write = (push = false) => remember(path, query(mode), { state: { key, mode }, push });

  /** @param {Mode} next */
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
    // Update the address of the screen on show.
    note: () => write(),
    // Show the live screen, for a new session or for another one than before.
    watch() {
      if (mode === "live") return write();
      const isReloaded = history.state?.mode === "live"; // its entry comes after its settings already
      if (!isReloaded) {
        write();
        history.replaceState({ key, mode }, ""); // ours, also where the address was right already
      }
      turn("live");
      write(!isReloaded);
      isOnTop = !isReloaded;
    },
    // Go from one screen to the other, as Back and Forward do.
    edit() {
      if (isOnTop) return history.back();
      turn("setup");
      write(true);
    },
    comeBack: () => (isOnTop ? history.forward() : history.back()),
    // Show the settings because there is nothing to watch any more.
    fall() {
      turn("setup");
      write();
    },
  };
}

// Whether the page on show has itself turned to the history entry that the browser went to.
export function turnToEntry() {
  const { key, mode } = history.state ?? {};
  if (!current || current.key !== key) return false;
  current.arrive(mode);
  return true;
}

export function forgetScreens() {
  current = null;
}
