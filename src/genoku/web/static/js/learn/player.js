// @ts-check
// Plays the steps of a scene: by itself, or one at a time. With reduced motion, a person steps by hand.

import { fill, h } from "../dom.js";
import { onPrefs } from "../prefs.js";
import { LessonBoard } from "./board.js";
import { bars, LessonCurve } from "./pictures.js";

/** @import { Scene } from "../types.d.ts" */

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const narrow = matchMedia("(max-width: 40rem)");

/** @param {Scene} scene */
export function player(scene) {
  let at = 0;
  let timer = 0;
  /** @type {ReturnType<typeof newBoard>[]} */
  const boards = [];
  const most = Math.max(...scene.steps.map((step) => step.boards.length));
  const isBeside = most > 0 && most <= 6; // charts are beside the boards, which else need the whole width
  const wide = isBeside || narrow.matches ? 340 : 560;
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
    oninput: () => { stepTo(Number(slider.value)); },
  });
  const playButton = h("button", { type: "button", class: "primary play", onclick: toggle });
  const backButton = stepButton("Step back", "‹ Back", -1);
  const nextButton = stepButton("Step forward", "Step ›", 1);
  const element = h("section", {
    class: "lesson-player", "aria-label": `Animation: ${scene.label}`, tabindex: "0", onkeydown: onKey,
  }, stage, caption, h("div", { class: "lesson-controls" }, playButton, backButton, nextButton, slider, counter));

  /** @type {(label: string, text: string, by: number) => HTMLElement} */
  function stepButton(label, text, by) {
    return h("button", { type: "button", "aria-label": label, onclick: () => stepTo(at + by) }, text);
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
    const figures = boards.slice(0, step.boards.length).map((each) => each.figure);
    if (figures.length !== boardsPlace.children.length) fill(boardsPlace, figures);
    boardsPlace.hidden = figures.length === 0;
    boardsPlace.classList.toggle("lone", figures.length === 1 && most > 1);
    fill(barsPlace, step.bars.map((view) => bars(view, wide)));
    barsPlace.hidden = step.bars.length === 0;
    curvesPlace.hidden = step.at === null;
    side.hidden = barsPlace.hidden && curvesPlace.hidden;
    stage.classList.toggle("beside", isBeside && !side.hidden);
    if (step.at !== null) for (const curve of curves) curve.draw(step.at);
    caption.textContent = step.text;
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `step ${at + 1} of ${scene.steps.length}`);
    counter.textContent = `${at + 1} / ${scene.steps.length}`;
    // Not disabled, which would take the focus from a person who steps by keyboard.
    backButton.setAttribute("aria-disabled", String(at === 0));
    nextButton.setAttribute("aria-disabled", String(at === scene.steps.length - 1));
    labelPlayButton();
  }

  function labelPlayButton() {
    const isLast = at === scene.steps.length - 1;
    playButton.textContent = timer ? "❚❚ Pause" : (isLast ? "↺ Replay" : "▶ Play");
  }

  // Go to a step by hand: it is read out, which steps of the animation are not.
  /** @param {number} place */
  function stepTo(place) {
    pause();
    caption.setAttribute("aria-live", "polite");
    go(place);
  }

  /** @param {number} place */
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
        timer = 0;
      }
      go(at + 1);
    }, scene.pace * 1000);
    labelPlayButton();
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    labelPlayButton();
  }

  function toggle() {
    if (timer) pause();
    else play();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, number>} */
    const moves = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: scene.steps.length - 1 };
    if (event.key in moves && event.target !== slider) stepTo(moves[event.key]);
    else if (event.target === element && (event.key === " " || event.key === "Enter")) toggle();
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
      forget();
    },
  };
}

/** @param {Scene} scene */
function newBoard(scene) {
  const board = new LessonBoard(scene);
  const title = h("span", { class: "title" });
  const note = h("span", { class: "note" });
  return { board, title, note, figure: h("figure", {}, h("figcaption", {}, title, note), board.picture) };
}
