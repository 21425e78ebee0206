// Numbers as people read them.

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

// 12345 is "12,345".
export const count = (n) => whole.format(n);

// 1234567 is "1.23 M": three figures are enough for what changes twenty times a second.
export function short(n) {
  const size = Math.abs(n);
  for (const [unit, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= unit * 0.9995) return `${figures(n / unit, 3)} ${letter}`;
  }
  return figures(n, 3);
}

// At most so many figures, without zeros that say nothing: figures(0.12345, 3) is "0.123".
export function figures(n, most = 3) {
  if (!Number.isFinite(n)) return "–";
  if (n === 0) return "0";
  const size = Math.abs(n);
  if (size >= 10 ** most) return count(n);
  if (size < 1e-4) return n.toExponential(1).replace("e-", "e−");
  return String(Number(n.toPrecision(most)));
}

// 75.3 is "1 min 15 s", 0.0123 is "12 ms"; short times have tenths.
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
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// What a server says in passing, as a sentence of its own: "no such run" is "No such run."
export function sentence(text) {
  const end = !text || /[.!?…]$/.test(text) ? "" : ".";
  return `${capital(text)}${end}`;
}

// plural(1, "board") is "1 board", plural(2000, "try", "tries") is "2,000 tries".
export const plural = (n, word, many = `${word}s`) => `${count(n)} ${n === 1 ? word : many}`;
