// What a study found, as the laboratory tells it: text, tables and figures.

import { h } from "../dom.js";
import { inline, prose } from "../markdown.js";

// Scripts do not run in images, whatever a drawing holds.
const image = (svg) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;

function part(each) {
  if (each.kind === "text") return prose(each.text);
  if (each.kind === "notice") return h("div", { class: "notice warn" }, prose(each.text));
  if (each.kind === "code") return h("pre", { class: "scroll" }, each.text);
  if (each.kind === "table") return table(each);
  if (each.kind === "figure") return figure(each);
  return h("details", { class: "folded" }, h("summary", {}, inline(each.title)), each.parts.map(part));
}

function table({ columns, rows, caption }) {
  const head = columns.map((column) =>
    h("th", { scope: "col", class: column.right ? "number" : null }, inline(column.title),
      column.unit ? h("span", { class: "unit" }, inline(column.unit)) : null));
  const body = rows.map((row) => h("tr", {}, row.length < columns.length
    ? h("th", { scope: "colgroup", colspan: columns.length, class: "group" }, inline(row[0]))
    : row.map((cell, place) => h(place ? "td" : "th",
      { class: columns[place].right ? "number" : null, scope: place ? null : "row" }, inline(cell)))));
  return h("div", { class: "found-table" },
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table, scrolls sideways" },
      h("table", { class: "plain" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body))),
    caption ? h("p", { class: "caption" }, inline(caption)) : null);
}

function figure({ panels, caption }) {
  const several = panels.length > 1;
  const drawn = panels.map(({ title, svg, kind }) => {
    const address = image(svg);
    const file = `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60) || "figure"}.svg`;
    return h("div", { class: "panel" },
      h("div", { class: "panel-title" }, h("span", {}, title),
        h("a", { href: address, download: file, class: "small", "aria-label": `Download as SVG: ${title}` }, "SVG")),
      h("img", { src: address, alt: title, class: `drawing ${kind}` }));
  });
  const layout = panels.every((each) => each.kind === "board") ? "panels boards" : several ? "panels" : "panels whole";
  return h("figure", { class: "found-figure" }, h("div", { class: layout }, drawn),
    caption ? h("figcaption", { class: "caption" }, inline(caption)) : null);
}

// The sections of `GET …/results`, as elements.
export function results({ sections }) {
  return sections.map((section) => h("section", { class: "card stack found" },
    h("h2", {}, inline(section.title)), section.parts.map(part)));
}
