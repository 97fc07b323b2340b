// Solves in the background, so that the page stays alive. Messages in: {id, puzzle, state, width?, disks?, pegs?} or {cancel: id}; out:
// {loading: share}, {id, progress: {...}}, {id, result: {...}} or {id, error}. One question is answered after another.

import suite from "../build/suite.json" with { type: "json" };
import { makeSolver, RADIUS } from "./beam.js";
import { solve2, solveHanoi } from "./exact.js";

const NAMES = ["U", "R", "F", "D", "L", "B"].flatMap((face) => [face, `${face}'`]);
const PAUSE = 30; // milliseconds between looks at the messages

let solver = null; // a promise
let before = Promise.resolve(); // the answer before
const cancelled = new Set();

self.onmessage = ({ data }) => {
  if ("cancel" in data) cancelled.add(data.cancel);
  else before = before.then(() => answer(data));
};

async function answer(question) {
  const { id } = question;
  try {
    postMessage({ id, result: cancelled.has(id) ? null : await solve(question) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
  cancelled.delete(id);
}

async function solve({ id, puzzle, state, width, disks, pegs }) {
  if (puzzle === "cube3") return solve3(id, state, width);
  const start = performance.now();
  const found = puzzle === "cube2" ? solve2(state) : solveHanoi(disks, pegs, state);
  return { ...found, solved: true, seconds: (performance.now() - start) / 1000, lower: found.moves.length };
}

async function solve3(id, state, width) {
  solver ??= load((share) => postMessage({ loading: share })).catch((error) => {
    solver = null; // the next try loads again
    throw error;
  });
  const { bothWays, costs, inside } = await solver;
  if (state === null) return null; // only to load
  const start = performance.now();
  let last = start;
  const found = await bothWays(state, width, async (way, step, cost, nodes) => {
    if (performance.now() - last > PAUSE) {
      postMessage({ id, progress: { way, step, cost, nodes } });
      await new Promise((resume) => setTimeout(resume));
      last = performance.now();
    }
    return !cancelled.has(id);
  });
  if (found === null) return null; // cancelled
  const seconds = (performance.now() - start) / 1000;
  if (found.moves === null) return { solved: false, moves: [], values: [], nodes: found.nodes, seconds, lower: 0 };
  // Outside of the perimeter a solution is longer than its radius, and quarter turns keep their parity.
  const length = found.moves.length;
  const lower = inside(state) ? length : RADIUS + 1 + ((length - RADIUS - 1) % 2);
  const values = costs(along(state, found.moves));
  return { solved: true, moves: found.moves.map((action) => NAMES[action]), values, nodes: found.nodes, seconds, lower };
}

/** The states from a state on along moves. */
function along(state, moves) {
  const states = [state];
  for (const action of moves) {
    const turn = suite.cubes["3"].turns[action >> 1];
    states.push(states.at(-1).map((at) => (action & 1 ? turn.indexOf(at) : turn[at])));
  }
  return states;
}

async function load(report) {
  const { name, digest, bytes } = suite.tables;
  const [module, npz] = await Promise.all([
    fetched(__WASM__, 0, () => {}),
    fetched(`tables/${name}.npz?v=${digest}`, bytes, report),
  ]);
  try {
    return await makeSolver(module, npz, suite);
  } catch (error) {
    if (error instanceof WebAssembly.CompileError) throw new Error("this browser cannot run the solver: it needs WebAssembly with SIMD");
    throw error;
  }
}

/** The bytes of a file beside this one; report(share) is told how much of them is there. */
async function fetched(name, bytes, report) {
  let response;
  try {
    response = await fetch(new URL(name, self.location.href));
  } catch {
    throw new Error("the trained tables could not be loaded: there is no connection. They are kept once they have been loaded.");
  }
  if (!response.ok) throw new Error(`${name.split("?")[0]} could not be loaded: the server says ${response.status}`);
  const chunks = [];
  let there = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    there += value.length;
    if (bytes) report(Math.min(there / bytes, 1));
  }
  return new Blob(chunks).arrayBuffer();
}
