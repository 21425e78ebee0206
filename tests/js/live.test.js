import "./browser.js";

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { ApiError, get, isUnreachable, listen } from "../../src/genoku/web/static/js/api.js";
import { LiveSession, RunSession } from "../../src/genoku/web/static/js/live.js";

let answers; // by request, such as "GET /api/runs/1": a body, or an ApiError to answer with
let requests;
let streams;
let repaint;

class FakeEventSource extends EventTarget {
  constructor(path) {
    super();
    this.path = path;
    streams.push(this);
  }

  send(frame) {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(frame) }));
  }

  close() {
    this.isClosed = true;
  }
}

Object.assign(globalThis, {
  EventSource: FakeEventSource,
  requestAnimationFrame(draw) { repaint.push(draw); },
  async fetch(path, { method = "GET", body } = {}) {
    requests.push([`${method} ${path}`, body && JSON.parse(body)]);
    const answer = answers[`${method} ${path}`];
    if (answer === undefined) throw new TypeError("nobody listens");
    const isError = answer instanceof ApiError;
    const text = isError ? JSON.stringify({ detail: answer.message, ...answer.body }) : JSON.stringify(answer);
    return { ok: !isError, status: isError ? answer.status : 200, statusText: "", text: async () => text };
  },
});

beforeEach(() => {
  [answers, requests, streams, repaint] = [{}, [], [], []];
});

const draw = () => repaint.splice(0).forEach((each) => each());
const settle = () => new Promise((done) => { setImmediate(done); });
const frame = (seq, phase = "running") => ({ seq, phase, lanes: [{ step: seq }] });
const facts = (id, more = {}) => ({ id, frame: frame(0), lanes: [{}], ...more });

function watched(Kind = LiveSession) {
  const seen = { facts: [], frames: [], troubles: [] };
  const callbacks = {
    onFacts: (found, curve) => seen.facts.push([found.id, curve]),
    onFrame: ({ seq }) => seen.frames.push(seq),
    onTrouble: (trouble) => seen.troubles.push(trouble),
  };
  return { seen, session: Kind === RunSession ? new RunSession(callbacks) : new LiveSession("races", callbacks) };
}

test("an answer that is an error is thrown with its status and message", async () => {
  answers["GET /api/studies"] = new ApiError(409, "taken", { path: "name" });
  await assert.rejects(get("/api/studies"), (error) =>
    error instanceof ApiError && error.status === 409 && error.message === "taken" && error.body.path === "name");
  await assert.rejects(get("/api/reports"), { status: 0 });
  assert.deepEqual([0, 404, 409].map((status) => isUnreachable(new ApiError(status, ""))), [true, true, false]);
  assert.equal(isUnreachable(new Error("a bug")), false);
});

test("only the newest frame of a stream is drawn", () => {
  const drawn = [];
  const stream = listen("/api/runs/1", { onFrame: ({ seq }) => drawn.push(seq), onGone: assert.fail });
  for (const seq of [1, 2, 3]) streams[0].send(frame(seq));
  assert.equal(repaint.length, 1);
  draw();
  draw();
  streams[0].send(frame(4));
  draw();
  assert.deepEqual(drawn, [3, 4]);
  streams[0].send(frame(5));
  stream.close();
  draw();
  assert.deepEqual(drawn, [3, 4]);
  assert.ok(streams[0].isClosed);
});

test("a session that starts is watched, and the one before is ended", async () => {
  const { session, seen } = watched();
  Object.assign(answers, { "POST /api/races": facts("one"), "DELETE /api/races/one": {} });
  await session.start({ seed: 1 });
  answers["POST /api/races"] = facts("two");
  await session.start({ seed: 2 });
  assert.deepEqual(requests.map(([request]) => request), ["POST /api/races", "POST /api/races", "DELETE /api/races/one"]);
  assert.deepEqual(seen.facts, [["one", null], ["two", null]]);
  assert.equal(session.id, "two");
  assert.deepEqual(streams.map(({ path, isClosed }) => [path, isClosed]),
    [["/api/races/one/events", true], ["/api/races/two/events", undefined]]);
});

test("a refused start leaves the session that was on show", async () => {
  const { session } = watched();
  answers["POST /api/races"] = facts("one");
  await session.start({});
  answers["POST /api/races"] = new ApiError(422, "no");
  await assert.rejects(session.start({}), { status: 422 });
  assert.equal(session.id, "one");
  assert.equal(streams[0].isClosed, undefined);
});

test("an older frame never replaces a newer one", async () => {
  const { session, seen } = watched();
  Object.assign(answers, { "POST /api/races": facts("one"), "POST /api/races/one/control": frame(5, "paused") });
  await session.start({});
  await session.control("pause");
  streams[0].send(frame(3));
  draw();
  assert.deepEqual(seen.frames, [0, 5]);
  assert.deepEqual(requests[1][1], { do: "pause" });
  assert.equal(session.phase, "paused");
});

test("a run that has advanced is shown with its history", async () => {
  const { session, seen } = watched(RunSession);
  const curve = { step: [0, 3] };
  Object.assign(answers, { "GET /api/runs/a%2Fb": facts("a/b", { frame: frame(3) }), "GET /api/runs/a%2Fb/curve": curve });
  await session.open("a/b");
  assert.deepEqual(seen.facts, [["a/b", curve]]);
});

test("a session that is gone is reported, with what can be resumed", async () => {
  const { session, seen } = watched();
  answers["GET /api/races/x"] = new ApiError(404, "no such race", { resumable: true, step: 7 });
  await session.open("x");
  assert.deepEqual(seen.troubles, [{ kind: "gone", resumable: true, step: 7, message: "no such race" }]);
  assert.equal(requests.length, 1);
});

test("a late answer for a session that was left is ignored", async () => {
  const { session, seen } = watched();
  Object.assign(answers, { "GET /api/races/x": facts("x"), "GET /api/races/y": facts("y") });
  await Promise.all([session.open("x"), session.open("y")]);
  assert.deepEqual(seen.facts, [["y", null]]);
  assert.equal(session.id, "y");
});

test("one that had ended is restored without asking", async () => {
  const { session, seen } = watched();
  answers["GET /api/races/x"] = new ApiError(404, "no such race", { resumable: true, ended: true });
  answers["POST /api/races/x/restore"] = facts("x", { frame: frame(9, "ended") });
  await session.open("x");
  assert.deepEqual(seen.frames, [9]);
  assert.deepEqual(seen.troubles, [null]);
  assert.equal(requests.some(([request]) => request.endsWith("control")), false);
});

test("without a server the session is looked for until it is back", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { session, seen } = watched();
  await session.open("x");
  assert.equal(seen.troubles[0].kind, "server");
  answers["GET /api/races/x"] = facts("x");
  context.mock.timers.tick(2000);
  await settle();
  assert.equal(seen.troubles.at(-1), null);
  assert.deepEqual(seen.facts, [["x", null]]);
});

test("answers that come after the page has left are ignored", async () => {
  const { session, seen } = watched();
  answers["GET /api/races/x"] = facts("x");
  const opening = session.open("x");
  session.close();
  await opening;
  assert.deepEqual([seen.facts, seen.frames, streams], [[], [], []]);
});
