// Moves as people write them: Singmaster's letters, wide and slice turns, rotations of the whole cube, and what cubing.js adds to them
// (repetitions, commutators, remarks). Everything becomes turns of faces and rotations.

import { Alg } from "cubing/alg";

// What a turn of several layers is made of: turns of other faces and rotations, the latter last.
const MADE_OF = {
  M: [["R", 1], ["L", -1], ["x", -1]],
  E: [["U", 1], ["D", -1], ["y", -1]],
  S: [["F", -1], ["B", 1], ["z", 1]],
  u: [["D", 1], ["y", 1]],
  r: [["L", 1], ["x", 1]],
  f: [["B", 1], ["z", 1]],
  d: [["U", 1], ["y", -1]],
  l: [["R", 1], ["x", -1]],
  b: [["F", 1], ["z", -1]],
};
const TOKEN = /(?:[URFDLB]w?|[urfdlbMESxyz])[0-9]*'?/g;

/** Turns and rotations such as ["R", "U'", "F2", "x"] from a text; an Error says what cannot be read. */
export function parseMoves(text) {
  const clean = text.replace(/\/\/.*$/gm, "").replace(/[’′`´]/g, "'");
  const apart = clean.replace(TOKEN, " $& "); // letters that run together
  let leaves;
  try {
    leaves = [...new Alg(apart.replace(/\s+/g, " ").trim()).experimentalLeafMoves()];
  } catch (fault) {
    throw new Error(`cannot read “${shortened(text)}”: ${fault.message}`);
  }
  return leaves.flatMap((leaf) => {
    const name = /^[URFDLB]w$/.test(leaf.family) ? leaf.family[0].toLowerCase() : leaf.family;
    const isKnown = leaf.innerLayer == null && (name in MADE_OF || /^[URFDLBxyz]$/.test(name));
    if (!isKnown) {
      throw new Error(`cannot read “${leaf}” in “${shortened(text)}”: a turn is one of U R F D L B, then nothing, ' or 2; also wide (r, Rw), slice (M E S) and whole-cube (x y z) turns`);
    }
    return (MADE_OF[name] ?? [[name, 1]]).map(([letter, sign]) => turnBy(letter, sign * leaf.amount)).filter(Boolean);
  });
}

function turnBy(letter, amount) {
  return [null, letter, `${letter}2`, `${letter}'`][((amount % 4) + 4) % 4];
}

const shortened = (text) => (text.length <= 60 ? text : `${text.slice(0, 57)}...`);
