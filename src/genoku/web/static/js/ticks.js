// Where the marks of an axis stand, and how many points of a line are worth drawing.

// Round numbers from `from` to `to`, at most about `most` of them: 0, 20, 40, …
export function linearTicks(from, to, most) {
  const rough = Math.max((to - from) / most, Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i += 1) ticks.push(i * step);
  if (ticks[ticks.length - 1] < to && from === 0) ticks.push(ticks[ticks.length - 1] + step);
  return ticks;
}

// The same for what is counted: whole numbers only.
export const wholeTicks = (from, to, most) => linearTicks(from, to, Math.min(most, Math.max(1, to - from)));

// Powers of ten, as many as fit.
export function logTicks(from, to, most) {
  const powers = from < 1 ? [0] : [];
  const [low, high] = [Math.ceil(Math.log10(Math.max(1, from))), Math.floor(Math.log10(Math.max(1, to)))];
  const every = Math.max(1, Math.ceil((high - low + 1) / most));
  for (let power = low; power <= high; power += every) powers.push(10 ** power);
  return powers;
}

// Of the points that fall on the same pixel only the outermost are kept: the line looks the same.
export function thinned(points, key, x, wide) {
  if (points.length <= 2 * wide) return points;
  const kept = [];
  let column = null;
  let [low, high, last] = [null, null, null];
  const flush = () => {
    if (low === null) return;
    const [one, other] = low.step <= high.step ? [low, high] : [high, low];
    for (const point of new Set([one, other, last])) kept.push(point);
  };
  for (const point of points) {
    const here = Math.round(x(point.step));
    if (here !== column) {
      flush();
      column = here;
      [low, high, last] = [point, point, point];
      continue;
    }
    if (point[key] < low[key]) low = point;
    if (point[key] > high[key]) high = point;
    last = point;
  }
  flush();
  return kept;
}
