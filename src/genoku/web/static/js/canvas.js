// Canvases that are sharp on any screen.

// Wipe a canvas that is so large in the page, and measure in the page's own pixels from then on.
export function wiped(canvas, wide, high) {
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(wide * scale), Math.round(high * scale)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, wide, high);
  return context;
}

export function stroke(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
