// A line chart as an SVG, drawn anew whenever its lines change.

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 190;
const EDGE = { left: 40, right: 20, top: 10, bottom: 38 };

/**
 * lines: [{name, points: [[x, y], ...]}]; options: {x, y} name the axes, `mark` is an x to point out. The chart says in words what it
 * shows, for those who cannot see it.
 */
export function drawChart(svg, lines, { x, y, mark = null, label }) {
  const points = lines.flatMap((line) => line.points).filter((point) => point.every(Number.isFinite));
  const WIDTH = Math.max(260, svg.clientWidth || 400);
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label ?? `${y} against ${x}`);
  svg.replaceChildren();
  if (!points.length) return;
  const [xs, ys] = [points.map(([a]) => a), points.map(([, b]) => b)];
  const [left, right] = [Math.min(...xs), Math.max(Math.max(...xs), Math.min(...xs) + 1e-9)];
  const down = ticks(Math.min(0, ...ys), Math.max(...ys, 1e-9));
  const across = ticks(left, right).filter((at) => at >= left && at <= right);
  const [bottom, top] = [Math.min(down[0], ...ys), Math.max(down.at(-1), ...ys)];
  const toX = (at) => EDGE.left + ((at - left) / (right - left)) * (WIDTH - EDGE.left - EDGE.right);
  const toY = (at) => HEIGHT - EDGE.bottom - ((at - bottom) / (top - bottom)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const add = (name, attributes, text) => {
    const element = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    if (text !== undefined) element.textContent = text;
    svg.append(element);
  };
  for (const at of down) {
    add("line", { x1: EDGE.left, x2: WIDTH - EDGE.right, y1: toY(at), y2: toY(at), class: "rule" });
    add("text", { x: EDGE.left - 6, y: toY(at) + 4, class: "tick end" }, short(at));
  }
  for (const at of across) add("text", { x: toX(at), y: HEIGHT - EDGE.bottom + 16, class: "tick" }, short(at));
  add("text", { x: (EDGE.left + WIDTH - EDGE.right) / 2, y: HEIGHT - 3, class: "axis" }, x);
  if (y) add("text", { x: EDGE.left + 4, y: EDGE.top + 6, class: "axis start" }, y);
  if (mark !== null) add("line", { x1: toX(mark), x2: toX(mark), y1: EDGE.top, y2: HEIGHT - EDGE.bottom, class: "mark" });
  lines.forEach((line, i) => {
    const path = line.points.filter((point) => point.every(Number.isFinite));
    add("polyline", { points: path.map(([a, b]) => `${toX(a).toFixed(1)},${toY(b).toFixed(1)}`).join(" "), class: `line line${i % 4}` });
    if (path.length <= 60) path.forEach(([a, b]) => add("circle", { cx: toX(a), cy: toY(b), r: 2.6, class: `dot line${i % 4}` }));
  });
}

/** Round numbers from about low to about high, five or so. */
function ticks(low, high) {
  const rough = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((size) => size >= rough);
  const out = [];
  for (let i = Math.floor(low / step); i <= Math.ceil(high / step - 1e-9); i++) out.push(Number((i * step).toPrecision(12)));
  return out;
}

function short(number) {
  const size = Math.abs(number);
  if (size >= 1e6) return `${Number((number / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((number / 1e3).toPrecision(3))}k`;
  return String(Number(number.toPrecision(4)));
}
