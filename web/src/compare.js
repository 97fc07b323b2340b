// Two agents on the same scramble, side by side: they are played together, and compared by lengths, nodes, seconds, and what each
// expects of every state on its way.

import { drawChart } from "./chart.js";
import { CubeView } from "./cube-view.js";
import { HanoiView } from "./hanoi-view.js";
import { optionFields, readOptions } from "./options.js";
import { Player } from "./player.js";
import { cubePuzzle, fromName, hanoiPuzzle } from "./puzzles.js";
import { Cancelled, solveThere } from "./solvers.js";

const SIDE = `
  <div class="picture"><canvas tabindex="0" role="img"></canvas><svg tabindex="0" role="img" hidden></svg></div>
  <select class="agent"></select>
  <div class="options row"></div>
  <div class="outcome" role="status"></div>`;

const PAGE = `
  <div class="card">
    <h2>Two agents, one scramble</h2>
    <div class="row">
      <label>Puzzle <select class="which"></select></label>
      <button type="button" class="scramble">New scramble</button>
      <button type="button" class="primary go">Solve with both</button>
      <button type="button" class="stop" hidden>Cancel</button>
      <button type="button" class="play" disabled>Play both</button>
    </div>
    <form class="row typed">
      <label class="grow"><span>Scramble</span><input type="text" class="start" autocomplete="off" autocapitalize="off" spellcheck="false"></label>
      <button type="submit">Set</button>
    </form>
    <p class="fault" role="alert"></p>
  </div>
  <div class="pair">
    <div class="card side" role="group" aria-label="First agent">${SIDE}</div>
    <div class="card side" role="group" aria-label="Second agent">${SIDE}</div>
  </div>
  <div class="card expected" hidden>
    <h2>What each expects on its way</h2>
    <p class="legend" aria-hidden="true"><span class="key"></span><span></span><span class="key line1"></span><span></span></p>
    <svg class="chart"></svg>
  </div>`;

