// Lets a test ask the page's own code: node answer.mjs TABLES.npz BEAM.wasm < questions.json > answers.json. Each question is [function, ...arguments];
// the answer is what it returns, or {error}.

import { readFileSync } from "node:fs";
import { cube3x3x3 } from "cubing/puzzles";
import suite from "../build/suite.json" with { type: "json" };
import { makeSolver } from "../src/beam.js";
import { makeCube } from "../src/cube.js";
import { solve2, solveHanoi } from "../src/exact.js";
import { parseMoves } from "../src/notation.js";
import { cubePuzzle, hanoiPuzzle } from "../src/puzzles.js";

const [tables, wasm] = process.argv.slice(2);
let loaded = null; // a promise
const solver = () => (loaded ??= load());
function load() {
  const npz = readFileSync(tables);
  return makeSolver(readFileSync(wasm), npz.buffer.slice(npz.byteOffset, npz.byteOffset + npz.byteLength), suite);
}
const cubes = { 2: makeCube(2), 3: makeCube(3) };

const functions = {
  costs: async (states) => (await solver()).costs(states),
  search: async (state, width) => (await solver()).search(state, width),
  bothWays: async (state, width) => (await solver()).bothWays(state, width),
  inverse: async (state) => (await solver()).inverse(state),
  solve2,
  solveHanoi,
  read: (size, text) => cubes[size].format(cubePuzzle(size).read(text)),
  /** The facelets, the pieces and the solver's facelets of a cube, and what its moves R and U become. */
  normal(size, text) {
    const { state, facelets, back } = cubes[size].normal(cubes[size].parseFacelets(text));
    return { state, facelets, back: "URFDLB".split("").map(back).join("") };
  },
  random: (size) => cubes[size].format(cubes[size].random()),
  facelets: (size, state) => cubes[size].format(cubes[size].fromState(state)),
  hanoi: (disks, pegs, text) => hanoiPuzzle(disks, pegs).read(text),
  /** Whether two texts lead to the same cube for cubing.js, whole-cube rotations included. */
  async sameForCubing(text, other) {
    const kpuzzle = await cube3x3x3.kpuzzle();
    return kpuzzle.algToTransformation(text).isIdentical(kpuzzle.algToTransformation(other));
  },
  parse: (text) => parseMoves(text).join(" "),
};

const answers = [];
for (const [name, ...given] of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    answers.push((await functions[name](...given)) ?? null);
  } catch (error) {
    answers.push({ error: error.message });
  }
}
process.stdout.write(JSON.stringify(answers));
