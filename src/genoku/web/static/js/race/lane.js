// A lane of a race as it is watched: the best board, and how far it has come.

import { LiveBoard } from "../board/live.js";
import { fill, h } from "../dom.js";
import { count, figures, short } from "../words.js";
import { mark } from "./marks.js";

function status(look, phase, isWinner) {
  if (look.solved) return isWinner ? "solved first" : "solved";
  if (look.ended) return look.ended.includes("=") ? "budget spent" : look.ended;
  return { waiting: "getting ready", paused: "paused", ended: "stopped" }[phase] || "running";
}

const clock = (s) => (s < 0.1 ? `${figures(1000 * s, 2)} ms` : `${s.toFixed(s < 10 ? 2 : 1)} s`);

// `budget` in seconds of CPU time, null where something else is the limit.
export function laneCard(place, { name }, puzzle, budget) {
  const canvas = h("canvas", { class: "race-board", "aria-label": `Best board of ${name}` });
  const crown = h("span", { class: "badge good crown", hidden: true }, "♛ Winner");
  const state = h("span", { class: "badge" }, "getting ready");
  const shown = {};
  const names = {};
  const fact = (key, label) => {
    names[key] = h("dt", {}, label);
    shown[key] = h("dd", {}, "–");
    return h("div", {}, names[key], shown[key]);
  };
  const element = h("li", { class: `card race-lane lane-${place + 1}` },
    h("div", { class: "race-lane-head" },
      h("h3", {}, mark(place), h("span", { class: "race-lane-name" }, name)), crown),
    canvas,
    h("dl", { class: "race-facts" },
      fact("loss", "Loss"), fact("seconds", "CPU time"), fact("step", "Step"), fact("speed", "Evaluations/s")),
    h("div", { class: "row spread" }, state, h("span", { class: "soft small score" })));
  const score = element.querySelector(".score");
  const spent = h("span", {}, "–");
  fill(shown.seconds, spent, budget !== null && h("span", { class: "soft small" }, ` of ${figures(budget, 3)} s`));
  const board = new LiveBoard(canvas);

  return {
    element,
    // The canvas must stand in the page before it can be measured.
    begin() {
      board.setPuzzle(puzzle);
    },
    show(look, phase, winner) {
      board.draw(look);
      shown.loss.textContent = look.solved ? "0" : figures(look.loss, 3);
      spent.textContent = clock(look.seconds);
      shown.step.textContent = count(look.step);
      shown.speed.textContent = short(look.speed);
      names.speed.textContent = look.moves > look.evaluations ? "Moves/s" : "Evaluations/s";
      score.textContent = look.score;
      const isWinner = winner === place;
      state.textContent = status(look, phase, isWinner);
      state.className = `badge ${look.solved ? "good" : look.ended ? "" : phase === "running" ? "live" : "warn"}`;
      crown.hidden = !isWinner;
      element.classList.toggle("winner", isWinner);
    },
    close: () => board.close(),
  };
}
