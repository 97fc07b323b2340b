// What the page can show: each puzzle with its states, moves, words and how a solver is asked about it.

import { COLOURS, FACES, invertMove, makeCube, merged } from "./cube.js";
import { makeHanoi } from "./hanoi.js";
import { parseMoves } from "./notation.js";

export const MOST_TOWERS = 1_000_000; // states of Hanoi that are counted in the browser
const FACE_NAMES = ["up", "right", "front", "down", "left", "back"];

export function cubePuzzle(size) {
  const cube = makeCube(size);
  const title = `${size}×${size}×${size}`;
  return {
    kind: `cube${size}`,
    title,
    cube,
    start: cube.solved,
    unit: (n) => (n === 1 ? "quarter turn" : "quarter turns"),
    pad: [...FACES].flatMap((face) => [face, `${face}'`]),
    random: cube.random,
    apply: cube.apply,
    isLegal: (_, move) => move in cube.permutations,
    isSolved: cube.isSolved,
    invert: invertMove,
    turns: merged,
    text: (moves) => moves.map(({ move }) => move).join(" "),
    shown: (move) => move,
    spoken: (move) => (move.length === 1 ? move : `${move}, ${move[0]} ${move.endsWith("2") ? "twice" : "prime"}`),
    /** A state from moves, which start at the solved cube, or from facelets. */
    read(text) {
      const bare = text.replace(/\s+/g, "");
      const isFacelets = /^[URFDLBWGOY]+$/i.test(bare) && bare.length >= 0.75 * cube.facelets;
      const state = isFacelets ? cube.parseFacelets(text) : parseMoves(text).reduce(cube.apply, cube.solved);
      cube.normal(state); // throws if there is no such cube
      return state;
    },
    /** What a solver is asked: for the worker, for the server, and how its moves are made on the cube as it is held. */
    question(state) {
      const { state: pieces, facelets, back } = cube.normal(state);
      return { worker: { puzzle: `cube${size}`, state: pieces }, server: { facelets }, back };
    },
    describe(state) {
      if (cube.isSolved(state)) return `${title} cube, solved`;
      const sides = FACE_NAMES.map((name, face) => {
        const own = state.slice(face * size * size, (face + 1) * size * size);
        return `${name}: ${own.map((colour) => COLOURS[colour] ?? "no colour").join(" ")}`;
      });
      return `${title} cube. ${sides.join("; ")}`;
    },
    facelets: cube.format,
    hint: "Drag a side to turn it, drag beside the cube to look around.",
    placeholder: `R U R' U'  or  ${cube.facelets} letters URFDLB`,
    typed: "Moves or facelets",
  };
}

export function hanoiPuzzle(disks, pegs) {
  const hanoi = makeHanoi(disks, pegs);
  const peg = (digit) => "ABCDEFGH"[digit];
  const start = hanoi.start;
  return {
    kind: "hanoi",
    title: `Hanoi, ${disks} disks, ${pegs} pegs`,
    disks,
    pegs,
    start,
    unit: (n) => (n === 1 ? "move" : "moves"),
    pad: pegs <= 4 ? hanoi.moves : [],
    random: hanoi.random,
    apply: hanoi.apply,
    isLegal: hanoi.isLegal,
    isSolved: hanoi.isSolved,
    invert: (move) => move[1] + move[0],
    turns: (moves) => moves.map((move) => ({ move, quarters: 1 })),
    text: (moves) => moves.map(({ move }) => move).join(" "),
    shown: (move) => `${peg(move[0])}→${peg(move[1])}`,
    spoken: (move) => `${peg(move[0])}→${peg(move[1])}, from peg ${peg(move[0])} to peg ${peg(move[1])}`,
    /** A state from moves ("AC AB", or "02 01"), which start with all disks on the first peg, or from the peg of every disk. */
    read(text) {
      const words = text.trim().toUpperCase().replace(/->|→/g, "").split(/[\s,]+/).filter(Boolean);
      const digits = words.map((word) => word.replace(/[A-H]/g, (letter) => "ABCDEFGH".indexOf(letter)));
      const wrong = digits.findIndex((word) => ![...word].every((digit) => digit >= "0" && Number(digit) < pegs));
      if (wrong >= 0) throw new Error(`cannot read “${words[wrong]}”: the pegs are ${[...Array(pegs).keys()].map(peg).join(" ")}`);
      if (digits.length && digits.every((word) => word.length === 1)) {
        if (digits.length !== disks) throw new Error(`there are ${disks} disks, but ${digits.length} pegs are given`);
        return digits.map(Number);
      }
      const long = words.find((word, i) => digits[i].length !== 2 || digits[i][0] === digits[i][1]);
      if (long) throw new Error(`cannot read “${long}”: a move is two different pegs, such as AC`);
      return digits.reduce(hanoi.apply, start);
    },
    question: (state) => ({ worker: { puzzle: "hanoi", state, disks, pegs }, server: { state }, back: (move) => move }),
    describe: (state) =>
      hanoi.isSolved(state)
        ? `Towers of Hanoi, ${disks} disks, solved`
        : `Towers of Hanoi. ${[...Array(pegs).keys()].map((p) => `Peg ${peg(p)}: ${pile(state, p)}`).join("; ")}`,
    facelets: null,
    hint: "Click a peg to take its top disk, then the peg it goes to. All disks go to the last peg.",
    placeholder: `AC AB CB  or the peg of every disk: ${Array(disks).fill("A").join(" ")}`,
    typed: "Moves or pegs",
  };
}

function pile(state, peg) {
  const disks = state.flatMap((at, disk) => (at === peg ? [`disk ${disk + 1}`] : []));
  return disks.length ? disks.join(", ") : "empty";
}

/** The puzzle of a name in the suite, such as "rubik3x3-qtm" or "hanoi-5-3", as {kind, disks?, pegs?}; null if there is no picture of it. */
export function fromName(name) {
  const cube = /^rubik([23])x\1-/.exec(name);
  if (cube) return { kind: `cube${cube[1]}` };
  const towers = /^hanoi-(\d+)-(\d+)$/.exec(name);
  return towers && towers[1] <= 12 && towers[2] <= 8 ? { kind: "hanoi", disks: Number(towers[1]), pegs: Number(towers[2]) } : null;
}
