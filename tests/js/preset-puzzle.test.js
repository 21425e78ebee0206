import "./browser.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { presetPuzzle, puzzleWords } from "../../src/genoku/web/static/js/puzzle/preset-puzzle.js";
import { readBoard } from "../../src/genoku/web/static/js/symbols.js";

const EMPTY = { puzzle: "empty 4", board: ".".repeat(16), box: "2x2" };
const SMALL = { puzzle: "small", board: "1.....3..4.....2", box: "2x2" };
const OTHER = { puzzle: "other", board: "12....3..4.....2", box: "2x2" };

// A panel that shows a preset's puzzle, which came from somewhere.
function panelWith({ board, box }, source) {
  return {
    source,
    shown: board,
    value() { return readBoard(this.shown, box); },
    set(text, from) {
      this.shown = text.puzzle;
      this.source = from;
    },
  };
}

const buttonOf = ({ element }) => element.children[1];

test("choosing a preset loads its puzzle in place of a remembered one and of another preset's", () => {
  for (const source of ["remembered", "preset"]) {
    const panel = panelWith(SMALL, source);
    const own = presetPuzzle(panel);
    own.choose(EMPTY);
    assert.deepEqual([panel.shown, panel.source], [EMPTY.board, "preset"]);
    assert.equal(buttonOf(own).hidden, true);
  }
});

test("a puzzle that a person chose stays, and that of the preset is offered", () => {
  const panel = panelWith(SMALL, "person");
  const own = presetPuzzle(panel);
  own.choose(EMPTY);
  assert.equal(panel.shown, SMALL.board);
  assert.deepEqual([own.element.hidden, buttonOf(own).hidden], [false, false]);

  buttonOf(own).dispatchEvent(new Event("click"));
  assert.deepEqual([panel.shown, panel.source, buttonOf(own).hidden], [EMPTY.board, "preset", true]);
  own.choose(OTHER); // a preset's puzzle gives way to the next
  assert.equal(panel.shown, OTHER.board);
});

test("nothing is offered where the puzzle is the preset's already, nor for a recipe of one's own", () => {
  const panel = panelWith(SMALL, "person");
  const own = presetPuzzle(panel);
  own.choose(SMALL);
  assert.deepEqual([panel.source, buttonOf(own).hidden], ["person", true]);
  own.choose(EMPTY);
  own.forget();
  assert.equal(own.element.hidden, true);
});

test("an empty board is called so, and other puzzles by their names", () => {
  assert.equal(puzzleWords(EMPTY), "the empty 4×4 board");
  assert.equal(puzzleWords(SMALL), "small, 4×4");
});
