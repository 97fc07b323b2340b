// The page: what is shown, what the buttons and keys do.

import { CubeView } from "./cube-view.js";
import { drawChart } from "./chart.js";
import { HanoiView } from "./hanoi-view.js";
import { makePainter } from "./painter.js";
import { Player } from "./player.js";
import { cubePuzzle, fromName, hanoiPuzzle, MOST_TOWERS } from "./puzzles.js";
import { Cancelled, serverInfo, solveHere, solveThere, warmUp } from "./solvers.js";
import { makeCompare } from "./compare.js";
import { optionFields, readOptions } from "./options.js";
import { makeRuns } from "./runs.js";

const $ = (id) => document.getElementById(id);
const BEAMS = [
  ["1024", "Quick: beam of 1,024", "Trained tables and a beam search that keeps 1,024 cubes per move, here in your browser."],
  ["4096", "Shorter: beam of 4,096", "Four times the work, for solutions that are a little shorter."],
  ["16384", "Best: beam of 16,384", "Sixteen times the work, a few seconds; as the command rubiks-gym solve does it."],
];
const TURN = 220; // milliseconds of a turn by hand
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

let puzzle = cubePuzzle(3);
let state = puzzle.start;
let undo = []; // states before turns by hand
let painter = null;
let job = null; // {abort} of the search that runs
let found = null; // its result
let tablesAsked = false;
let info = null; // what the server offers

const cubeView = new CubeView($("cube"), (move) => turnByHand(move, true));
const hanoiView = new HanoiView($("towers"), (move) => turnByHand(move));
const view = () => (puzzle.kind === "hanoi" ? hanoiView : cubeView);
const player = new Player(() => showPlayer());

// States ------------------------------------------------------------------------------------------------------------------

function showState() {
  if (puzzle.kind === "hanoi") hanoiView.show(state, puzzle.pegs);
  else cubeView.show(puzzle.cube.size, state);
  describe();
}

function describe() {
  const element = puzzle.kind === "hanoi" ? $("towers") : $("cube");
  element.setAttribute("aria-label", puzzle.describe(state));
  document.body.dataset.state = puzzle.facelets ? puzzle.facelets(state) : state.join(" ");
  $("undo").disabled = !undo.length;
  painter?.set(state);
}

function setState(next, { keep = false } = {}) {
  if (!keep) undo = [];
  state = next;
  fault("");
  trouble("");
  forget();
  showState();
  if (!puzzle.isSolved(state)) getTables();
}

/** The tables are on their way as soon as a 3x3x3 is scrambled or turned, so that nobody waits for them long. */
function getTables() {
  if (tablesAsked || puzzle.kind !== "cube3" || navigator.connection?.saveData) return;
  tablesAsked = true;
  warmUp().catch(() => (tablesAsked = false));
}

/** Drop the solution that is shown: it belongs to another state. */
function forget() {
  job?.abort();
  found = null;
  $("solution").hidden = true;
  if (player.length) player.clear();
}

function turnByHand(move, isThere = false) {
  if (!puzzle.isLegal(state, move)) {
    fault(`${puzzle.shown(move)} is not possible: a disk may not lie on a smaller one.`);
    return;
  }
  fault("");
  player.pause();
  const follows = player.turns[player.at]?.move === move;
  const undoes = player.at > 0 && puzzle.invert(player.turns[player.at - 1].move) === move;
  if (follows || undoes) {
    player.go(player.at + (follows ? 1 : -1), isThere ? 0 : TURN);
    return;
  }
  undo.push(state);
  const next = puzzle.apply(state, move);
  forget();
  state = next;
  if (isThere) showState();
  else view().turn(move, state, TURN);
  describe();
  if (puzzle.isSolved(state)) say("Solved.");
  else getTables();
}

function fault(text) {
  $("fault").textContent = text;
  $("text").setAttribute("aria-invalid", String(Boolean(text)));
  if (text) trouble("");
}

/** The same for what goes wrong in solving. */
function trouble(text) {
  $("trouble").textContent = text;
}

function say(text) {
  $("live").textContent = text;
}

// Puzzles -----------------------------------------------------------------------------------------------------------------

