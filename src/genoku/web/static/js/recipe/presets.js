// @ts-check
// Choosing a preset: a menu by group, its description and source, its variants, and how it differs from the report.

import { get, messageOf } from "../api.js";
import { field, fill, h } from "../dom.js";
import { inline } from "../markdown.js";
import { capital } from "../words.js";

/** @import { Preset, PresetDetails } from "../types.d.ts" */

const OWN = "genoku's own";
const FIRST_GROUP = "genoku";
const IMPORTED = "\u0000imported";
/** @type {Map<string, Promise<PresetDetails>>} */
const details = new Map();

// Everything about a preset or a variant of one, requested once.
/** @type {(name: string) => Promise<PresetDetails>} */
export function presetDetails(name) {
  const known = details.get(name);
  if (known) return known;
  const asked = get(`/api/presets/${encodeURIComponent(name)}`);
  asked.catch(() => details.delete(name));
  details.set(name, asked);
  return asked;
}

// A preset in the menu: its title, without the name of its group, and its own name.
/** @type {(preset: Pick<Preset, "name" | "title" | "group">) => string} */
export function menuText({ name, title, group }) {
  const short = title.startsWith(`${group}: `) ? title.slice(group.length + 2) : title;
  return short && short !== name ? `${capital(short)} (${name})` : name;
}

/** @type {(preset: Preset) => string} */
const choicesTitle = ({ report }) => (report.startsWith(OWN) ? "Our choices" : "Gaps in the report, and our choices");

// The labels in a variant's name after its preset's, by axis; null if it has others: "-rank-50" of
// [["selection", ["rank"]], ["rate", ["10", "50"]]] is { selection: "rank", rate: "50" }.
/** @type {(rest: string, axes: [string, string[]][]) => Record<string, string> | null} */
export function labelsOf(rest, axes) {
  if (!rest) return {};
  if (!axes.length) return null;
  const [[axis, labels], ...others] = axes;
  for (const label of labels) {
    if (rest !== `-${label}` && !rest.startsWith(`-${label}-`)) continue;
    const found = labelsOf(rest.slice(label.length + 1), others);
    if (found) return { [axis]: label, ...found };
  }
  return labelsOf(rest, others);
}

/**
 * @param {Preset[]} presets
 * @param {object} options
 * @param {(name: string) => void} options.onChoose
 * @param {boolean} [options.compact]
 * @param {HTMLElement | null} [options.below] is put below the menu
 */
export function presetChooser(presets, { onChoose, compact = false, below = null }) {
  const select = h("select", {});
  const about = h("p", { class: "preset-about" });
  const character = h("p", { class: "small preset-source" });
  const source = h("p", { class: "soft small preset-source" });
  const variants = h("details", { class: "variants" });
  const choices = h("details", { class: "left-open" });
  /** @type {Preset | null} */
  let shown = null;

  /** @type {(extra: Preset | null, imported: string) => (HTMLElement | null)[]} */
  function options(extra, imported) {
    /** @type {Map<string, Preset[]>} */
    const groups = new Map([[FIRST_GROUP, []]]);
    for (const each of extra ? [...presets, extra] : presets) {
      groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
    }
    return [
      imported ? h("option", { value: IMPORTED }, imported) : null,
      ...[...groups].map(([name, members]) => h("optgroup", { label: name === FIRST_GROUP ? name : capital(name) },
        members.map((each) => h("option", { value: each.name }, menuText(each))))),
    ];
  }

  /** @param {Preset} preset */
  function showVariants(preset) {
    const base = presets.find((each) => Object.keys(each.variants).length
      && (preset.name === each.name || preset.name.startsWith(`${each.name}-`)));
    variants.hidden = !base;
    if (!base) return;
    const axes = Object.entries(base.variants);
    const chosen = labelsOf(preset.name.slice(base.name.length), axes) ?? {};
    const fields = axes.map(([axis, labels]) => {
      const one = h("select", {}, h("option", { value: "" }, "Default"),
        labels.map((each) => h("option", { value: each }, each)));
      one.value = chosen[axis] ?? "";
      one.addEventListener("change", () => {
        const all = { ...chosen, [axis]: one.value };
        onChoose([base.name, ...axes.map(([name]) => all[name]).filter(Boolean)].join("-"));
      });
      return field(capital(axis), one);
    });
    fill(variants, h("summary", {}, `Variants of ${base.name}`), h("div", { class: "recipe-grid" }, fields));
  }

  /** @type {(preset: Preset) => Promise<void>} */
  async function showChoices(preset) {
    if (!choices.open || shown !== preset) return;
    const { left_open: gaps, differs } = await presetDetails(preset.name)
      .catch((error) => ({ left_open: [messageOf(error)], differs: [] }));
    const [, body] = choices.children;
    if (shown !== preset || !body) return;
    /** @type {[string, string[]][]} */
    const sections = [[choicesTitle(preset), gaps], ["Where we differ", differs]];
    const lists = sections.filter(([, points]) => points.length).map(([title, points]) =>
      [h("h3", {}, title), h("ul", {}, points.map((point) => h("li", {}, inline(point))))]);
    fill(body, lists.length ? lists : h("p", {}, "The report left no gaps, and nothing differs from it."));
  }

  select.addEventListener("change", () => { if (select.value !== IMPORTED) onChoose(select.value); });
  choices.addEventListener("toggle", () => { if (shown) showChoices(shown); });
  const more = [about, character, source, variants, choices];

  return {
    element: h("div", { class: "preset stack" }, field("Preset", select), below, compact ? null : more),
    // The rest of a compact chooser, for a dialog.
    more: h("div", { class: "preset stack" }, compact ? more : null),
    /** @type {(preset: Preset, imported?: string) => void} `imported`: the name of an imported recipe */
    show(preset, imported = "") {
      shown = preset;
      const isListed = presets.some((each) => each.name === preset.name);
      fill(select, options(isListed ? null : preset, imported));
      select.value = imported ? IMPORTED : preset.name;
      fill(about, imported ? "A recipe of your own." : inline(`${capital(preset.about).replace(/\.$/, "")}.`));
      fill(character, imported || !preset.character ? "" : `What to expect: ${preset.character}.`);
      fill(source, imported ? "" : preset.report);
      source.hidden = choices.hidden = Boolean(imported);
      fill(choices, h("summary", {}, choicesTitle(preset)), h("div", { class: "small" }));
      showVariants(preset);
      if (imported) variants.hidden = true;
      showChoices(preset);
    },
  };
}
