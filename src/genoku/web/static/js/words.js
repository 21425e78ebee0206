// @ts-check
// Numbers, times, sentences and file names as people read them.

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

// 12345 is "12,345".
/** @type {(n: number) => string} */
export const count = (n) => whole.format(n);

/** @type {[number, string][]} */
const UNITS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

// 1234567 is "1.23 M": three figures are enough for what changes twenty times a second.
/** @type {(n: number) => string} */
export function short(n) {
  const size = Math.abs(n);
  for (const [unit, letter] of UNITS) {
    if (size >= unit * 0.9995) return `${figures(n / unit, 3)} ${letter}`;
  }
  return figures(n, 3);
}

// At most `most` significant figures, without trailing zeros: figures(0.12345, 3) is "0.123".
/** @type {(n: number | null, most?: number) => string} */
export function figures(n, most = 3) {
  if (n === null || !Number.isFinite(n)) return "–";
  if (n === 0) return "0";
  const size = Math.abs(n);
  if (size >= 10 ** most) return count(n);
  if (size < 1e-4) return n.toExponential(1).replace("e-", "e−");
  return String(Number(n.toPrecision(most)));
}

// 75.3 is "1 min 15 s", 0.0123 is "12 ms"; short times have tenths.
/** @type {(s: number | null | undefined) => string} */
export function seconds(s) {
  if (s === null || s === undefined || !Number.isFinite(s)) return "–";
  if (s > 0 && s < 0.1) return `${Math.max(1, Math.round(1000 * s))} ms`;
  if (s < 10) return `${s.toFixed(1)} s`;
  const all = Math.round(s);
  if (all < 60) return `${all} s`;
  const minutes = Math.floor(all / 60);
  if (minutes < 60) return `${minutes} min ${String(all % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

// "best board" is "Best board".
/** @type {(text: string) => string} */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// A message of the server as a sentence: "no such run" is "No such run."
/** @type {(text: string) => string} */
export function sentence(text) {
  const end = !text || /[.!?…]$/.test(text) ? "" : ".";
  return `${capital(text)}${end}`;
}

// plural(1, "board") is "1 board", plural(2000, "try", "tries") is "2,000 tries".
/** @type {(n: number, word: string, many?: string) => string} */
export const plural = (n, word, many = `${word}s`) => `${count(n)} ${n === 1 ? word : many}`;

// A text as the name of a file: "Größe & Zeit?" is "grosse-zeit".
/** @type {(text: string) => string} */
export function slug(text) {
  const latin = text.toLowerCase().replaceAll("ß", "ss").normalize("NFD").replace(/\p{M}/gu, "");
  return latin.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
}

// A name made of a text that is not taken yet: "study", "study-2", …
/** @type {(text: string, taken: Set<string>) => string} */
export function freeName(text, taken) {
  const base = slug(text).slice(0, 54) || "study";
  let name = base;
  for (let n = 2; taken.has(name); n += 1) name = `${base}-${n}`;
  return name;
}
