// The little Markdown that our own pages and the laboratory write, as elements: never as markup.

import { h } from "./dom.js";

const INLINE = /\\([\\`*_<>|[\]#])|`([^`\n]+)`|\*\*((?:\\.|[^\\\n])+?)\*\*|\*((?:\\.|[^*\\\n])+)\*/g;
const FIGURE = /^!\[(.*)\]\((.*)\)$/;
const HEADING = /^(#{2,6}) (.*)/;
const ITEM = /^\s*(?:[-*]|(\d+)\.)\s+(.*)$/;

// A line of text with **bold**, *italics* and `code`.
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
  return made;
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

const isProse = (line) => line.trim() && !/^([|>]|```)/.test(line) && !HEADING.test(line) && !FIGURE.test(line);

// Sections, paragraphs, lists, tables, code and figures; `source(name)` is the address of a figure.
export function markdown(text, source) {
  const lines = text.split("\n");
  const made = [];
  let at = 0;
  const take = (test) => {
    const taken = [];
    while (at < lines.length && test(lines[at])) taken.push(lines[at++]);
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at];
    const heading = HEADING.exec(line);
    if (!line.trim()) at += 1;
    else if (heading) {
      made.push(h(`h${Math.min(6, heading[1].length + 1)}`, {}, inline(heading[2])));
      at += 1;
    } else if (line.startsWith("```")) {
      at += 1;
      made.push(h("pre", {}, take((each) => !each.startsWith("```")).join("\n")));
      at += 1;
    } else if (FIGURE.test(line)) {
      const images = take((each) => FIGURE.test(each) || !each.trim()).filter((each) => each.trim()).map((each) => {
        const [, alt, path] = FIGURE.exec(each);
        return h("img", { src: source(path), alt: alt.replace(/\\(.)/g, "$1"), loading: "lazy" });
      });
      made.push(h("div", { class: images.length > 1 ? "figures several" : "figures" }, images));
    } else if (line.startsWith("|")) made.push(table(take((each) => each.startsWith("|"))));
    else if (line.startsWith(">")) {
      const said = take((each) => each.startsWith(">")).map((each) => each.slice(1).trim());
      made.push(h("p", { class: "notice" }, inline(said.join(" "))));
    } else made.push(...prose(take(isProse).join("\n")));
  }
  return made;
}

function table(lines) {
  const rows = lines.map((line) => line.replace(/^\| ?| ?\|$/g, "").split(/ (?<!\\)\| /).map((cell) => cell.trim()));
  const [head, rule, ...body] = rows;
  const side = (place) => (rule[place]?.endsWith(":") ? "number" : null);
  const cells = (row, tag) => row.map((cell, place) => h(tag, { class: side(place) }, inline(cell)));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" },
    h("table", { class: "plain" },
      h("thead", {}, h("tr", {}, cells(head, "th"))),
      h("tbody", {}, body.map((row) => h("tr", {}, cells(row, "td"))))));
}
