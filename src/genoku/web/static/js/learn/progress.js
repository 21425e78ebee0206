// Which chapters a person has seen, kept in this browser.

const KEY = "genoku.learn";

export function visited() {
  try {
    return new Set(JSON.parse(localStorage.getItem(KEY) || "[]"));
  } catch {
    return new Set();
  }
}

export function visit(name) {
  try {
    localStorage.setItem(KEY, JSON.stringify([...visited().add(name)]));
  } catch { /* a private window: forgotten with the page */ }
}
