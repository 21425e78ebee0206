// One study: how far it is, what it found, and what can be done with it.

import { ApiError, del, get, post } from "../api.js";
import { askFirst } from "../dialog.js";
import { fill, h, markup, toast } from "../dom.js";
import { told } from "../recipe/until.js";
import { plural } from "../words.js";
import { badge, bar, isBusy, line, notice, polling, verb } from "./progress.js";

const AGAIN = 15000; // milliseconds after which results of a study that runs are asked for again
const FILES = [
  ["csv", "Runs as CSV"], ["jsonl", "Runs as JSON lines"], ["steps", "Every recorded step as CSV"],
  ["toml", "The study as TOML"], ["db", "The store, for genoku study"],
];

function setup(study) {
  const algorithms = study.algorithms.map((each) => h("tr", {},
    h("th", { scope: "row" }, each.name), h("td", {}, told(each.until))));
  const puzzles = study.puzzles.map((each) => h("tr", {},
    h("th", { scope: "row" }, each.name),
    h("td", { class: "number" }, `${each.side}×${each.side}`), h("td", { class: "number" }, each.givens)));
  const titled = (title, heads, rows) => h("div", {}, h("h3", {}, title), h("div", { class: "scroll" },
    h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows))));
  return [
    h("p", { class: "soft" }, `${study.size} = ${plural(study.planned, "run")}`),
    h("div", { class: "columns halves" },
      titled("Algorithms", [h("th", { scope: "col" }, "name"), h("th", { scope: "col" }, "until")], algorithms),
      titled("Puzzles", ["name", "size", "givens"].map((each, place) =>
        h("th", { scope: "col", class: place ? "number" : null }, each)), puzzles)),
  ];
}

function failed(study) {
  if (!study.failures || !study.failures.length) return [];
  const rows = study.failures.map((each) => h("tr", {}, h("td", {}, each.algorithm), h("td", {}, each.puzzle),
    h("td", { class: "number" }, each.seed), h("td", {}, each.message)));
  const heads = ["algorithm", "puzzle", "seed", "what was said"].map((each) => h("th", { scope: "col" }, each));
  return [h("h2", {}, `${plural(study.failed || rows.length, "run")} failed`), h("div", { class: "scroll" },
    h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)))];
}

