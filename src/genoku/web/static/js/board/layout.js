// @ts-check
// Where the cells of a drawn board are, in whole pixels of the screen so that no edge is blurred.

/** @typedef {ReturnType<typeof layOut>} Layout */

/** @type {(width: number, height: number, side: number, boxRows: number, boxCols: number) => { size: number, line: number, halo: number, left: number, top: number, wide: number, high: number, xs: number[], ys: number[] }} */
export function layOut(width, height, side, boxRows, boxCols) {
  const room = Math.min(width, height);
  const thin = room / side >= 14 ? Math.max(1, Math.round(room / side / 40)) : (room / side >= 5 ? 1 : 0);
  const line = Math.max(1, Math.round(room / 320));
  const halo = Math.max(1, Math.round(room / 420));
  const thick = line + 2 * halo;
  /** @param {number} boxes */
  const gaps = (boxes) => 2 * (line + halo) + (boxes - 1) * thick + (side - boxes) * thin;
  const [across, down] = [gaps(side / boxCols), gaps(side / boxRows)];
  const size = Math.max(1, Math.floor((room - Math.max(across, down)) / side));
  const [wide, high] = [across + size * side, down + size * side];
  const [left, top] = [Math.floor((width - wide) / 2), Math.floor((height - high) / 2)];
  /** @type {(start: number, box: number) => number[]} */
  const places = (start, box) => Array.from({ length: side }, (_, i) =>
    start + line + halo + i * size + (i - Math.floor(i / box)) * thin + Math.floor(i / box) * thick);
  return { size, line, halo, left, top, wide, high, xs: places(left, boxCols), ys: places(top, boxRows) };
}

// The frame and the lines between boxes, with a little space on both sides of each.
/** @type {(context: CanvasRenderingContext2D, at: Layout, boxRows: number, boxCols: number, colour: string) => void} */
export function drawLines(context, at, boxRows, boxCols, colour) {
  context.fillStyle = colour;
  const { line, halo, left, top, wide, high, xs, ys } = at;
  context.fillRect(left, top, wide, line);
  context.fillRect(left, top + high - line, wide, line);
  context.fillRect(left, top, line, high);
  context.fillRect(left + wide - line, top, line, high);
  for (let i = boxCols; i < xs.length; i += boxCols) context.fillRect(xs[i] - halo - line, top, line, high);
  for (let i = boxRows; i < ys.length; i += boxRows) context.fillRect(left, ys[i] - halo - line, wide, line);
}