function choosePuzzle(next) {
  forget();
  closePainter();
  puzzle = next;
  for (const radio of document.getElementsByName("puzzle")) radio.checked = radio.value === puzzle.kind;
  const isHanoi = puzzle.kind === "hanoi";
  $("cube").toggleAttribute("hidden", isHanoi);
  $("home").hidden = isHanoi;
  $("towers").toggleAttribute("hidden", !isHanoi);
  $("sizes").hidden = !isHanoi;
  $("paint").hidden = isHanoi;
  $("copy-facelets").hidden = isHanoi;
  $("hint").textContent = puzzle.hint;
  $("text").placeholder = puzzle.placeholder;
  $("text").value = "";
  $("typed-label").textContent = puzzle.typed;
  if (isHanoi) {
    fillSizes();
    [$("disks").value, $("pegs").value] = [puzzle.disks, puzzle.pegs];
  }
  $("pad").replaceChildren(
    ...puzzle.pad.map((move) => button(puzzle.shown(move), () => turnByHand(move), { "aria-label": puzzle.spoken(move) })),
  );
  fillSolvers();
  setState(puzzle.start);
}

function fillSizes() {
  const pegs = Number($("pegs").value) || puzzle.pegs;
  if (!$("pegs").options.length) $("pegs").append(...[3, 4, 5].map((n) => new Option(n, n)));
  const most = Math.min(12, Math.floor(Math.log(MOST_TOWERS) / Math.log(Math.max(pegs, puzzle.pegs)) + 1e-9));
  $("disks").replaceChildren(...Array.from({ length: most - 1 }, (_, i) => new Option(i + 2, i + 2)));
}

function resize() {
  const pegs = Number($("pegs").value);
  const most = Math.floor(Math.log(MOST_TOWERS) / Math.log(pegs) + 1e-9);
  choosePuzzle(hanoiPuzzle(Math.min(Number($("disks").value), most, 12), pegs));
}

const makePuzzle = (kind, { disks = 5, pegs = 3 } = {}) => (kind === "hanoi" ? hanoiPuzzle(disks, pegs) : cubePuzzle(Number(kind[4])));

// Entering a cube ---------------------------------------------------------------------------------------------------------

function openPainter() {
  $("painter").hidden = false;
  $("paint").setAttribute("aria-expanded", "true");
  $("paint").textContent = "Done";
  painter = makePainter($("painter"), puzzle.cube, state, (colours, missing) => {
    undo = [];
    forget();
    state = [...colours];
    fault(missing ? `${missing} ${missing === 1 ? "sticker has" : "stickers have"} no colour yet` : reasonAgainst(state));
    cubeView.show(puzzle.cube.size, state);
    describe();
  });
}

function closePainter() {
  $("painter").hidden = true;
  $("painter").replaceChildren();
  $("paint").setAttribute("aria-expanded", "false");
  $("paint").textContent = "Enter your cube";
  painter = null;
}

/** Why there is no such cube, or "". */
function reasonAgainst(colours) {
  try {
    puzzle.question(colours);
    return "";
  } catch (error) {
    return `No cube looks like this: ${error.message}.`;
  }
}

// Solving -----------------------------------------------------------------------------------------------------------------

/** Solvers of the puzzle that is shown: those of the browser, then the agents of the server. */
function fillSolvers() {
  const here = puzzle.kind === "cube3" ? BEAMS : [["exact", "Exact distances", "Every state is counted from the goal, so the solution is a shortest one."]];
  const options = here.map(([value, title, about]) => Object.assign(new Option(title, value), { about }));
  const groups = [group("In this browser", options)];
  const fitting = (info?.agents ?? []).filter((agent) => fromName(agent.puzzle)?.kind === puzzle.kind);
  if (fitting.length) {
    const title = (agent) => `${agent.title}: ${info.puzzles.find(({ name }) => name === agent.puzzle)?.title ?? agent.puzzle}`;
    const there = fitting.map((agent) => Object.assign(new Option(title(agent), `agent:${agent.id}`), { agent }));
    groups.push(group("On this computer, by Python", there));
  }
  $("who").replaceChildren(...groups);
  showSolver();
}

function group(label, options) {
  const element = document.createElement("optgroup");
  element.label = label;
  element.append(...options);
  return element;
}

