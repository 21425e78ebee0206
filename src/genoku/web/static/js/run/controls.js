// @ts-check
// The buttons that control a run, their keys, and the speed.

import { h, onKeys } from "../dom.js";
import { count } from "../words.js";

/** @import { Frame } from "../types.d.ts" */
/** @typedef {"pause" | "resume" | "step" | "stop" | "speed" | "restart" | "reseed"} Action */

const DECADES = 4; // the slider's range: 1 to 10,000 steps per second, then full speed
export const FULL = 100;

// Steps per second at a position of the slider; null: full speed.
/** @type {(position: number) => number | null} */
export const speedAt = (position) => (position >= FULL ? null
  : Number((10 ** ((position / (FULL - 1)) * DECADES)).toPrecision(2)));

/** @type {(speed: number | null) => number} */
export const positionOf = (speed) => (speed === null ? FULL
  : Math.max(0, Math.min(FULL - 1, Math.round((Math.log10(Math.max(1, speed)) / DECADES) * (FULL - 1)))));

/** @param {{ act: (action: Action, more?: { speed: number | null }) => void }} options */
export function runControls({ act }) {
  /** @type {Frame | null} */
  let frame = null;
  let word = "step";
  let timer = 0;

  /** @type {(label: string, action: Action, title: string, kind?: string) => HTMLButtonElement} */
  const button = (label, action, title, kind = "") =>
    h("button", { type: "button", class: kind, title, onclick: () => act(action) }, label);
  const toggle = h("button", { type: "button", class: "primary toggle", onclick: () => {
    if (frame) act(frame.phase === "paused" ? "resume" : "pause");
  } }, "Pause");
  const step = button("Step", "step", "");
  const stop = button("Stop", "stop", "End the run here", "danger");
  const restart = button("Restart", "restart", "The same run from the start: same seed, same settings");
  const reseed = button("New seed", "reseed", "The same settings with another seed: another run");

  const slider = h("input", {
    type: "range", min: 0, max: FULL, step: 1, value: FULL, id: "run-speed", oninput: slide,
  });
  const output = h("output", { for: "run-speed", class: "speed-says" });
  const speed = h("div", { class: "run-speed" }, h("label", { for: "run-speed" }, "Speed"), slider, output);

  const element = h("div", { class: "run-controls" },
    h("div", { class: "run-buttons", role: "group", "aria-label": "Control of the run", onclick: releaseFocus },
      toggle, step, stop, restart, reseed), speed);

  // A button that was clicked does not keep the space key to itself; one pressed by keyboard does.
  /** @param {MouseEvent} event */
  function releaseFocus(event) {
    if (event.detail > 0 && event.target instanceof HTMLElement) event.target.blur();
  }

  function slide() {
    showSpeed();
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = 0;
      act("speed", { speed: speedAt(Number(slider.value)) });
    }, 120);
  }

  function showSpeed() {
    const limit = speedAt(Number(slider.value));
    const text = limit === null ? "full speed" : `${count(limit)} ${word}${limit === 1 ? "" : "s"}/s`;
    if (output.textContent === text) return;
    output.textContent = text;
    slider.setAttribute("aria-valuetext", text);
  }

  return {
    element,
    /** @param {string} stepWord */
    setWord(stepWord) {
      word = stepWord;
      step.title = `One ${word}, then wait (key: s)`;
      showSpeed();
    },
    /** @type {(next: Frame, isDisabled?: boolean) => void} */
    show(next, isDisabled = false) {
      frame = next;
      const hasEnded = frame.phase === "ended";
      const label = frame.phase === "paused" ? "Resume" : "Pause";
      if (toggle.textContent !== label) {
        toggle.textContent = label;
        toggle.title = `${label} (key: space)`;
      }
      for (const each of [toggle, step, stop]) each.disabled = hasEnded || isDisabled;
      for (const each of [slider, restart, reseed]) each.disabled = isDisabled;
      toggle.classList.toggle("primary", !hasEnded);
      restart.classList.toggle("primary", hasEnded);
      if (!timer && document.activeElement !== slider) {
        slider.value = String(positionOf(frame.speed_limit));
        showSpeed();
      }
    },
    close: onKeys(element, { " ": toggle, s: step }),
  };
}
