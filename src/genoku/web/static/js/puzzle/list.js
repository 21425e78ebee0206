// @ts-check
// Puzzles to choose from: the bundled ones, or those of a file.

import { get, messageOf } from "../api.js";
import { openDialog } from "../dialog.js";
import { field, fill, h } from "../dom.js";
import { contextOf } from "../plot.js";
import { ink } from "../prefs.js";
import { count } from "../words.js";

/** @import { ImportedPuzzles, ListedPuzzle } from "../types.d.ts" */
/** @typedef {(puzzle: ListedPuzzle) => void} Choose */

/** @type {ListedPuzzle[] | null} */
let bundled = null;

/** @param {Choose} onChoose */
export async function chooseBundled(onChoose) {
  const content = h("div", { class: "soft" }, "Loading…");
  const dialog = openDialog("Bundled puzzles", content, { wide: true });
  try {
    bundled ??= (await get("/api/puzzles")).puzzles;
    content.replaceWith(chooser(bundled, (one) => {
      dialog.close();
      onChoose(one);
    }));
    dialog.querySelector("input")?.focus();
  } catch (error) {
    content.replaceWith(h("div", { class: "notice bad", role: "alert" }, messageOf(error)));
  }
}

// Several puzzles were found: choose one.
/** @type {(found: ImportedPuzzles, filename: string, onChoose: Choose) => void} */
export function chooseImported(found, filename, onChoose) {
  const total = found.puzzles.length + found.more;
  const notes = [
    found.more ? `The first ${found.puzzles.length} of ${count(total)} are listed.` : "",
    found.bad ? `${count(found.bad)} could not be read: ${found.complaints[0]}` : "",
  ].filter(Boolean);
  const dialog = openDialog(`${count(total)} puzzles${filename ? ` in ${filename}` : ""}`,
    h("div", { class: "stack" },
      notes.map((note) => h("div", { class: "notice warn small" }, note)),
      chooser(found.puzzles, (one) => {
        dialog.close();
        onChoose(one);
      })), { wide: true });
}

/** @type {(puzzles: ListedPuzzle[], onChoose: Choose) => HTMLElement} */
function chooser(puzzles, onChoose) {
  const groups = [...new Set(puzzles.map((one) => one.group || ""))];
  const sides = [...new Set(puzzles.map((one) => one.side))].sort((a, b) => a - b);
  /** @param {KeyboardEvent} event */
  const chooseFirst = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // else it also presses what gets the focus next
    list.querySelector("button")?.click();
  };
  const search = h("input", { type: "search", oninput: show, onkeydown: chooseFirst, autocomplete: "off" });
  const group = h("select", { onchange: show },
    h("option", { value: "" }, "All"), groups.map((name) => h("option", { value: name }, name)));
  const size = h("select", { onchange: show },
    h("option", { value: "" }, "All"), sides.map((side) => h("option", { value: side }, `${side}×${side}`)));
  const list = h("div", { class: "puzzle-list" });
  const status = h("p", { class: "soft small", role: "status" });

  function show() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = puzzles.filter((one) => {
      const text = `${one.name} ${one.about || ""} ${one.group || ""} ${one.side}×${one.side}`.toLowerCase();
      return words.every((word) => text.includes(word)) && (!group.value || one.group === group.value)
        && (!size.value || one.side === Number(size.value));
    });
    status.textContent = matches.length ? "" : "No puzzle matches.";
    fill(list, groups.map((name) => {
      const members = matches.filter((one) => (one.group || "") === name);
      if (!members.length) return null;
      return h("section", {}, name ? h("h3", {}, name) : null,
        h("ul", {}, members.map((one) => h("li", {}, card(one, onChoose)))));
    }));
  }

  show();
  return h("div", { class: "stack" },
    h("div", { class: "list-filter" }, field("Search", search),
      groups.length > 1 ? field("Group", group) : null, sides.length > 1 ? field("Size", size) : null),
    status, list);
}

/** @type {(one: ListedPuzzle, onChoose: Choose) => HTMLElement} */
function card(one, onChoose) {
  return h("button", { type: "button", class: "puzzle-card", onclick: () => onChoose(one) },
    thumbnail(one),
    h("span", { class: "puzzle-card-text" },
      h("strong", {}, one.name),
      h("span", { class: "soft small" }, `${one.side}×${one.side}, ${one.givens} givens${solutionsText(one)}`),
      one.about ? h("span", { class: "small" }, one.about) : null));
}

/** @type {(puzzle: ListedPuzzle) => string} */
function solutionsText({ solutions }) {
  if (solutions === undefined || solutions === 1) return "";
  if (solutions === null) return ", solutions unknown";
  return solutions === 0 ? ", no solution" : `, ${count(solutions)} solutions`;
}

// The pattern of the givens, a square for each.
/** @type {(puzzle: ListedPuzzle) => HTMLElement} */
function thumbnail({ digits, side, box_rows: rows, box_cols: cols }) {
  const scale = Math.max(1, Math.floor(72 / side));
  const canvas = h("canvas", { width: side * scale, height: side * scale, class: "thumbnail", "aria-hidden": "true" });
  const context = contextOf(canvas);
  const [given, shade] = [ink("--accent"), ink("--faint")];
  for (let cell = 0; cell < digits.length; cell++) {
    const [row, column] = [Math.floor(cell / side), cell % side];
    const shaded = (Math.floor(row / rows) + Math.floor(column / cols)) % 2;
    if (!digits[cell] && !shaded) continue;
    context.fillStyle = digits[cell] ? given : shade;
    context.fillRect(column * scale, row * scale, scale, scale);
  }
  return canvas;
}