function showSolver() {
  const { about, agent } = $("who").selectedOptions[0];
  $("about").textContent = about ?? `${agent.algorithm} on ${agent.puzzle}, searched by Python.`;
  $("options").hidden = !agent;
  $("options").replaceChildren(...(agent ? optionFields(info, agent) : []));
  const size = agent && fromName(agent.puzzle);
  if (size?.kind === "hanoi" && (size.disks !== puzzle.disks || size.pegs !== puzzle.pegs)) {
    const chosen = $("who").value;
    choosePuzzle(hanoiPuzzle(size.disks, size.pegs));
    $("who").value = chosen;
    showSolver();
  }
}

async function solve() {
  if (job) return;
  let question;
  try {
    question = puzzle.question(state);
  } catch (error) {
    trouble(`No cube looks like this: ${error.message}.`);
    return;
  }
  if (puzzle.isSolved(state)) {
    trouble("This is solved already: scramble it first.");
    return;
  }
  player.pause();
  fault("");
  trouble("");
  closePainter();
  job = new AbortController();
  const mine = job;
  const asked = { puzzle, state };
  busy(true);
  const { agent } = $("who").selectedOptions[0];
  try {
    const result = agent
      ? await solveThere(question, agent.puzzle, { agent: agent.id, ...readOptions($("options")) }, report, job.signal)
      : await solveHere(question, Number($("who").value) || 0, report, job.signal);
    if (asked.puzzle === puzzle && asked.state === state) showResult(result, question.back);
  } catch (error) {
    if (error instanceof Cancelled || mine.signal.aborted) say("Cancelled.");
    else trouble(error.message);
  } finally {
    job = null;
    busy(false);
  }
}

function busy(isBusy) {
  $("solve").disabled = isBusy;
  $("cancel").hidden = !isBusy;
  $("progress").hidden = !isBusy;
  $("bar").removeAttribute("value");
  $("doing").textContent = isBusy ? "Thinking" : "";
}

/** Say how a search goes. */
function report({ loading, way, step, cost, nodes, queued, seconds, note }) {
  if (loading !== undefined) {
    $("bar").value = loading;
    $("doing").textContent = `Getting the trained tables, once: ${Math.round(100 * loading)}% of 14.7 MB`;
  } else if (step !== undefined) {
    $("bar").value = Math.min(0.99, (way + Math.min(step / 18, 1)) / 2);
    const about = way ? "the inverse cube" : "the cube";
    $("doing").textContent = `From ${about}: ${step} moves deep, ${nodes.toLocaleString("en")} cubes looked at, about ${Math.max(1, Math.round(cost))} to go`;
  } else if (queued !== null && queued !== undefined) $("doing").textContent = `Waiting: ${queued} before this`;
  else $("doing").textContent = note ?? `Searching for ${seconds?.toFixed(1) ?? 0} s`;
}

function showResult(result, back) {
  found = result;
  const card = $("solution");
  card.hidden = false;
  if (!result.solved) {
    $("headline").textContent = "Not solved within the limits";
    $("facts").replaceChildren(...facts([["nodes", result.nodes.toLocaleString("en")], ["seconds", result.seconds.toFixed(2)]]));
    $("moves").replaceChildren();
    card.querySelector("figure").hidden = true;
    say("Not solved.");
    return;
  }
  const moves = result.moves.map(back);
  const turns = puzzle.turns(moves);
  player.load(puzzle, view(), state, turns);
  const length = turns.reduce((sum, { quarters }) => sum + quarters, 0);
  const hasHalf = turns.length !== moves.length || moves.some((move) => move.endsWith("2"));
  $("headline").textContent = `Solved in ${moves.length} ${moves.length === length ? puzzle.unit(length) : "turns"}`;
  const optimum = result.optimal ?? (result.lower && result.lower >= moves.length ? moves.length : null);
  $("facts").replaceChildren(
    ...facts([
      hasHalf && puzzle.kind !== "hanoi" && ["half turns counted once", `${turns.length} turns`],
      optimum !== null && ["shortest possible", optimum === moves.length ? `${optimum}: this is one` : optimum],
      optimum === null && result.lower > 8 && ["at least", `${result.lower} are needed`],
      [puzzle.kind === "cube3" || $("who").value.startsWith("agent") ? "nodes" : "states counted", result.nodes.toLocaleString("en")],
      ["seconds", result.seconds < 0.01 ? "less than 0.01" : result.seconds.toFixed(2)],
    ]),
  );
  $("moves").replaceChildren(
    ...turns.map(({ move }, i) => {
      const item = document.createElement("li");
      item.append(button(puzzle.shown(move), () => jump(i + 1), { "aria-label": puzzle.spoken(move) }));
      return item;
    }),
  );
  card.querySelector("figure").hidden = !result.values?.length;
  showPlayer();
  say(`Solved in ${moves.length} ${puzzle.unit(moves.length)}.`);
  if (!still.matches) player.play(interval);
}

