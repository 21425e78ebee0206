// Choosing a preset: a list by report, its line and source, its variants, and what was left open.

import { get } from "../api.js";
import { field, fill, h } from "../dom.js";
import { inline } from "../markdown.js";
import { capital } from "../words.js";

const OWN = "genoku's own";
const IMPORTED = "\u0000imported";
const details = new Map();

// Everything about a preset or a variant of one, asked for once.
export function whole(name) {
  if (!details.has(name)) {
    const asked = get(`/api/presets/${encodeURIComponent(name)}`);
    asked.catch(() => details.delete(name));
    details.set(name, asked);
  }
  return details.get(name);
}

// "Report 002: M. Grjazniha & K. Griska, NOVA IMS …" is "Report 002: M. Grjazniha & K. Griska" in the list.
const group = (report) => (report.startsWith(OWN) ? OWN : report.split(/[,(]/)[0].trim());

const isOwn = (preset) => preset.report.startsWith(OWN);

// The labels that a variant's name has after its preset's, by axis; null if it has others.
function labelsOf(rest, axes) {
  if (!rest) return {};
  const [[axis, labels] = [], ...others] = axes;
  if (!axis) return null;
  for (const label of labels) {
    if (rest !== `-${label}` && !rest.startsWith(`-${label}-`)) continue;
    const found = labelsOf(rest.slice(label.length + 1), others);
    if (found) return { [axis]: label, ...found };
  }
  return labelsOf(rest, others);
}

// presetChooser(presets, onChoose(name)) → { element, show(preset, imported) }; `preset` is the facts of one.
export function presetChooser(presets, { onChoose, compact = false }) {
  const select = h("select", {});
  const about = h("p", { class: "preset-about" });
  const source = h("p", { class: "soft small preset-source" });
  const variants = h("details", { class: "variants" });
  const open = h("details", { class: "left-open" });
  let shown = null;

  function listed(extra, imported) {
    const groups = new Map([[OWN, []]]);
    for (const each of [...presets].sort((one, two) => one.report.localeCompare(two.report))) {
      const name = group(each.report);
      groups.set(name, [...(groups.get(name) ?? []), each]);
    }
    if (extra) groups.get(group(extra.report))?.push(extra);
    return [
      imported ? h("option", { value: IMPORTED }, imported) : null,
      [...groups].map(([name, members]) => h("optgroup", { label: name },
        members.map((each) => h("option", { value: each.name }, each.name)))),
    ];
  }

  function axes(preset) {
    const base = presets.find((each) => Object.keys(each.variants).length
      && (preset.name === each.name || preset.name.startsWith(`${each.name}-`)));
    variants.hidden = !base;
    if (!base) return;
    const pairs = Object.entries(base.variants);
    const chosen = labelsOf(preset.name.slice(base.name.length), pairs) ?? {};
    const choices = pairs.map(([axis, labels]) => {
      const one = h("select", {}, h("option", { value: "" }, "as it comes"),
        labels.map((each) => h("option", { value: each }, each)));
      one.value = chosen[axis] ?? "";
      one.addEventListener("change", () => {
        const all = { ...chosen, [axis]: one.value };
        onChoose([base.name, ...pairs.map(([name]) => all[name]).filter(Boolean)].join("-"));
      });
      return field(capital(axis), one);
    });
    fill(variants, h("summary", {}, `Variants of ${base.name}`), h("div", { class: "recipe-grid" }, choices));
  }

  async function leftOpen(preset) {
    if (!open.open || shown !== preset) return;
    let facts;
    try {
      facts = await whole(preset.name);
    } catch (error) {
      facts = { left_open: [error.message], differs: [] };
    }
    if (shown !== preset) return;
    const chosen = isOwn(preset) ? "What we chose" : "What the report left open, and what we chose";
    const told = [[chosen, facts.left_open], ["Where we differ", facts.differs]].filter(([, points]) => points.length);
    fill(open.lastElementChild, told.length ? told.map(([title, points]) =>
      [h("h3", {}, title), h("ul", {}, points.map((point) => h("li", {}, inline(point))))])
      : h("p", {}, "Nothing was open, and nothing differs."));
  }

  select.addEventListener("change", () => select.value !== IMPORTED && onChoose(select.value));
  open.addEventListener("toggle", () => shown && leftOpen(shown));

  return {
    element: h("div", { class: "preset stack" }, field("Preset", select),
      compact ? null : [about, source, variants, open]),
    // The same, for a page that has little room: what it leaves out belongs to a dialog.
    more: h("div", { class: "preset stack" }, compact ? [about, source, variants, open] : null),
    show(preset, imported = "") {
      shown = preset;
      const isListed = presets.some((each) => each.name === preset.name);
      fill(select, listed(isListed ? null : preset, imported));
      select.value = imported ? IMPORTED : preset.name;
      fill(about, imported ? "A recipe of your own." : inline(`${capital(preset.about).replace(/\.$/, "")}.`));
      fill(source, imported ? "" : preset.report);
      source.hidden = open.hidden = Boolean(imported);
      fill(open, h("summary", {}, isOwn(preset) ? "What we chose" : "What was left open, and where we differ"),
        h("div", { class: "small" }));
      axes(preset);
      if (imported) variants.hidden = true;
      leftOpen(preset);
    },
  };
}
