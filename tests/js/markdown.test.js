import "./browser.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { inline, prose } from "../../src/genoku/web/static/js/markdown.js";

const html = (node) => (typeof node === "string" ? node : `<${node.tag}>${node.children.map(html).join("")}</${node.tag}>`);
const line = (text) => inline(text).map(html).join("");

test("bold, italics and code become elements, nested", () => {
  assert.equal(line("a **b** c"), "a <strong>b</strong> c");
  assert.equal(line("*a* `b*c*`"), "<em>a</em> <code>b*c*</code>");
  assert.equal(line("**a `b` *c* d**"), "<strong>a <code>b</code> <em>c</em> d</strong>");
});

test("markup stays text, and escapes are taken literally", () => {
  assert.equal(line("<b>x</b>"), "<b>x</b>");
  assert.equal(inline("<b>x</b>").every((each) => typeof each === "string"), true);
  assert.equal(line("\\*a\\* \\`b\\`"), "*a* `b`");
  assert.equal(line("2 * 3"), "2 * 3");
});

test("empty lines separate paragraphs", () => {
  assert.deepEqual(prose("a\nb\n\n*c*").map(html), ["<p>a\nb</p>", "<p><em>c</em></p>"]);
});