function facts(rows) {
  return rows.filter(Boolean).flatMap(([term, value]) => {
    const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
    [dt.textContent, dd.textContent] = [term, value];
    return [dt, dd];
  });
}

function button(text, action, attributes = {}) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  element.addEventListener("click", action);
  return element;
}

// Playing -----------------------------------------------------------------------------------------------------------------

function showPlayer() {
  const { length, at, isPlaying } = player;
  for (const id of ["first", "back"]) $(id).disabled = !length || at === 0;
  for (const id of ["forward", "last"]) $(id).disabled = !length || at === length;
  $("play").disabled = !length;
  $("play").classList.toggle("playing", isPlaying);
  $("play").querySelector(".hidden").textContent = isPlaying ? "Pause" : "Play";
  $("scrub").disabled = !length;
  $("scrub").max = length;
  $("scrub").value = at;
  $("scrub").setAttribute("aria-valuetext", `${at} of ${length} moves`);
  $("position").textContent = `${at} / ${length}`;
  if (!length) return;
  state = player.state;
  describe();
  [...$("moves").children].forEach((item, i) => {
    item.classList.toggle("done", i < at);
    if (i === at - 1) item.firstChild.setAttribute("aria-current", "step");
    else item.firstChild.removeAttribute("aria-current");
  });
  if (found?.values?.length) {
    const mark = player.turns.slice(0, at).reduce((sum, { quarters }) => sum + quarters, 0);
    const perMove = found.moves.length === player.turns.length ? at : mark;
    const { values } = found;
    const label = `Expected moves to the goal, from ${values[0].toFixed(1)} at the start to ${values.at(-1).toFixed(1)}; now ${values[perMove]?.toFixed(1)}`;
    drawChart($("values"), [{ points: values.map((value, i) => [i, value]) }], { x: "moves made", y: "moves to go", mark: perMove, label });
  }
}

const interval = () => Number($("speed").value);

function jump(at) {
  player.pause();
  player.go(at, Math.min(TURN, interval()));
}

function togglePlay() {
  if (player.isPlaying) player.pause();
  else player.play(interval);
}

// Buttons and keys --------------------------------------------------------------------------------------------------------

function scramble() {
  let next;
  do next = puzzle.random();
  while (puzzle.isSolved(next));
  setState(next);
  say("Scrambled.");
}

function takeBack() {
  if (!undo.length) return;
  const rest = undo.slice(0, -1);
  setState(undo.at(-1), { keep: true });
  undo = rest;
  describe();
}

async function copy(text, from) {
  try {
    await navigator.clipboard.writeText(text);
    const before = from.textContent;
    from.textContent = "Copied";
    setTimeout(() => (from.textContent = before), 1200);
    say("Copied.");
  } catch {
    fault(`Copying is not allowed here; the text is: ${text}`);
  }
}

