// @ts-check
// Run a report's algorithm as its author did: choose the experiment, the run and the board, and watch it on Solve.

import { get, messageOf } from "../api.js";
import { field, fill, h } from "../dom.js";
import { limitsText } from "../recipe/until.js";
import { startLink } from "../share.js";
import { capital } from "../words.js";

/** @import { ReportBoard, ReportExperiment, ReportRuns, ReportSetting } from "../types.d.ts" */
/** @import { Shared } from "../share.js" */

const WORDS = "Run it as its author did";
const PACE = 10; // steps per second: to be watched

// A setting in the menu of its experiment: "run_1", "5: tournament, single column, column swap".
/** @type {(setting: ReportSetting, among: ReportSetting[]) => string} */
export function settingText({ row, about, preset }, among) {
  const isAlone = among.filter((each) => each.row === row).length === 1;
  return [row, about || (!isAlone && preset)].filter(Boolean).join(": ");
}

// The boards that a setting ran on.
/** @type {(runs: ReportRuns, experiment: ReportExperiment, setting: ReportSetting) => ReportBoard[]} */
export const boardsOf = ({ boards }, experiment, { board }) =>
  boards.filter(({ name }) => (board ? name === board : experiment.boards.includes(name)));

// The run of a setting on a board, as a link has it. A preset brings its own puzzle and its own limits.
/** @type {(setting: ReportSetting, board: ReportBoard | undefined) => Shared} */
export function runOf({ preset, settings, until, seed, own_puzzle: own, own_until: limits }, board) {
  const puzzle = board && board.puzzle_name !== own
    ? { puzzle: board.puzzle, box: board.box, name: board.puzzle_name } : {};
  return { ...puzzle, preset, settings, until: until === limits ? "" : until, seed, speed: PACE };
}

// What the report printed of it: "Best Fitness 171".
/** @type {(setting: ReportSetting) => string} */
export const printedText = ({ printed }) => Object.entries(printed)
  .filter(([, value]) => value !== null).map(([name, value]) => `${name} ${value}`).join(", ");

// The button of the overview: the report's main preset on its own puzzle.
/** @type {(preset: { name: string }) => HTMLElement} */
export const runLink = ({ name }) =>
  h("a", {
    class: "button primary", href: startLink({ preset: name, seed: 1, speed: PACE }), "aria-label": `${WORDS}: ${name}`,
  }, WORDS);

// The card of a report's page.
/** @type {(number: string) => HTMLElement} */
export function runsCard(number) {
  const body = h("div", { class: "stack" }, h("p", { class: "soft" }, "Reading its experiments…"));
  get(`/api/reports/${number}/runs`).then((runs) => fill(body, chooser(runs)), (error) => {
    fill(body, h("div", { class: "notice bad", role: "alert" }, messageOf(error)));
  });
  return h("section", { class: "card stack report-runs", "aria-labelledby": "report-runs" },
    h("h2", { id: "report-runs" }, "As its author ran it"), body);
}

/** @type {(label: string) => { select: HTMLSelectElement, element: HTMLElement }} */
function menu(label) {
  const select = h("select", {});
  return { select, element: field(label, select) };
}

/** @type {(select: HTMLSelectElement, texts: string[]) => void} */
const offer = (select, texts) => fill(select, texts.map((text, i) => h("option", { value: String(i) }, text)));

// The run to begin with: that of an experiment that is the main preset as it is, else the main preset itself.
/** @type {(experiments: ReportExperiment[]) => [number, number]} */
export function usualRun([main, ...experiments]) {
  const [{ preset }] = main.settings;
  for (const [i, { settings }] of experiments.entries()) {
    const found = settings.findIndex((each) => each.preset === preset && !Object.keys(each.settings).length);
    if (found >= 0) return [i + 1, found];
  }
  return [0, 0];
}

// The setting of an experiment to begin with: what the report calls the best, on the preset's own board if it can be.
/** @type {(runs: ReportRuns, experiment: ReportExperiment) => number} */
export function bestSetting({ boards }, { best, settings }) {
  const own = boards.find((each) => each.puzzle_name === settings[0].own_puzzle);
  const row = (own && best[own.name]) ?? Object.values(best)[0];
  return Math.max(0, settings.findIndex((each) => each.row === row));
}

/** @param {ReportRuns} runs */
function chooser(runs) {
  const { experiments } = runs;
  const [which, setting, board] = [menu("Experiment"), menu("Run"), menu("Board")];
  const facts = h("p", { class: "small soft" });
  const start = h("a", { class: "button primary" }, WORDS);
  const experiment = () => experiments[Number(which.select.value)];
  const chosen = () => experiment().settings[Number(setting.select.value)];

  function showSettings() {
    const { settings, row_name: name } = experiment();
    offer(setting.select, settings.map((each) => settingText(each, settings)));
    const [label] = setting.element.children;
    label.textContent = capital(name);
    setting.element.hidden = settings.length === 1;
    setting.select.value = String(bestSetting(runs, experiment()));
    showBoards();
  }

  function showBoards() {
    const boards = boardsOf(runs, experiment(), chosen());
    const own = boards.findIndex((each) => each.puzzle_name === chosen().own_puzzle);
    offer(board.select, boards.map(({ name, note }) => (note ? `${name} (${note})` : name)));
    board.select.value = String(Math.max(0, own));
    board.element.hidden = boards.length < 2;
    showRun();
  }

  function showRun() {
    const run = chosen();
    const on = boardsOf(runs, experiment(), run)[Number(board.select.value)];
    const printed = printedText(run);
    const { best, note, where } = experiment();
    const isBest = on && best[on.name] === run.row;
    start.href = startLink(runOf(run, on));
    fill(facts, `${run.preset} on ${on?.puzzle_name ?? run.own_puzzle}, ${limitsText(run.until)}, seed ${run.seed}.`,
      printed && ` The report has ${printed} (${where}).`,
      isBest && " The report calls it the best on this board.", note && ` ${note}`);
  }

  offer(which.select, experiments.map(({ id, title }) => (id ? `${id}: ${title}` : title)));
  const [first, settingOfFirst] = usualRun(experiments);
  which.select.value = String(first);
  which.element.hidden = experiments.length === 1;
  which.select.addEventListener("change", showSettings);
  setting.select.addEventListener("change", showBoards);
  board.select.addEventListener("change", showRun);
  showSettings();
  setting.select.value = String(settingOfFirst);
  showBoards();
  return [which.element, setting.element, board.element, facts,
    h("div", { class: "row" }, start),
    h("p", { class: "small soft" }, `It starts at once, at ${PACE} steps per second. The random seed is ours.`)];
}
