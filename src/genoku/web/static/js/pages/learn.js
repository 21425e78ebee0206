// @ts-check
// Learn: a guided tour of the operators, with pictures that the engine makes.

import { get, messageOf } from "../api.js";
import { remember } from "../app.js";
import { fill, h } from "../dom.js";
import { sceneLegend } from "../learn/board.js";
import { player } from "../learn/player.js";
import { keep, recall } from "../prefs.js";
import { link } from "../share.js";

/** @import { Chapter, Lesson } from "../types.d.ts" */

// The chapters that this browser has shown.
/** @type {() => Set<string>} */
function visitedChapters() {
  try {
    return new Set(JSON.parse(recall("learn") ?? "[]"));
  } catch {
    return new Set();
  }
}

/** @type {(main: HTMLElement, query: URLSearchParams, rest: string[]) => Promise<(() => void) | null>} */
export async function show(main, query, rest) {
  const chapters = await get("/api/lessons");
  if (!main.isConnected) return null;
  const place = Math.max(0, chapters.findIndex((each) => each.name === rest[0]));
  const chapter = chapters[place];
  keep("learn", JSON.stringify([...visitedChapters().add(chapter.name)]));
  /** @type {ReturnType<typeof player> | null} */
  let playing = null;
  let hasLeft = false;

  const stage = h("div", { class: "card learn-stage" }, h("p", { class: "soft" }, "Computing…"));
  const tabs = h("div", { class: "row learn-tabs", role: "group", "aria-label": "What to look at" });
  const about = h("p", { class: "small soft" });
  const made = h("p", { class: "small soft" });
  const solve = h("a", { class: "button primary", hidden: true }, chapter.trial.label);
  const heading = h("h2", { class: "learn-title", tabindex: "-1" }, chapter.title);
  fill(main,
    h("div", { class: "learn-head" },
      h("h1", {}, "How evolution solves a puzzle"),
      dots(chapters, place)),
    h("div", { class: "learn" },
      h("div", { class: "card learn-text" },
        h("p", { class: "small soft learn-number" }, `Chapter ${place + 1} of ${chapters.length}`),
        heading,
        chapter.words.map((words) => h("p", {}, words)),
        tabs, about, made,
        h("div", { class: "row" },
          h("button", { type: "button", onclick: () => load(1 + Math.floor(Math.random() * 9999)) }, "Other boards"),
          solve)),
      stage),
    turnPage(chapters, place));
  if (document.activeElement === document.body && rest[0]) heading.focus({ preventScroll: true });
  window.scrollTo(0, 0);

  /** @param {number} seed */
  async function load(seed) {
    let lesson;
    stage.setAttribute("aria-busy", "true");
    try {
      lesson = await get(`/api/lessons/${chapter.name}?seed=${seed}`);
    } catch (error) {
      if (!hasLeft) fill(stage, h("div", { class: "notice bad", role: "alert" }, messageOf(error)));
      return;
    } finally {
      stage.removeAttribute("aria-busy");
    }
    if (hasLeft || !main.isConnected) return;
    const { trial } = chapter;
    solve.href = link("solve", {
      puzzle: lesson.puzzle, box: lesson.box, name: trial.puzzle, preset: trial.preset, settings: trial.settings,
      until: trial.until, seed: lesson.seed,
    });
    solve.hidden = false;
    const asked = lesson.scenes.findIndex((each) => each.name === query.get("scene"));
    choose(lesson, Math.max(0, asked));
  }

  /** @type {(lesson: Lesson, which: number) => void} */
  function choose(lesson, which) {
    const scene = lesson.scenes[which];
    const buttons = lesson.scenes.map((each, i) => h("button", {
      type: "button", "aria-pressed": String(i === which), onclick: () => choose(lesson, i),
    }, each.label));
    const wasFocused = tabs.contains(document.activeElement);
    tabs.hidden = lesson.scenes.length < 2;
    fill(tabs, buttons);
    if (wasFocused) buttons[which].focus();
    about.textContent = scene.about;
    made.textContent = `Made by the engine from seed ${lesson.seed}.`;
    playing?.close();
    playing = player(scene);
    fill(stage, playing.element, sceneLegend(scene));
    playing.begin();
    query.set("scene", scene.name);
    remember(`learn/${chapter.name}`, new URLSearchParams({ seed: String(lesson.seed), scene: scene.name }));
  }

  const seed = Number(query.get("seed") ?? 1);
  await load(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32 ? seed : 1);
  return () => {
    hasLeft = true;
    playing?.close();
  };
}

// The chapters as dots, filled if they were visited.
/** @type {(chapters: Chapter[], place: number) => HTMLElement} */
function dots(chapters, place) {
  const been = visitedChapters();
  return h("nav", { "aria-label": "Chapters" }, h("ol", { class: "learn-dots" }, chapters.map((each, i) =>
    h("li", {}, h("a", {
      href: `#/learn/${each.name}`, title: each.title, class: been.has(each.name) ? "been" : "",
      "aria-current": i === place ? "step" : null,
      "aria-label": `Chapter ${i + 1}: ${each.title}${been.has(each.name) ? ", seen" : ""}`,
    }, String(i + 1))))));
}

/** @type {(chapters: Chapter[], place: number) => HTMLElement} */
function turnPage(chapters, place) {
  const [before, after] = [chapters[place - 1], chapters[place + 1]];
  return h("nav", { class: "row spread learn-turn", "aria-label": "Previous and next chapter" },
    before
      ? h("a", { class: "button", href: `#/learn/${before.name}`, rel: "prev" }, `← ${before.title}`)
      : h("span"),
    after
      ? h("a", { class: "button primary", href: `#/learn/${after.name}`, rel: "next" }, `${after.title} →`)
      : h("a", { class: "button primary", href: "#/solve" }, "Now solve one yourself →"));
}
