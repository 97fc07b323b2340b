// Two agents on the same scramble, side by side: lengths, nodes, seconds, and what each expects of every state on its way.

import { drawChart } from "./chart.js";
import { optionFields, readOptions } from "./options.js";
import { cubePuzzle, fromName, hanoiPuzzle } from "./puzzles.js";
import { Cancelled, solveThere } from "./solvers.js";

export function makeCompare(section, info) {
  const known = info.puzzles.filter(({ name }) => fromName(name) && info.agents.some((agent) => agent.puzzle === name));
  section.innerHTML = `
    <div class="card">
      <h2>Two agents, one scramble</h2>
      <div class="row">
        <label>Puzzle <select class="which"></select></label>
        <button type="button" class="scramble">New scramble</button>
        <button type="button" class="primary go">Solve with both</button>
        <button type="button" class="stop" hidden>Cancel</button>
      </div>
      <form class="row typed">
        <label class="grow"><span>Scramble</span><input type="text" class="start" autocomplete="off" spellcheck="false"></label>
      </form>
      <p class="fault" role="alert"></p>
    </div>
    <div class="pair">
      <div class="card side" role="group" aria-label="First agent"></div>
      <div class="card side" role="group" aria-label="Second agent"></div>
    </div>
    <div class="card" hidden>
      <h2>What each expects on its way</h2>
      <p class="legend" aria-hidden="true"><span class="key line0"></span><span></span><span class="key line1"></span><span></span></p>
      <svg class="chart"></svg>
    </div>`;
  const $ = (selector) => section.querySelector(selector);
  const which = $(".which");
  const sides = [...section.querySelectorAll(".side")];
  const chart = section.lastElementChild;
  let puzzle = null;
  let state = null;
  let jobs = null;
  which.append(...known.map(({ name, title }) => new Option(title ?? name, name)));
  if (!known.length) $(".fault").textContent = "There are no agents to compare.";

  function choose() {
    const { kind, disks, pegs } = fromName(which.value);
    puzzle = kind === "hanoi" ? hanoiPuzzle(disks, pegs) : cubePuzzle(Number(kind[4]));
    const agents = info.agents.filter((agent) => agent.puzzle === which.value);
    sides.forEach((side, i) => {
      const select = document.createElement("select");
      select.setAttribute("aria-label", `Agent ${i + 1}`);
      select.append(...agents.map((agent) => Object.assign(new Option(agent.title, agent.id), { agent })));
      select.selectedIndex = Math.min(i, agents.length - 1);
      const options = document.createElement("div");
      options.className = "options row";
      const show = () => options.replaceChildren(...optionFields(info, select.selectedOptions[0].agent));
      select.addEventListener("change", show);
      show();
      const outcome = document.createElement("div");
      outcome.className = "outcome";
      outcome.setAttribute("role", "status");
      side.replaceChildren(select, options, outcome);
    });
    scramble();
  }

  function scramble() {
    do state = puzzle.random();
    while (puzzle.isSolved(state));
    $(".start").value = puzzle.facelets ? puzzle.facelets(state) : state.join(" ");
    $(".fault").textContent = "";
    chart.hidden = true;
    sides.forEach((side) => side.lastElementChild.replaceChildren());
  }

  async function solveBoth() {
    let question;
    try {
      state = puzzle.read($(".start").value);
      question = puzzle.question(state);
    } catch (error) {
      $(".fault").textContent = `${error.message}.`;
      return;
    }
    $(".fault").textContent = "";
    chart.hidden = true;
    jobs = new AbortController();
    $(".go").disabled = true;
    $(".stop").hidden = false;
    const { signal } = jobs;
    const results = await Promise.all(sides.map((side) => solveOne(side, question, signal)));
    $(".go").disabled = false;
    $(".stop").hidden = true;
    if (!results.some((result) => result?.values?.length)) return;
    chart.hidden = false;
    const names = sides.map((side) => side.firstElementChild.selectedOptions[0].text);
    const words = chart.querySelectorAll(".legend span:not(.key)");
    names.forEach((name, i) => (words[i].textContent = name));
    const lines = results.map((result) => ({ points: (result?.values ?? []).map((value, i) => [i, value]) }));
    drawChart(chart.querySelector("svg"), lines, { x: "moves made", y: "moves to go", label: `Expected moves to the goal along the solutions of ${names.join(" and ")}` });
  }

  async function solveOne(side, question, signal) {
    const [select, options, outcome] = side.children;
    const { agent } = select.selectedOptions[0];
    const tell = (text) => (outcome.textContent = text);
    tell("Waiting");
    try {
      const report = ({ queued, seconds, note }) => tell(queued !== null ? `Waiting: ${queued} before this` : note ?? `Searching for ${seconds?.toFixed(1) ?? 0} s`);
      const result = await solveThere(question, agent.puzzle, { agent: agent.id, ...readOptions(options) }, report, signal);
      outcome.replaceChildren(...shown(result, question));
      return result;
    } catch (error) {
      tell(error instanceof Cancelled || signal.aborted ? "Cancelled" : error.message);
      return null;
    }
  }

  function shown(result, question) {
    const headline = document.createElement("h3");
    headline.textContent = result.solved ? `${result.moves.length} moves` : "Not solved within the limits";
    const list = document.createElement("dl");
    const optimum = result.optimal ?? (result.proven ? result.moves.length : null);
    const rows = [["nodes", result.nodes.toLocaleString("en")], ["seconds", result.seconds.toFixed(2)]];
    if (optimum !== null) rows.unshift(["shortest possible", optimum]);
    list.append(...rows.flatMap(([term, value]) => [element("dt", term), element("dd", value)]));
    const text = element("p", puzzle.text(puzzle.turns(result.moves.map(question.back))));
    text.className = "notation";
    return [headline, list, text];
  }

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  which.addEventListener("change", choose);
  $(".scramble").addEventListener("click", scramble);
  $(".go").addEventListener("click", solveBoth);
  $(".typed").addEventListener("submit", (event) => {
    event.preventDefault();
    solveBoth();
  });
  $(".stop").addEventListener("click", () => jobs?.abort());
  if (known.length) choose();
  return { open() {}, close() {} };
}
