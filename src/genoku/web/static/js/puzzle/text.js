// @ts-check
// Puzzles as text: typed, pasted, or read from a file.

import { messageOf, post } from "../api.js";
import { errorLine, openDialog } from "../dialog.js";
import { field, h } from "../dom.js";
import { count } from "../words.js";
import { chooseImported } from "./list.js";

/** @import { ImportedPuzzles, ServerPuzzle } from "../types.d.ts" */
/** @typedef {(puzzle: ServerPuzzle) => void} Choose */

const MOST = 1_000_000; // characters; the server has the same limit
const LARGEST = 4 * MOST; // bytes of a file

// Read text in any format. One puzzle is handed over; of several, a person chooses one.
/** @type {(text: string, onChoose: Choose, filename?: string) => Promise<void>} */
export async function readText(text, onChoose, filename = "") {
  handOver(await read(text, filename), onChoose, filename);
}

/** @type {(text: string, filename: string) => Promise<ImportedPuzzles>} */
async function read(text, filename) {
  if (!text.trim()) throw new Error(`${filename ? `${filename}: ` : ""}expected a puzzle, got no text`);
  if (text.length > MOST) throw new Error(`expected at most ${count(MOST)} characters, got ${count(text.length)}`);
  return post("/api/puzzles/import", { text, filename: filename.slice(-200) });
}

/** @type {(found: ImportedPuzzles, onChoose: Choose, filename: string) => void} */
function handOver(found, onChoose, filename) {
  if (found.puzzles.length > 1) chooseImported(found, filename, onChoose);
  else onChoose(found.puzzles[0]);
}

// A file is decoded here, and unpacked if need be; only its text goes to the server.
/** @type {(file: File, onChoose: Choose) => Promise<void>} */
export async function readFile(file, onChoose) {
  const { name, size } = file;
  if (size > LARGEST) throw new Error(`${name}: expected at most ${count(LARGEST)} bytes, got ${count(size)}`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  return readText(await decode(bytes, name), onChoose, name);
}

/** @type {(bytes: Uint8Array<ArrayBuffer>, name: string) => Promise<string>} */
async function decode(bytes, name) {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return unpack(bytes, name);
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return new TextDecoder(wide ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8").decode(bytes);
}

// Unpack piece by piece, so that a small file that unpacks to a huge one is stopped in time.
/** @type {(bytes: Uint8Array<ArrayBuffer>, name: string) => Promise<string>} */
async function unpack(bytes, name) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      if (text.length > MOST) {
        reader.cancel();
        return text;
      }
    }
  } catch {
    throw new Error(`${name} is not a complete gzip file`);
  }
}

/** @param {Choose} onChoose */
export function typePuzzle(onChoose) {
  const box = h("textarea", {
    rows: 11, spellcheck: "false", autocomplete: "off", autocapitalize: "off",
    placeholder: "53..7....\n6..195...\n.98....6.\n…",
  });
  const wrong = errorLine();
  const load = h("button", { class: "primary", type: "submit" }, "Load");
  const form = h("form", { class: "stack" },
    field("Puzzle as text", box, "Any format: a line, rows, numbers, JSON, CSV, SDK, a frame drawn in characters. "
      + "Blanks may be . or 0. Several puzzles give a list to choose from."),
    wrong.element,
    h("div", { class: "row" }, load));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    load.disabled = true;
    wrong.say("");
    try {
      const found = await read(box.value, "");
      if (!dialog.open) return;
      dialog.close();
      handOver(found, onChoose, "");
    } catch (error) {
      wrong.say(messageOf(error));
      box.setAttribute("aria-invalid", "true");
      box.focus();
    }
    load.disabled = false;
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  const dialog = openDialog("Paste or type a puzzle", form);
  box.focus();
}
