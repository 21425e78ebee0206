// Ask the server for real, and show what it answers.

import { field, fill, h } from "../dom.js";
import { count, seconds } from "../words.js";

const SHOWN = 20_000; // characters of an answer
const EVENTS = 3; // of a stream, then it is closed

export function trial(operation, { values, body, onChange }) {
  const inputs = operation.parameters.map((parameter) => {
    const value = values[parameter.name] ?? "";
    return { parameter, input: h("input", { type: "text", value, spellcheck: "false", oninput: changed }) };
  });
  const area = body === undefined ? null : h("textarea", { spellcheck: "false", oninput: changed });
  if (area) {
    area.value = JSON.stringify(body, null, 2);
    area.rows = Math.min(14, 2 + area.value.split("\n").length);
  }
  const answer = h("div", { class: "answer", "aria-live": "polite" });
  const button = h("button", { type: "button", class: "primary", onclick: send }, "Send");

  function read() {
    const given = Object.fromEntries(inputs.map(({ parameter, input }) => [parameter.name, input.value]));
    return { values: given, body: area ? JSON.parse(area.value) : undefined };
  }

  function changed() {
    try {
      const now = read();
      area?.removeAttribute("aria-invalid");
      onChange(now);
      return now;
    } catch (error) {
      area.setAttribute("aria-invalid", "true");
      fill(answer, h("p", { class: "notice bad" }, `The body is no JSON: ${error.message}`));
      return null;
    }
  }

  async function send() {
    const now = changed();
    if (!now) return;
    button.disabled = true;
    fill(answer, h("p", { class: "soft" }, "Asking…"));
    const began = performance.now();
    const stop = new AbortController();
    try {
      const response = await fetch(operation.address(now.values, false), {
        method: operation.method, signal: stop.signal,
        headers: now.body === undefined ? {} : { "Content-Type": "application/json" },
        body: now.body === undefined ? undefined : JSON.stringify(now.body),
      });
      const kind = (response.headers.get("content-type") ?? "").split(";")[0];
      const text = kind === "text/event-stream" ? await firstEvents(response) : await told(response, kind);
      stop.abort();
      const took = seconds((performance.now() - began) / 1000);
      fill(answer,
        h("p", {}, h("span", { class: `badge ${response.ok ? "good" : "bad"}` }, String(response.status)),
          ` ${kind || "no content"}, ${took}`),
        text ? h("pre", { tabindex: "0" }, text) : null);
    } catch (error) {
      fill(answer, h("p", { class: "notice bad" }, `No answer: ${error.message}`));
    }
    button.disabled = false;
  }

  return h("div", { class: "stack trial" },
    inputs.length
      ? h("div", { class: "trial-fields" }, inputs.map(({ parameter, input }) => field(parameter.name, input)))
      : null,
    area ? field("Body, JSON", area) : null,
    h("div", { class: "row" }, button), answer);
}

async function told(response, kind) {
  if (kind === "application/json") {
    const text = JSON.stringify(await response.json(), null, 2);
    const more = text.length - SHOWN;
    return more > 0 ? `${text.slice(0, SHOWN)}\n… and ${count(more)} characters more` : text;
  }
  const data = await response.blob();
  if (/^text\/|toml$|svg\+xml$/.test(kind)) return (await data.text()).slice(0, SHOWN);
  return data.size ? `${count(data.size)} bytes` : "";
}

async function firstEvents(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.split("\n\n").length <= EVENTS) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  const first = text.split("\n\n").slice(0, EVENTS).join("\n\n");
  return `${first}\n\n… the first ${EVENTS} events; then this page stopped listening.`;
}
