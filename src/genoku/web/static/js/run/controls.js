// The buttons that steer a run, their keys, and the speed.

import { h } from "../dom.js";
import { onKeys } from "../keys.js";
import { count } from "../words.js";

const DECADES = 4; // the slider's range: 1 to 10,000 steps in a second, then full speed
const FULL = 100;

const speedAt = (place) => (place >= FULL ? null
  : Number((10 ** ((place / (FULL - 1)) * DECADES)).toPrecision(2)));

const placeOf = (limit) => (limit === null || limit === undefined ? FULL
  : Math.max(0, Math.min(FULL - 1, Math.round((Math.log10(Math.max(1, limit)) / DECADES) * (FULL - 1)))));

// `act(what, more)` is asked for: pause, resume, step, stop, speed, restart, reseed.
export function runControls({ act }) {
  let frame = null;
  let word = "step";
  let sent = 0;

  const button = (label, what, title, kind = "") =>
    h("button", { type: "button", class: kind, title, onclick: () => act(what) }, label);
  const toggle = h("button", { type: "button", class: "primary toggle", onclick: () => pressToggle() }, "Pause");
  const step = button("Step", "step", "");
  const stop = button("Stop", "stop", "End the run here", "danger");
  const restart = button("Restart", "restart", "The same run from the start: same seed, same settings");
  const reseed = button("New seed", "reseed", "The same settings with another seed: another run");

  const slider = h("input", {
    type: "range", min: 0, max: FULL, step: 1, value: FULL, id: "run-speed", oninput: () => slide(),
  });
  const says = h("output", { for: "run-speed", class: "speed-says" });
  const speed = h("div", { class: "run-speed" }, h("label", { for: "run-speed" }, "Speed"), slider, says);

  const element = h("div", { class: "run-controls" },
    h("div", { class: "run-buttons", role: "group", "aria-label": "Control of the run", onclick: release },
      toggle, step, stop, restart, reseed), speed);

  // A button pressed by mouse does not keep the space key to itself; one pressed by keyboard does.
  function release(event) {
    if (event.detail > 0) event.target.blur();
  }

  function pressToggle() {
    if (frame) act(frame.phase === "paused" ? "resume" : "pause");
  }

  function slide() {
    tell();
    clearTimeout(sent);
    sent = setTimeout(() => {
      sent = 0;
      act("speed", { speed: speedAt(Number(slider.value)) });
    }, 120);
  }

  function tell() {
    const limit = speedAt(Number(slider.value));
    const text = limit === null ? "full speed" : `${count(limit)} ${word}${limit === 1 ? "" : "s"}/s`;
    if (says.textContent === text) return;
    says.textContent = text;
    slider.setAttribute("aria-valuetext", text);
  }

  const deaf = onKeys(element, { " ": toggle, s: step });

  return {
    element,
    setWord(stepWord) {
      word = stepWord;
      step.title = `One ${word}, then wait (key: s)`;
      tell();
    },
    show(next, busy = false) {
      frame = next;
      const over = frame.phase === "ended";
      const halted = frame.phase === "paused";
      const label = halted ? "Resume" : "Pause";
      if (toggle.textContent !== label) {
        toggle.textContent = label;
        toggle.title = `${label} (key: space)`;
      }
      toggle.disabled = over || busy;
      step.disabled = over || busy;
      stop.disabled = over || busy;
      slider.disabled = busy;
      restart.disabled = busy;
      reseed.disabled = busy;
      toggle.classList.toggle("primary", !over);
      restart.classList.toggle("primary", over);
      if (!sent && document.activeElement !== slider) {
        slider.value = placeOf(frame.speed_limit);
        tell();
      }
    },
    close: deaf,
  };
}
