// @ts-check
// The puzzle of a preset: choosing the preset loads it, or only offers it if a person has chosen the puzzle on show.

import { fill, h } from "../dom.js";
import { isSamePuzzle, readBoard } from "../symbols.js";

/** @import { Preset, Puzzle, PuzzleText } from "../types.d.ts" */

/**
 * @typedef {"remembered" | "preset" | "person"} Source where the puzzle on show comes from: the last visit, or that which a newcomer sees; a preset; or a person, who typed, loaded or picked it, or followed a link to it
 *
 * @typedef {object} Panel as much of the puzzle's panel as this needs
 * @property {Source} source
 * @property {() => Puzzle} value
 * @property {(text: PuzzleText, source: Source) => unknown} set
 */

/** @typedef {Pick<Preset, "puzzle" | "board" | "box">} Owner */

const UNDO = "Undo brings back the one before.";

/** @type {(preset: Owner) => PuzzleText} */
const textOf = ({ puzzle: name, board: puzzle, box }) => ({ puzzle, box, name });

// A preset's puzzle in a sentence: "the empty 16×16 board", "charles-hard, 9×9".
/** @type {(preset: Owner) => string} */
export function puzzleWords({ puzzle: name, board, box }) {
  const read = readBoard(board, box);
  if (!read) return name;
  const size = `${read.side}×${read.side}`;
  return read.digits.some(Boolean) ? `${name}, ${size}` : `the empty ${size} board`;
}

/** @param {Panel} panel */
export function presetPuzzle(panel) {
  const words = h("span", { role: "status" });
  const load = h("button", { type: "button", class: "small", onclick: () => take() });
  const element = h("div", { class: "preset-puzzle small", tabindex: "-1", hidden: true }, words, load);
  /** @type {Owner | null} */
  let chosen = null;
  let more = "";

  /** @type {(preset: Owner) => boolean} */
  function isShown({ board, box }) {
    const read = readBoard(board, box);
    return read !== null && isSamePuzzle(read, panel.value());
  }

  // What is said is only set when it changes: it is read out.
  function update() {
    element.hidden = chosen === null;
    if (!chosen) return;
    const itsPuzzle = puzzleWords(chosen);
    const isThere = isShown(chosen);
    const said = isThere ? `Its puzzle is loaded: ${itsPuzzle}. ${more}`.trimEnd() : "The puzzle stays as it is.";
    if (words.textContent !== said) words.textContent = said;
    load.hidden = isThere;
    fill(load, `Load its puzzle: ${itsPuzzle}`);
  }

  function take() {
    if (!chosen) return;
    more = UNDO;
    panel.set(textOf(chosen), "preset");
    update();
    element.focus(); // the button has gone
  }

  // Load the puzzle of a preset, unless a person has chosen the one on show.
  /** @param {Owner} preset */
  function bring(preset) {
    if (panel.source !== "person") panel.set(textOf(preset), "preset");
  }

  return {
    element,
    isShown,
    bring,
    update,
    // A person has chosen a preset.
    /** @param {Owner} preset */
    choose(preset) {
      chosen = preset;
      more = panel.source === "remembered" && !isShown(preset) ? UNDO : "";
      bring(preset);
      update();
    },
    // A recipe of one's own has no puzzle.
    forget() {
      chosen = null;
      update();
    },
  };
}
