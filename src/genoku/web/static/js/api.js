// The server's API, and its stream of events. Everything the page knows comes through here.

export class ApiError extends Error {
  constructor(status, message, body = null) {
    super(message);
    this.status = status; // 0: no server answered
    this.body = body;
  }
}

async function asked(method, path, body) {
  const options = { method, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
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
  if (!response.ok) throw new ApiError(response.status, (data && data.detail) || response.statusText, data);
  return data;
}

// Whether there is a server.
export const answers = () => fetch("/api/status", { cache: "no-store" }).then(() => true, () => false);

export const AGAIN = 2000; // milliseconds between two looks for a server that has gone

// Settles once a server answers again.
export async function whenBack() {
  do await new Promise((done) => { setTimeout(done, AGAIN); });
  while (!await answers());
}

export const get = (path) => asked("GET", path);
export const post = (path, body = {}) => asked("POST", path, body);
export const del = (path) => asked("DELETE", path);

// Listen to a session. Only the newest frame is kept until the browser has time to draw it, so a
// slow one skips frames and never queues them: `onFrame` is called at most once per repaint, and
// nothing is parsed that is not drawn. `onGone(error)` is called when the stream ends for good.
// A hidden page closes its stream (browsers allow six) and opens it again when it is seen.
export function listen(path, { onFrame, onGone }) {
  let source = null;
  let newest = null;
  let planned = false;
  let closed = false;
  let keeping = 0;

  function draw() {
    planned = false;
    if (closed || newest === null) return;
    const text = newest;
    newest = null;
    onFrame(JSON.parse(text));
  }

  function open() {
    if (closed || source || document.hidden) return;
    source = new EventSource(`${path}/events`);
    source.onmessage = (event) => {
      newest = event.data;
      if (!planned) {
        planned = true;
        requestAnimationFrame(draw);
      }
    };
    source.addEventListener("gone", broken);
    source.onerror = broken;
  }

  function hangUp() {
    source?.close();
    source = null;
  }

  // The session is asked for: it may be live, and only the line was lost.
  async function broken() {
    hangUp();
    if (closed || document.hidden) return;
    try {
      await get(path);
      setTimeout(open, 300);
    } catch (error) {
      if (!closed) onGone(error);
    }
  }

  function seen() {
    clearTimeout(keeping);
    if (closed) return;
    if (!document.hidden) return open();
    hangUp();
    keep();
  }

  async function keep() {
    if (closed || !document.hidden) return;
    try {
      await post(`${path}/keep`);
    } catch { /* told when the page is seen again */ }
    clearTimeout(keeping);
    keeping = setTimeout(keep, 30000);
  }

  document.addEventListener("visibilitychange", seen);
  if (document.hidden) keep();
  else open();
  return {
    close() {
      closed = true;
      clearTimeout(keeping);
      hangUp();
      document.removeEventListener("visibilitychange", seen);
    },
  };
}
