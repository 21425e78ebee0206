// Puzzles to choose from: those that come with genoku, or those of a file.

import { get } from "../api.js";
import { complaint, openDialog } from "../dialog.js";
import { field, fill, h } from "../dom.js";
import { count } from "../words.js";

let bundled = null;

// The puzzles that come with genoku, asked for once.
async function collection() {
  if (!bundled) bundled = (await get("/api/puzzles")).puzzles;
  return bundled;
}

export async function chooseBundled(onChoose) {
  const filling = h("div", { class: "soft" }, "Loading…");
  const dialog = openDialog("Puzzles that come with genoku", filling, { wide: true });
  try {
    const puzzles = await collection();
    filling.replaceWith(chooser(puzzles, (one) => {
      dialog.close();
      onChoose(one);
    }));
    dialog.querySelector("input")?.focus();
  } catch (error) {
    const wrong = complaint();
    filling.replaceWith(wrong.element);
    wrong.say(error.message);
  }
}

// Several puzzles came: which one is meant?
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

function chooser(puzzles, onChoose) {
  const groups = [...new Set(puzzles.map((one) => one.group || ""))];
  const sides = [...new Set(puzzles.map((one) => one.side))].sort((a, b) => a - b);
  const first = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // else it presses what has the focus next, too
    list.querySelector("button")?.click();
  };
  const search = h("input", { type: "search", oninput: show, onkeydown: first, autocomplete: "off" });
  const group = h("select", { onchange: show },
    h("option", { value: "" }, "All"), groups.map((name) => h("option", { value: name }, name)));
  const size = h("select", { onchange: show },
    h("option", { value: "" }, "All"), sides.map((side) => h("option", { value: side }, `${side}×${side}`)));
  const list = h("div", { class: "puzzle-list" });
  const told = h("p", { class: "soft small", role: "status" });

  function show() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = puzzles.filter((one) => {
      const text = `${one.name} ${one.about || ""} ${one.group || ""} ${one.side}×${one.side}`.toLowerCase();
      return words.every((word) => text.includes(word)) && (!group.value || one.group === group.value)
        && (!size.value || one.side === Number(size.value));
    });
    told.textContent = fitting.length ? "" : "No puzzle fits.";
    fill(list, groups.map((name) => {
      const members = fitting.filter((one) => (one.group || "") === name);
      if (!members.length) return null;
      return h("section", {}, name ? h("h3", {}, name) : null,
        h("ul", {}, members.map((one) => h("li", {}, card(one, onChoose)))));
    }));
  }

  show();
  return h("div", { class: "stack" },
    h("div", { class: "list-filter" }, field("Search", search),
      groups.length > 1 ? field("Group", group) : null, sides.length > 1 ? field("Size", size) : null),
    told, list);
}

function card(one, onChoose) {
  return h("button", { type: "button", class: "puzzle-card", onclick: () => onChoose(one) },
    thumbnail(one),
    h("span", { class: "puzzle-card-text" },
      h("strong", {}, one.name),
      h("span", { class: "soft small" }, `${one.side}×${one.side}, ${one.givens} givens${solutions(one)}`),
      one.about ? h("span", { class: "small" }, one.about) : null));
}

function solutions({ solutions: known }) {
  if (known === undefined || known === 1) return "";
  if (known === null) return ", solutions unknown";
  return known === 0 ? ", no solution" : `, ${count(known)} solutions`;
}

// The pattern of the givens, a square for each.
function thumbnail({ digits, side, box_rows: rows, box_cols: cols }) {
  const scale = Math.max(1, Math.floor(72 / side));
  const canvas = h("canvas", { width: side * scale, height: side * scale, class: "thumbnail", "aria-hidden": "true" });
  const pen = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const [ink, shade] = [style.getPropertyValue("--accent"), style.getPropertyValue("--faint")];
  for (let cell = 0; cell < digits.length; cell++) {
    const [row, column] = [Math.floor(cell / side), cell % side];
    const shaded = (Math.floor(row / rows) + Math.floor(column / cols)) % 2;
    if (!digits[cell] && !shaded) continue;
    pen.fillStyle = digits[cell] ? ink : shade;
    pen.fillRect(column * scale, row * scale, scale, scale);
  }
  return canvas;
}
