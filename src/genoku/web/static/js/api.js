// @ts-check
// The server's API and its event streams. Everything the page knows comes through here.

/** @import { Frame, GetAnswer, PostAnswer } from "./types.d.ts" */

export class ApiError extends Error {
  /**
   * @param {number} status 0: no server answered
   * @param {string} message
   * @param {Record<string, unknown>} [body]
   */
  constructor(status, message, body = {}) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

// The message of whatever was thrown.
/** @type {(error: unknown) => string} */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** @type {(error: unknown) => number} */
export const statusOf = (error) => (error instanceof ApiError ? error.status : -1);

// Whether a session could not be reached: no server, or not on this server. Its page says so by itself.
/** @type {(error: unknown) => boolean} */
export const isUnreachable = (error) => [0, 404].includes(statusOf(error));

/** @type {(method: string, path: string, body?: object) => Promise<any>} any: `get` and `post` know the type by the path */
async function request(method, path, body) {
  /** @type {RequestInit} */
  const options = { method, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    options.headers = { ...options.headers, "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ApiError(0, "The server does not answer. Is genoku serve still running?");
  }
  const text = await response.text();
  let data = null;
  try {
    data = text ? JSON.parse(text) : null;
  } catch {
    throw new ApiError(response.status, `expected JSON from ${path}, got ${text.slice(0, 80)}`);
  }
  if (!response.ok) throw new ApiError(response.status, data?.detail || response.statusText, data ?? {});
  return data;
}

/** @type {<P extends string>(path: P) => Promise<GetAnswer<P>>} */
export const get = (path) => request("GET", path);

/** @type {<P extends string>(path: P, body?: object) => Promise<PostAnswer<P>>} */
export const post = (path, body = {}) => request("POST", path, body);

/** @type {(path: string) => Promise<unknown>} */
export const del = (path) => request("DELETE", path);

// Whether a server answers.
export const isServerUp = () => fetch("/api/status", { cache: "no-store" }).then(() => true, () => false);

export const RETRY = 2000; // milliseconds between two attempts to reach a server

// Resolves once a server answers again.
export async function untilServerIsBack() {
  do await new Promise((done) => { setTimeout(done, RETRY); });
  while (!await isServerUp());
}

/**
 * Listen to a session. Only the newest frame is kept until the browser has time to draw it, so a slow browser skips
 * frames and never queues them: `onFrame` is called at most once per repaint, and frames that are not drawn are not
 * parsed. `onGone(error)` is called when the stream ends for good. A hidden page closes its stream (browsers allow
 * six) and opens it again when it becomes visible.
 * @param {`/api/${"runs" | "races"}/${string}`} path
 * @param {{ onFrame: (frame: Frame) => void, onGone: (error: unknown) => void }} callbacks
 */
export function listen(path, { onFrame, onGone }) {
  /** @type {EventSource | null} */
  let source = null;
  /** @type {string | null} */
  let newest = null;
  let isScheduled = false;
  let closed = false;
  let keepTimer = 0;

  function draw() {
    isScheduled = false;
    if (closed || newest === null) return;
    const text = newest;
    newest = null;
    onFrame(JSON.parse(text));
  }

  function open() {
    if (closed || source || document.hidden) return;
    source = new EventSource(`${path}/events`);
    source.addEventListener("message", (event) => {
      newest = event.data;
      if (isScheduled) return;
      isScheduled = true;
      requestAnimationFrame(draw);
    });
    source.addEventListener("gone", onBroken);
    source.addEventListener("error", onBroken);
  }

  function hangUp() {
    source?.close();
    source = null;
  }

  // The session may still be there, and only the connection lost: ask.
  async function onBroken() {
    hangUp();
    if (closed || document.hidden) return;
    try {
      await get(path);
      setTimeout(open, 300);
    } catch (error) {
      if (!closed) onGone(error);
    }
  }

  function onVisibility() {
    clearTimeout(keepTimer);
    if (closed) return;
    if (!document.hidden) return open();
    hangUp();
    keepAlive();
  }

  async function keepAlive() {
    if (closed || !document.hidden) return;
    try {
      await post(`${path}/keep`);
    } catch { /* reported when the page is visible again */ }
    clearTimeout(keepTimer);
    keepTimer = setTimeout(keepAlive, 30000);
  }

  document.addEventListener("visibilitychange", onVisibility);
  if (document.hidden) keepAlive();
  else open();
  return {
    close() {
      closed = true;
      clearTimeout(keepTimer);
      hangUp();
      document.removeEventListener("visibilitychange", onVisibility);
    },
  };
}