/** Fill a section; `shown` is the puzzle that the page shows, which is the first to be compared. */
export function makeCompare(section, info, shown) {
  section.innerHTML = PAGE;
  const $ = (selector) => section.querySelector(selector);
  const known = info.puzzles.filter(({ name }) => fromName(name) && info.agents.some((agent) => agent.puzzle === name));
  const which = $(".which");
  let puzzle = null;
  let state = null;
  let jobs = null;
  const sides = [...section.querySelectorAll(".side")].map(makeSide);
  which.append(...known.map(({ name, title }) => new Option(title ?? name, name)));
  which.value = known.find(({ kind }) => kind === shown.kind)?.name ?? known[0]?.name;

  function makeSide(element) {
    const $side = (selector) => element.querySelector(selector);
    const nobody = () => {}; // turned by the agents alone
    const side = {
      agents: $side(".agent"),
      options: $side(".options"),
      outcome: $side(".outcome"),
      pictures: { cube: $side("canvas"), towers: $side("svg") },
      cube: new CubeView($side("canvas"), nobody, { canTurn: false }),
      towers: new HanoiView($side("svg"), nobody, { canMove: false }),
      player: new Player(() => show(side)),
    };
    side.agents.addEventListener("change", () => side.options.replaceChildren(...optionFields(info, side.agent)));
    Object.defineProperty(side, "agent", { get: () => side.agents.selectedOptions[0].agent });
    Object.defineProperty(side, "view", { get: () => (puzzle.kind === "hanoi" ? side.towers : side.cube) });
    return side;
  }

  /** What a side's picture is called: who solves what, and how far it is. */
  function show(side) {
    if (!puzzle) return;
    const { at, length } = side.player;
    const text = `${puzzle.title}, ${side.agents.selectedOptions[0]?.text ?? ""}, ${at} of ${length} moves made`;
    for (const picture of Object.values(side.pictures)) picture.setAttribute("aria-label", text);
  }

  function choose() {
    const { kind, disks, pegs } = fromName(which.value);
    puzzle = kind === "hanoi" ? hanoiPuzzle(disks, pegs) : cubePuzzle(Number(kind[4]));
    const agents = info.agents.filter((agent) => agent.puzzle === which.value);
    sides.forEach((side, i) => {
      side.agents.setAttribute("aria-label", `Agent ${i + 1}`);
      side.agents.replaceChildren(...agents.map((agent) => Object.assign(new Option(agent.title, agent.id), { agent })));
      side.agents.selectedIndex = agents[i] && !agents[i].id.startsWith("random:") ? i : 0; // chance is a poor rival
      side.options.replaceChildren(...optionFields(info, side.agent));
      side.pictures.cube.toggleAttribute("hidden", kind === "hanoi");
      side.pictures.towers.toggleAttribute("hidden", kind !== "hanoi");
    });
    scramble();
  }

  function scramble() {
    let next;
    do next = puzzle.random();
    while (puzzle.isSolved(next));
    $(".start").value = puzzle.facelets ? puzzle.facelets(next) : next.join(" ");
    set(next);
  }

  /** Show a state on both sides, with nothing solved. */
  function set(next) {
    state = next;
    jobs?.abort();
    $(".fault").textContent = "";
    $(".expected").hidden = true;
    $(".play").disabled = true;
    for (const side of sides) {
      side.player.clear();
      side.outcome.replaceChildren();
      if (puzzle.kind === "hanoi") side.view.show(state, puzzle.pegs);
      else side.view.show(puzzle.cube.size, state);
      show(side);
    }
  }

  function read() {
    try {
      const next = puzzle.read($(".start").value);
      puzzle.question(next);
      if (puzzle.isSolved(next)) throw new Error("this is solved already");
      set(next);
      return true;
    } catch (error) {
      $(".fault").textContent = `${error.message}.`;
      return false;
    }
  }

  async function solveBoth() {
    if (!read()) return;
    const question = puzzle.question(state);
    jobs = new AbortController();
    const { signal } = jobs;
    $(".go").disabled = true;
    $(".stop").hidden = false;
    const results = await Promise.all(sides.map((side) => solveOne(side, question, signal)));
    $(".go").disabled = false;
    $(".stop").hidden = true;
    if (signal.aborted) return;
    $(".play").disabled = !results.some((result) => result?.solved);
    if (!results.some((result) => result?.values?.length)) return;
    $(".expected").hidden = false;
    const outcome = (result) => (result?.solved ? `${result.moves.length} moves` : "not solved");
    const names = sides.map((side, i) => `${side.agents.selectedOptions[0].text}, ${results[i]?.search ?? "no search"}: ${outcome(results[i])}`);
    const words = section.querySelectorAll(".legend span:not(.key)");
    names.forEach((name, i) => (words[i].textContent = name));
    const lines = results.map((result) => ({ points: (result?.values ?? []).map((value, i) => [i, value]) }));
    const label = `Expected moves to the goal along the solutions of ${names.join(" and ")}`;
    drawChart($(".chart"), lines, { x: "moves made", y: "moves to go", label });
  }

  async function solveOne(side, question, signal) {
    const tell = (text) => (side.outcome.textContent = text);
    tell("Waiting");
    const report = ({ queued, seconds, note }) =>
      tell(queued !== null ? `Waiting: ${queued} before this` : (note ?? `Searching for ${seconds?.toFixed(1) ?? 0} s`));
    try {
      const choice = { agent: side.agent.id, ...readOptions(side.options) };
      const result = await solveThere(question, side.agent.puzzle, choice, report, signal);
      const turns = puzzle.turns(result.moves.map(question.back));
      if (result.solved) side.player.load(puzzle, side.view, state, turns);
      side.outcome.replaceChildren(...told(result, turns));
      return result;
    } catch (error) {
      tell(error instanceof Cancelled || signal.aborted ? "Cancelled" : error.message);
      return null;
    }
  }

  function told(result, turns) {
    const optimum = result.optimal ?? (result.proven ? result.moves.length : null);
    const rows = [["nodes", result.nodes.toLocaleString("en")], ["seconds", result.seconds.toFixed(2)]];
    if (optimum !== null) rows.unshift(["shortest possible", optimum]);
    const list = document.createElement("dl");
    list.append(...rows.flatMap(([term, value]) => [element("dt", term), element("dd", value)]));
    const text = element("p", puzzle.text(turns));
    text.className = "notation";
    return [element("h3", result.solved ? `${result.moves.length} moves` : "Not solved within the limits"), list, text];
  }

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  which.addEventListener("change", choose);
  $(".scramble").addEventListener("click", scramble);
  $(".go").addEventListener("click", solveBoth);
  $(".play").addEventListener("click", () => sides.forEach(({ player }) => player.play(() => 400)));
  $(".stop").addEventListener("click", () => jobs?.abort());
  $(".typed").addEventListener("submit", (event) => {
    event.preventDefault();
    read();
  });
  if (known.length) choose();
  else $(".fault").textContent = "There are no agents to compare.";
  return {
    open() {},
    close() {
      sides.forEach(({ player }) => player.pause());
    },
  };
}
