// @ts-check
// What charts share: a clean canvas, the ticks of an axis, and which points of a line are worth drawing.

/** @typedef {{ left: number, top: number, wide: number, high: number }} Plot the area between the axes, in pixels */

/** @type {(canvas: HTMLCanvasElement, options?: CanvasRenderingContext2DSettings) => CanvasRenderingContext2D} */
export function contextOf(canvas, options) {
  const context = canvas.getContext("2d", options);
  if (!context) throw new Error("expected a canvas that can be drawn on");
  return context;
}

// Clear a canvas of the given size in the page, sharp on any screen; its unit is one pixel of the page from then on.
/** @type {(canvas: HTMLCanvasElement, wide: number, high: number) => CanvasRenderingContext2D} */
export function clearCanvas(canvas, wide, high) {
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(wide * scale), Math.round(high * scale)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = contextOf(canvas);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, wide, high);
  return context;
}

/** @type {(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number) => void} */
export function stroke(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

/** @type {(context: CanvasRenderingContext2D, x: number, y: number, radius: number) => void} */
export function dot(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.fill();
}

// Draw the x axis below a plot: its line, its ticks as [position, label], and its title.
/** @type {(context: CanvasRenderingContext2D, plot: Plot, ticks: [number, string][], title: string) => void} */
export function drawXAxis(context, { left, top, wide, high }, ticks, title) {
  const base = top + high;
  context.textAlign = "center";
  context.textBaseline = "top";
  stroke(context, left, base + 0.5, left + wide, base + 0.5);
  for (const [at, label] of ticks) {
    const x = Math.round(at) + 0.5;
    if (x < left || x > left + wide + 1) continue;
    stroke(context, x, base, x, base + 4);
    context.fillText(label, Math.min(x, left + wide - 6), base + 6);
  }
  context.fillText(title, left + wide / 2, base + 20);
}

// Round numbers from `from` to `to`, about `most` of them at most: 0, 20, 40, …
/** @type {(from: number, to: number, most: number) => number[]} */
export function linearTicks(from, to, most) {
  const rough = Math.max((to - from) / most, Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((each) => each * power >= rough * 0.999) ?? 10) * power;
  const ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i += 1) ticks.push(i * step);
  const last = ticks[ticks.length - 1] ?? to;
  if (last < to && from === 0) ticks.push(last + step);
  return ticks;
}

// Ticks of an axis that begins at `from` itself: 81, 100, 150, … for 81 to 243.
/** @type {(from: number, to: number, most: number) => number[]} */
export function raisedTicks(from, to, most) {
  const ticks = linearTicks(from, to, most);
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : to - from;
  return [from, ...ticks.filter((tick) => tick > from + step * 0.35)]; // the labels of others would touch
}

// The same for counts: whole numbers only.
/** @type {(from: number, to: number, most: number) => number[]} */
export const wholeTicks = (from, to, most) => linearTicks(from, to, Math.min(most, Math.max(1, to - from)));

// Powers of ten, at most `most` of them, and 0 if the range begins below 1.
/** @type {(from: number, to: number, most: number) => number[]} */
export function logTicks(from, to, most) {
  const powers = from < 1 ? [0] : [];
  const [low, high] = [Math.ceil(Math.log10(Math.max(1, from))), Math.floor(Math.log10(Math.max(1, to)))];
  const every = Math.max(1, Math.ceil((high - low + 1) / most));
  for (let power = low; power <= high; power += every) powers.push(10 ** power);
  return powers;
}

// A point of a line chart: a step, and values by the keys of the series.
/** @typedef {{ step: number, [key: string]: number | null | undefined }} Point */

// Of the points that fall on the same pixel column only the outermost and the last are kept: the line looks the same.
/** @type {(points: Point[], key: string, x: (step: number) => number, wide: number) => Point[]} */
export function thinPoints(points, key, x, wide) {
  if (points.length <= 2 * wide) return points;
  /** @type {Map<number, { low: Point, high: Point, last: Point }>} */
  const columns = new Map();
  /** @type {(point: Point) => number} */
  const value = (point) => point[key] ?? 0;
  for (const point of points) {
    const column = Math.round(x(point.step));
    const kept = columns.get(column);
    if (!kept) columns.set(column, { low: point, high: point, last: point });
    else {
      if (value(point) < value(kept.low)) kept.low = point;
      if (value(point) > value(kept.high)) kept.high = point;
      kept.last = point;
    }
  }
  return [...columns.values()].flatMap(({ low, high, last }) =>
    [...new Set(low.step <= high.step ? [low, high, last] : [high, low, last])]);
}

// The points of other steps than these; both are in order. The last point stays, since it has the dot.
/** @type {(points: Point[], steps: number[]) => Point[]} */
export function withoutSteps(points, steps) {
  if (!steps.length) return points;
  const left = new Set(steps);
  return points.filter((point, i) => i === points.length - 1 || !left.has(point.step));
}

// Every second point, and the last one: for a line that has more points than it may keep.
/** @type {<T>(points: T[], most: number) => T[]} */
export const halve = (points, most) =>
  (points.length <= most ? points : points.filter((_, i) => i % 2 === 0 || i === points.length - 1));