export function studyPage(main, name) {
  const path = `/api/studies/${encodeURIComponent(name)}`;
  const state = badge();
  const progress = bar();
  const title = h("h1", {}, name);
  const told = h("span", {});
  const said = h("div", { role: "alert", hidden: true });
  const verdict = h("div", { class: "unseen", role: "status" });
  const go = h("button", { type: "button", class: "primary", hidden: true, onclick: () => act("run") });
  const halt = h("button", { type: "button", hidden: true, onclick: () => act("stop") }, "Stop");
  const report = h("a", {
    class: "button", href: `${path}/report`, target: "_blank", rel: "noopener", hidden: true,
  }, "Open the report");
  const files = h("details", { class: "menu", hidden: true }, h("summary", { class: "button" }, "Export"),
    h("ul", {}, FILES.map(([kind, label]) => h("li", {},
      h("a", { href: `${path}/export/${kind}`, download: "" }, label)))));
  const remove = h("button", { type: "button", class: "danger", onclick: () => deleted() }, "Delete");
  const plan = h("details", { class: "card", hidden: true }, h("summary", {}, "Set-up"));
  const failures = h("section", { class: "card stack", hidden: true });
  const shown = h("div", { class: "stack", "aria-busy": "false" });
  const facts = h("section", { class: "card stack" },
    h("div", { class: "row spread" }, h("div", { class: "row" }, state.element, told),
      h("span", { class: "soft small mono" }, name)),
    progress.element, said, h("div", { class: "row" }, go, halt, report, files, remove), verdict);
  fill(main, h("p", { class: "small" }, h("a", { href: "#/studies" }, "← All studies")), title,
    h("div", { class: "stack study" }, facts, failures, shown, plan));

  let drawn = { done: -1, at: -AGAIN };
  let asking = false;
  let planned = false;
  let before = "";
  let latest = null;
  let closed = false;
  let going = false; // it is being deleted: nothing more is asked of it

  function closeMenu(event) {
    if (files.open && (event.type === "keydown" ? event.key === "Escape" : !files.contains(event.target))) {
      files.open = false;
      if (event.type === "keydown") files.firstChild.focus();
    }
  }
  document.addEventListener("click", closeMenu);
  document.addEventListener("keydown", closeMenu);

  async function act(what) {
    go.disabled = halt.disabled = true;
    try {
      update(await post(`${path}/${what}`));
    } catch (error) {
      toast(error.message, "bad");
    }
    go.disabled = halt.disabled = false;
    poll.now();
  }

  async function deleted() {
    const loss = `All runs of ${name} go with it. This cannot be undone.`;
    if (!await askFirst("Delete the study?", loss, "Delete it")) return;
    going = true;
    try {
      await del(path);
      toast(`${name} is deleted`);
      location.hash = "#/studies";
    } catch (error) {
      going = false;
      toast(error.message, "bad");
    }
  }

  function update(study) {
    latest = study;
    title.textContent = study.question || name;
    state.update(study);
    progress.update(study);
    told.textContent = line(study);
    notice(said, "bad", study.said);
    const busy = isBusy(study);
    go.textContent = verb(study);
    go.hidden = busy || !verb(study) || study.state === "faulty";
    halt.hidden = !busy || Boolean(study.by);
    report.hidden = !study.done;
    files.hidden = study.planned === null;
    if (study.algorithms && !planned) {
      planned = true;
      plan.hidden = false;
      plan.append(h("div", { class: "stack folded" }, setup(study)));
    }
    failures.hidden = !(study.failures && study.failures.length);
    fill(failures, failed(study));
    if (before && before !== study.state && !busy) verdict.textContent = `The study is ${study.state}: ${line(study)}`;
    before = study.state;
    if (study.done && study.done !== drawn.done && (!busy || performance.now() - drawn.at > AGAIN)) draw(study);
    if (!study.done) fill(shown, h("p", { class: "soft" }, {
      running: "The first results come in a moment.", waiting: "It waits for its turn.",
    }[study.state] || "There are no results yet."));
  }

  async function draw(study) {
    if (asking || going) return;
    asking = true;
    shown.setAttribute("aria-busy", "true");
    if (drawn.done < 1) fill(shown, h("p", { class: "soft" }, "Working out what was found …"));
    let done = study.done;
    try {
      const { sections } = await get(`${path}/results`);
      if (closed) return;
      const open = [...shown.querySelectorAll("details")].map((each) => each.open);
      fill(shown, sections.map((each) => h("section", { class: "card stack found" },
        h("h2", {}, each.title), markup(each.html))));
      [...shown.querySelectorAll("details")].forEach((each, place) => { each.open = Boolean(open[place]); });
    } catch (error) {
      fill(shown, h("div", { class: "notice bad", role: "alert" }, error.message));
      if (!error.status) done = -1; // asked for again once the server answers
    }
    drawn = { done, at: performance.now() };
    shown.setAttribute("aria-busy", "false");
    asking = false;
    if (!closed && !isBusy(latest) && latest.done !== study.done) draw(latest); // it ended meanwhile
  }

  const poll = polling(async () => {
    try {
      const study = await get(path);
      if (!closed) update(study);
      return isBusy(study);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (closed) return false;
      if (error.status === 404) {
        fill(main, h("h1", {}, "No such study"),
          h("p", {}, `${error.message}. `, h("a", { href: "#/studies" }, "All studies")));
        poll.close();
      } else notice(said, "bad", error.message);
      return false;
    }
  });
  poll.now();
  return () => {
    closed = true;
    poll.close();
    document.removeEventListener("click", closeMenu);
    document.removeEventListener("keydown", closeMenu);
  };
}