$("scramble").addEventListener("click", scramble);
$("reset").addEventListener("click", () => setState(puzzle.start));
$("undo").addEventListener("click", takeBack);
$("paint").addEventListener("click", () => (painter ? closePainter() : openPainter()));
$("solve").addEventListener("click", solve);
$("cancel").addEventListener("click", () => job?.abort());
$("who").addEventListener("change", showSolver);
$("first").addEventListener("click", () => jump(0));
$("back").addEventListener("click", () => jump(player.at - 1));
$("play").addEventListener("click", togglePlay);
$("forward").addEventListener("click", () => jump(player.at + 1));
$("last").addEventListener("click", () => jump(player.length));
$("scrub").addEventListener("input", () => jump(Number($("scrub").value)));
$("copy").addEventListener("click", () => copy(puzzle.text(player.turns), $("copy")));
$("copy-facelets").addEventListener("click", () => copy(puzzle.facelets(state), $("copy-facelets")));
$("home").addEventListener("click", () => cubeView.home());
$("help").addEventListener("click", () => $("keys").showModal());
$("disks").addEventListener("change", resize);
$("pegs").addEventListener("change", resize);
$("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  try {
    setState(puzzle.read($("text").value));
    say("Set.");
    (puzzle.kind === "hanoi" ? $("towers") : $("cube")).focus({ preventScroll: true }); // so that keys turn it
  } catch (error) {
    fault(`${error.message}.`);
  }
});
for (const radio of document.getElementsByName("puzzle")) radio.addEventListener("change", () => choosePuzzle(makePuzzle(radio.value)));

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const isTyping = target.matches?.("input:not([type=radio]):not([type=range]), textarea, select");
  if (isTyping || event.ctrlKey || event.metaKey || $("keys").open) return;
  const isButton = target.matches?.("button, a, input");
  const letter = key.length === 1 ? key.toUpperCase() : key;
  const isShift = event.shiftKey;
  const does = () => {
    if (event.altKey) {
      const way = { ArrowLeft: [0.2, 0], ArrowRight: [-0.2, 0], ArrowUp: [0, 0.2], ArrowDown: [0, -0.2] }[key];
      return way && puzzle.kind !== "hanoi" && (() => cubeView.orbit(...way));
    }
    if (key === "?") return () => $("keys").showModal();
    if (key === "Escape") return () => job?.abort();
    if (key === "Enter" && !isButton) return solve;
    if (key === " " && !isButton) return togglePlay;
    if (letter === "S") return scramble;
    if (key === "Backspace") return takeBack;
    if (target.matches?.("input")) return null; // arrows belong to it
    if (key === "ArrowLeft") return () => jump(player.at - 1);
    if (key === "ArrowRight") return () => jump(player.at + 1);
    if (key === "Home") return () => jump(0);
    if (key === "End") return () => jump(player.length);
    if (puzzle.kind === "hanoi") {
      const peg = /^[1-9]$/.test(key) ? Number(key) - 1 : /^[A-H]$/.test(letter) ? "ABCDEFGH".indexOf(letter) : -1;
      return peg >= 0 && (() => hanoiView.choose(peg));
    }
    if (key === "0") return () => cubeView.home();
    if (/^[URFDLB]$/.test(letter)) return () => turnByHand(letter + (isShift ? "'" : ""));
    if (/^[XYZ]$/.test(letter)) return () => turnByHand(letter.toLowerCase() + (isShift ? "'" : ""));
    return null;
  };
  const action = document.body.dataset.view === "solve" || key === "?" ? does() : null;
  if (!action) return;
  event.preventDefault();
  action();
});

// Light and dark ----------------------------------------------------------------------------------------------------------

function showTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

$("theme").addEventListener("click", () => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  localStorage.setItem("theme", next);
  showTheme(next);
});

// Views -------------------------------------------------------------------------------------------------------------------

const views = { compare: null, runs: null };

function showView(name) {
  document.body.dataset.view = name;
  for (const tab of $("views").children) {
    if (tab.dataset.view === name) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  $("stage").hidden = $("panel").hidden = name !== "solve";
  $("puzzles").hidden = name !== "solve";
  for (const other of ["compare", "runs"]) {
    $(other).hidden = other !== name;
    if (other === name) views[other] ??= other === "compare" ? makeCompare($("compare"), info, puzzle) : makeRuns($("runs"));
    views[other]?.[other === name ? "open" : "close"]();
  }
}

for (const tab of $("views").children) tab.addEventListener("click", () => showView(tab.dataset.view));

if (window.matchMedia("(max-width: 860px)").matches) $("buttons").open = false;
showTheme(localStorage.getItem("theme"));
document.body.dataset.view = "solve";
choosePuzzle(puzzle);
info = await serverInfo();
if (info) {
  $("views").hidden = false;
  fillSolvers();
}
$("where").textContent = info
  ? `rubiks-gym ${info.version}, served on this computer. Every agent and search of the suite can be chosen.`
  : `rubiks-gym ${__VERSION__}. Everything runs in this browser; nothing is sent anywhere.`;
document.body.dataset.ready = info ? "server" : "static";
if ("serviceWorker" in navigator) navigator.serviceWorker.register("sw.js").catch(() => {});
