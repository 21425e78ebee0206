// API: every address of the server, as its own description of itself says.

import { operations, operationView } from "../api-docs/operation.js";
import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { inline } from "../markdown.js";
import { plural } from "../words.js";

const WATCH = `const source = new EventSource("/api/runs/ID/events");
source.onmessage = (event) => draw(JSON.parse(event.data));  // newest frame only
source.addEventListener("gone", () => source.close());       // the session has ended`;

const WATCHING = [
  "Start it with `POST /api/runs`; the answer has its `id`.",
  "Listen to `GET /api/runs/{id}/events`, a stream of server-sent events. Each is a whole frame, and who is slow "
    + "skips frames, so that nothing queues up.",
  "Control it with `POST /api/runs/{id}/control`: pause, resume, step, stop, speed. The answer is the frame after it "
    + "took effect.",
  "A session that nobody listens to ends after a grace time. `POST …/keep` prolongs it, and `POST …/restore` brings "
    + "it back from its last checkpoint.",
];

const paragraphs = (text) => text.trim().split(/\n\s*\n/)
  .map((each) => h("p", {}, inline(each.replace(/\s+/g, " "))));

export async function show(main, query, rest) {
  const api = await get("/openapi.json");
  const all = operations(api);
  const groups = (api.tags ?? [])
    .map((tag) => ({ ...tag, operations: all.filter((each) => each.group === tag.name) }))
    .filter((group) => group.operations.length);
  const list = h("div", { class: "stack" });
  const found = h("p", { class: "small soft", role: "status" });
  const search = h("input", {
    type: "search", "aria-label": "Find an address", placeholder: "Find: hint, runs…", oninput: draw,
  });

  function draw() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (each) => `${each.method} ${each.path} ${each.summary}`.toLowerCase();
    const fits = (each) => words.every((word) => text(each).includes(word));
    const shown = groups.map((group) => ({ ...group, operations: group.operations.filter(fits) }))
      .filter((group) => group.operations.length);
    const many = shown.reduce((sum, group) => sum + group.operations.length, 0);
    found.textContent = `${plural(many, "address", "addresses")}${words.length ? " found" : ""}`;
    fill(list, shown.map((group) => h("section", { class: "card", "aria-label": group.name },
      h("h2", { class: "group", id: `api-${group.name}` }, group.name,
        h("span", { class: "soft group-about" }, group.description)),
      group.operations.map((each) => operationView(api, each)))));
  }

  fill(main,
    h("h1", {}, "API"),
    h("div", { class: "api" },
      h("aside", { class: "card stack api-side" },
        search, found,
        h("nav", { "aria-label": "Groups" }, h("ul", {}, groups.map((group) => h("li", {},
          h("a", { href: `#/api/${group.name}` }, group.name),
          h("span", { class: "soft small" }, ` ${group.operations.length}`))))),
        h("p", { class: "small" },
          h("a", { href: "/openapi.json", target: "_blank", rel: "noopener" }, "openapi.json"),
          ` · version ${api.info.version}`)),
      h("div", { class: "stack" },
        h("section", { class: "card" }, paragraphs(api.info.description)),
        h("section", { class: "card" },
          h("h2", {}, "How to watch a run"),
          h("ol", { class: "steps" }, WATCHING.map((step) => h("li", {}, inline(step)))),
          h("pre", { class: "code", tabindex: "0" }, WATCH)),
        list)));
  draw();
  const asked = rest[0] && document.getElementById(`api-${rest[0]}`);
  if (asked) asked.scrollIntoView();
}
