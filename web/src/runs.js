// Training runs, watched live: what their metrics say, drawn anew while they grow.

import { drawChart } from "./chart.js";
import { ask } from "./solvers.js";

const EVERY = 2000; // milliseconds between looks
const MOST = 600; // points per line

export function makeRuns(section) {
  section.innerHTML = `
    <div class="card">
      <h2>Training runs</h2>
      <div class="row"><label class="grow">Run <select class="which"></select></label></div>
      <p class="hint status" role="status"></p>
    </div>
    <div class="plots"></div>`;
  const $ = (selector) => section.querySelector(selector);
  const which = $(".which");
  let timer = null;
  let lines = [];
  let next = 0;
  let run = null;

  async function look() {
    clearTimeout(timer);
    try {
      await list();
      while (run !== null && (await read()));
    } catch (error) {
      $(".status").textContent = error.message;
    }
    timer = setTimeout(look, EVERY);
  }

  async function list() {
    const { runs } = await ask("runs");
    const ids = [...which.options].map(({ value }) => value);
    if (runs.some(({ id }, i) => id !== ids[i]) || runs.length !== ids.length) {
      const chosen = which.value;
      which.replaceChildren(...runs.map(({ id, title, algorithm, puzzle }) => new Option([title ?? id, algorithm, puzzle].filter(Boolean).join(", "), id)));
      if (runs.some(({ id }) => id === chosen)) which.value = chosen;
    }
    if (!runs.length) $(".status").textContent = "There are no runs here yet. A learner of train/ makes one.";
    if ((which.value || null) !== run) choose(which.value || null);
  }

  function choose(id) {
    run = id;
    lines = [];
    next = 0;
    $(".plots").replaceChildren();
  }

  /** Read on; whether there was something. */
  async function read() {
    const asked = run;
    const answer = await ask(`runs/${encodeURIComponent(run)}/metrics?from=${next}`);
    if (asked !== run) return false;
    if (answer.reset) choose(run); // resumed from an older point: its file began anew
    const isNew = answer.next !== next;
    next = answer.next;
    lines.push(...answer.lines);
    $(".status").textContent = `${lines.length.toLocaleString("en")} lines of metrics`;
    if (isNew) draw();
    return isNew;
  }

  function draw() {
    const names = [...new Set(lines.flatMap((line) => Object.keys(line).filter((key) => typeof line[key] === "number")))];
    const across = ["step", "steps", "round", "iteration", "epoch", "batch"].find((name) => names.includes(name));
    const shown = names.filter((name) => name !== across);
    const plots = $(".plots");
    for (const name of shown) {
      const points = lines.map((line, i) => [across ? line[across] : i, line[name]]).filter((point) => point.every(Number.isFinite));
      let plot = [...plots.children].find((figure) => figure.dataset.name === name);
      if (!plot) {
        plot = document.createElement("figure");
        plot.className = "card";
        plot.dataset.name = name;
        plot.innerHTML = "<figcaption></figcaption><svg class=chart></svg>";
        plots.append(plot);
      }
      const last = points.at(-1)?.[1];
      plot.firstChild.textContent = `${name}: ${Number.isFinite(last) ? Number(last.toPrecision(5)) : "none"}`;
      drawChart(plot.lastChild, [{ points: thinned(points) }], { x: across ?? "line", y: "", label: `${name} over ${points.length} points, last ${last}` });
    }
  }

  which.addEventListener("change", () => {
    choose(which.value);
    look();
  });
  return {
    open: look,
    close() {
      clearTimeout(timer);
    },
  };
}

/** At most MOST of the points, the last one included. */
function thinned(points) {
  const step = Math.ceil(points.length / MOST);
  return points.filter((_, i) => i % step === 0 || i === points.length - 1);
}
