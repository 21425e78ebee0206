// Plays the steps of a scene: by itself, or one at a time. Whoever wants less motion steps by hand.

import { fill, h } from "../dom.js";
import { onPrefs } from "../prefs.js";
import { LessonBoard } from "./board.js";
import { bars, LessonCurve } from "./pictures.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const narrow = matchMedia("(max-width: 40rem)");

export function player(scene) {
  let at = 0;
  let timer = null;
  const boards = [];
  const most = Math.max(...scene.steps.map((step) => step.boards.length));
  const besides = most > 0 && most <= 6; // else boards need the whole width
  const wide = besides || narrow.matches ? 340 : 560;
  const curves = scene.curves.map((curve) => new LessonCurve(curve, wide));

  const boardsPlace = h("div", { class: `lesson-boards many-${most > 6 ? "lots" : most}` });
  const barsPlace = h("div", { class: "lesson-charts" });
  const curvesPlace = h("div", { class: "lesson-charts" }, curves.map((curve) => curve.element));
  const side = h("div", { class: "lesson-side" }, barsPlace, curvesPlace);
  const stage = h("div", { class: "lesson-stage" }, boardsPlace, side);
  const caption = h("p", { class: "lesson-caption" });
  const counter = h("span", { class: "small soft lesson-count" });
  const slider = h("input", {
    type: "range", min: 0, max: scene.steps.length - 1, step: 1, "aria-label": "Step of the animation",
    oninput: () => byHand(Number(slider.value)),
  });
  const playButton = h("button", { type: "button", class: "primary play", onclick: toggle });
  const backButton = stepButton("Step back", "‹ Back", -1);
  const nextButton = stepButton("Step forward", "Step ›", 1);
  const element = h("section", {
    class: "lesson-player", "aria-label": `Animation: ${scene.label}`, tabindex: "0", onkeydown: keyed,
  }, stage, caption, h("div", { class: "lesson-controls" }, playButton, backButton, nextButton, slider, counter));

  function stepButton(label, text, by) {
    return h("button", { type: "button", "aria-label": label, onclick: () => byHand(at + by) }, text);
  }

  function draw() {
    const step = scene.steps[at];
    while (boards.length < step.boards.length) boards.push(newBoard(scene));
    step.boards.forEach((view, place) => {
      const { board, title, note } = boards[place];
      title.textContent = view.title;
      note.textContent = view.note;
      board.draw(view, [view.title || "Board", view.note, step.text].filter(Boolean).join("; "));
    });
    const wanted = boards.slice(0, step.boards.length).map((each) => each.figure);
    const there = [...boardsPlace.children];
    if (wanted.length !== there.length) fill(boardsPlace, wanted);
    boardsPlace.hidden = wanted.length === 0;
    boardsPlace.classList.toggle("lone", wanted.length === 1 && most > 1);
    fill(barsPlace, step.bars.map((view) => bars(view, wide)));
    barsPlace.hidden = step.bars.length === 0;
    curvesPlace.hidden = step.at === null;
    side.hidden = barsPlace.hidden && curvesPlace.hidden;
    stage.classList.toggle("beside", besides && !side.hidden);
    if (step.at !== null) for (const curve of curves) curve.draw(step.at);
    caption.textContent = step.text;
    slider.value = at;
    slider.setAttribute("aria-valuetext", `step ${at + 1} of ${scene.steps.length}`);
    counter.textContent = `${at + 1} / ${scene.steps.length}`;
    // Not disabled, which would take the focus away from who steps by keyboard.
    backButton.setAttribute("aria-disabled", String(at === 0));
    nextButton.setAttribute("aria-disabled", String(at === scene.steps.length - 1));
    tellButton();
  }

  function tellButton() {
    const ended = at === scene.steps.length - 1;
    playButton.textContent = timer ? "❚❚ Pause" : (ended ? "↺ Replay" : "▶ Play");
  }

  // A step that a person asked for is read out; those that play by themselves are not.
  function byHand(place) {
    pause();
    caption.setAttribute("aria-live", "polite");
    go(place);
  }

  function go(place) {
    at = Math.max(0, Math.min(place, scene.steps.length - 1));
    draw();
  }

  function play() {
    caption.setAttribute("aria-live", "off");
    if (at === scene.steps.length - 1) go(0);
    clearInterval(timer);
    timer = setInterval(() => {
      if (at + 1 >= scene.steps.length - 1) {
        clearInterval(timer);
        timer = null;
      }
      go(at + 1);
    }, scene.pace * 1000);
    tellButton();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    tellButton();
  }

  function toggle() {
    if (timer) pause();
    else play();
  }

  function keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const own = event.target === element;
    const moves = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: scene.steps.length - 1 };
    if (event.key in moves && event.target !== slider) byHand(moves[event.key]);
    else if (own && (event.key === " " || event.key === "Enter")) toggle();
    else return;
    event.preventDefault();
  }

  const forget = onPrefs(draw);
  draw();
  return {
    element,
    begin: () => { if (!calm.matches) play(); },
    close() {
      clearInterval(timer);
      timer = null;
      forget();
    },
  };
}

function newBoard(scene) {
  const board = new LessonBoard(scene);
  const title = h("span", { class: "title" });
  const note = h("span", { class: "note" });
  return { board, title, note, figure: h("figure", {}, h("figcaption", {}, title, note), board.picture) };
}
