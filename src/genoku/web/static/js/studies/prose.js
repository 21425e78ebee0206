// The laboratory's words: a little Markdown as elements. Nothing of it is ever read as markup.

import { h } from "../dom.js";

const INLINE = /\\([\\`*_<>|[\]#])|`([^`\n]+)`|\*\*((?:\\.|[^\\\n])+?)\*\*|\*((?:\\.|[^*\\\n])+)\*/g;
const ITEM = /^\s*(?:[-*]|(\d+)\.)\s+(.*)$/;

// A line with **bold**, *italics* and `code`, as nodes.
export function inline(text) {
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
  return made.filter((each) => each !== "");
}

// Paragraphs and lists, as elements.
export function prose(text) {
  const made = [];
  for (const paragraph of text.split(/\n\s*\n/)) {
    let words = [];
    let items = [];
    let ordered = false;
    for (const line of paragraph.split("\n").filter((each) => each.trim())) {
      const item = ITEM.exec(line);
      if (item) {
        if (words.length) made.push(h("p", {}, inline(words.join(" "))));
        words = [];
        ordered = item[1] !== undefined;
        items.push(item[2]);
      } else if (items.length) items[items.length - 1] += ` ${line.trim()}`;
      else words.push(line.trim());
    }
    if (words.length) made.push(h("p", {}, inline(words.join(" "))));
    if (items.length) made.push(h(ordered ? "ol" : "ul", {}, items.map((each) => h("li", {}, inline(each)))));
  }
  return made;
}
