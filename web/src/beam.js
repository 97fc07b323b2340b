// The trained tables and the compiled beam search (assembly/beam.ts) as one object.

import { readNpz } from "./npz.js";

export const RADIUS = 6; // of the goal perimeter, as suits the agent in Python
const WITHIN = 983926; // states within that many quarter turns of the goal
const SIZE = 24 ** 5;

/**
 * A solver of the 3x3x3 from the compiled module's bytes, the stored tables and what web/export.py says of them.
 * States are arrays of 20 numbers, moves are numbers 0..11 (U U' R R' F F' D D' L L' B B').
 */
export async function makeSolver(module, npz, suite) {
  const { exports: wasm } = (await WebAssembly.instantiate(module, {})).instance ?? {};
  const { json, weights } = readNpz(npz);
  const { settings } = JSON.parse(new TextDecoder().decode(json));
  const { images } = suite.tables;
  const cube = suite.cubes["3"];
  const scale = Math.fround(settings.scale);
  const bias = Math.fround(settings.bias);

  wasm.prepare(images.length, settings.tables.length, bias, scale);
  const bytes = () => new Uint8Array(wasm.memory.buffer);
  const words = (at, n) => new Uint32Array(wasm.memory.buffer, at, n);
  const contribution = words(wasm.contributionAt(), 20 * 24 * images.length);
  contribution.fill(0);
  images.forEach(({ pieces, places }, k) => {
    pieces.forEach((piece, digit) => {
      for (let v = 0; v < 24; v++) {
        contribution[(24 * piece + v) * images.length + k] = (places[digit].charCodeAt(v) - 97) * 24 ** digit;
      }
    });
  });
  words(wasm.offsetAt(), images.length).set(images.map(({ offset }) => offset));
  for (let face = 0; face < 6; face++) {
    const turn = cube.turns[face];
    bytes().set(turn, wasm.movesAt() + 48 * 2 * face);
    bytes().set(turn.map((_, at) => turn.indexOf(at)), wasm.movesAt() + 48 * (2 * face + 1));
  }
  bytes().set(Array.from({ length: 12 }, (_, action) => action ^ 1), wasm.undoAt());
  bytes().set(cube.goal, wasm.goalAt());

  const stored = wasm.room(SIZE);
  let read = 0;
  settings.tables.forEach((cubies, table) => {
    const corners = cubies.reduce((bits, cubie, digit) => bits | (cubie < 8) << digit, 0);
    const rest = new Uint8Array(weights.buffer, weights.byteOffset + read, Math.min(weights.length - read, SIZE));
    bytes().set(rest, stored);
    read += wasm.spread(table, stored, corners);
  });
  wasm.release(stored);
  if (read !== weights.length) throw new Error(`the tables are damaged: ${weights.length} weights instead of ${read}`);
  const within = wasm.makePerimeter(RADIUS, WITHIN);
  if (within !== WITHIN) throw new Error(`${within} states within ${RADIUS} moves of the goal`);

  const room = wasm.room(20 * 1024);
  const sums = wasm.room(4 * 1024);

  /** Cost-to-go of states, as Python's cost_to_go: 0 at the goal. */
  function costs(states) {
    const out = [];
    for (let start = 0; start < states.length; start += 1024) {
      const some = states.slice(start, start + 1024);
      bytes().set(some.flat(), room);
      wasm.sums(room, some.length, sums);
      out.push(...new Int32Array(wasm.memory.buffer, sums, some.length));
    }
    return out.map((sum, i) => (states[i].every((v, j) => v === cube.goal[j]) ? 0 : Math.fround(bias + scale * sum)));
  }

  /**
   * Search from a state with a beam of a width: {moves or null, nodes}. After every layer `pause(step, cost)` is awaited; when it
   * answers false, the search ends. No solution of more than `atMost` moves is looked for: the first state of a layer to be inside the
   * perimeter is at its rim.
   */
  async function search(state, width, pause, atMost = Infinity) {
    bytes().set(state, room);
    let length = wasm.begin(room, width);
    for (let step = 1; length === -1; step++) {
      length = step + RADIUS > atMost ? -2 : wasm.step();
      if (length === -1 && pause && (await pause(step, wasm.bestCost(), wasm.nodes())) === false) return null;
    }
    const moves = length < 0 ? null : Array.from(bytes().slice(wasm.solutionAt(), wasm.solutionAt() + length));
    return { moves, nodes: wasm.nodes() };
  }

  function inverse(state) {
    bytes().set(state, room);
    wasm.invert(room, room + 32);
    return Array.from(bytes().slice(room + 32, room + 52));
  }

  /** The same from the state and, for what is shorter, from its inverse, whose solution is undone from its end. */
  async function bothWays(state, width, pause = async () => true) {
    const own = await search(state, width, (...at) => pause(0, ...at));
    if (own === null) return null;
    const atMost = own.moves === null ? Infinity : own.moves.length - 1;
    const other = await search(inverse(state), width, (...at) => pause(1, ...at), atMost);
    if (other === null) return null;
    const back = other.moves?.map((action) => action ^ 1).reverse() ?? null;
    const moves = back === null || (own.moves !== null && own.moves.length <= back.length) ? own.moves : back;
    return { moves, nodes: own.nodes + other.nodes };
  }

  /** Whether a state is inside the perimeter, where solutions are shortest. */
  function inside(state) {
    bytes().set(state, room);
    return wasm.distance(room) >= 0;
  }

  return { costs, search, bothWays, inverse, inside };
}
