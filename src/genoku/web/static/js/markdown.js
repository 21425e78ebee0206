// @ts-check
// One line of Markdown as elements, never as markup. Whole pages of it come from the server as HTML.

import { h } from "./dom.js";

/** @import { Child } from "./types.d.ts" */

const INLINE = /\\([\\`*_<>|[\]#])|`([^`\n]+)`|\*\*((?:\\.|[^\\\n])+?)\*\*|\*((?:\\.|[^*\\\n])+)\*/g;

// A line of text with **bold**, *italics* and `code`.
/** @type {(text: string) => Child[]} */
export function inline(text) {
  /** @type {Child[]} */
  const made = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    made.push(text.slice(at, found.index));
    at = found.index + found[0].length;
    const [, literal, code, bold, italic] = found;
    if (literal !== undefined) made.push(literal);
    else if (code !== undefined) made.push(h("code", {}, code));
    else if (bold !== undefined) made.push(h("strong", {}, inline(bold)));
    else made.push(h("em", {}, inline(italic)));
  }
  made.push(text.slice(at));
  return made;
}

// Paragraphs, as elements.
/** @type {(text: string) => HTMLElement[]} */
export const prose = (text) => text.split(/\n\s*\n/).map((each) => h("p", {}, inline(each)));
