// The laboratory's words: a little Markdown as elements. Nothing of it is ever read as markup.

import { h } from "../dom.js";
import { inline } from "../learn/markdown.js";

const ITEM = /^\s*(?:[-*]|(\d+)\.)\s+(.*)$/;

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
