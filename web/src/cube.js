// Cubes as the page shows them: a list of colours 0..5 (U R F D L B), one per facelet in the order U R F D L B, row by row. The cube may be
// held in any way. Solvers, here and in Python, know a cube held one way, as a list of where its pieces are; `normal` leads there.

import suite from "../build/suite.json" with { type: "json" };

export const FACES = "URFDLB";
export const COLOURS = ["white", "red", "green", "yellow", "orange", "blue"];
const SUFFIX = { 1: "", 2: "2", 3: "'" };

/** What no cube can look like; the message names the fault. */
export class ImpossibleCube extends Error {}

export function makeCube(size) {
  const geometry = suite.cubes[size];
  const { goal, faceletOf, faceOf, centres, rotations, faceRotations } = geometry;
  const facelets = 6 * size * size;
  const perFace = size * size;
  const solved = Array.from({ length: facelets }, (_, i) => Math.floor(i / perFace));

  // permutations[name][i]: where the colour of facelet i goes.
  const permutations = {};
  const identity = solved.map((_, i) => i);
  geometry.turns.forEach((turn, face) => {
    const quarter = [...identity];
    turn.forEach((to, from) => (quarter[faceletOf[from]] = faceletOf[to]));
    const whole = rotations.find((rotation) => quarter.every((to, from) => to === from || rotation[from] === to));
    define(FACES[face], quarter);
    if (face < 3) define("yxz"[face], whole);
  });
  function define(name, quarter) {
    const half = quarter.map((to) => quarter[to]);
    Object.assign(permutations, { [name]: quarter, [`${name}2`]: half, [`${name}'`]: half.map((to) => quarter[to]) });
  }

  function apply(colours, move) {
    const permutation = permutations[move];
    if (!permutation) throw new Error(`no move is called ${move}`);
    const out = [...colours];
    permutation.forEach((to, from) => (out[to] = colours[from]));
    return out;
  }

  const isSolved = (colours) => colours.every((colour, i) => colour === colours[i - (i % perFace)]);

  // Pieces ----------------------------------------------------------------------------------------------------------------

  /** The facelets of the stickers of a piece whose first sticker is at a location, clockwise. */
  function stickers(location) {
    if (location >= 24) return [location, 24 + ((location - 24) ^ 1)].map((at) => faceletOf[at]);
    return [0, 1, 2].map((k) => faceletOf[3 * Math.floor(location / 3) + ((location + k) % 3)]);
  }

  const homes = size === 2 ? [...goal, 21] : goal; // of all pieces; the 2x2x2 holds the last one
  const coloursOf = homes.map((home) => stickers(home).map((facelet) => solved[facelet]));

  /** The colours of a state, a list of where each piece's first sticker is. */
  function fromState(state) {
    const colours = [...solved];
    state.forEach((location, piece) => stickers(location).forEach((at, k) => (colours[at] = coloursOf[piece][k])));
    return colours;
  }

  /**
   * How solvers see a cube: {state, facelets, back}; `back` turns their moves into those of the cube as it is held. Throws an
   * ImpossibleCube as rubiks_gym/puzzles/facelets.py does.
   */
  function normal(colours) {
    for (let colour = 0; colour < 6; colour++) {
      const count = colours.filter((other) => other === colour).length;
      if (count !== perFace) {
        throw new ImpossibleCube(
          `wrong colour count: ${COLOURS[colour]} appears ${count} times, each colour has ${perFace} stickers`,
        );
      }
    }
    const [held, rotation] = heldNormally(colours);
    const state = pieces(held);
    checkPieces(state);
    const names = Object.fromEntries(faceRotations[rotation].map((to, from) => [FACES[to], FACES[from]]));
    return {
      state: state.slice(0, goal.length),
      facelets: held.map((colour) => FACES[colour]).join(""),
      back: (move) => names[move[0]] + move.slice(1),
    };
  }

  function heldNormally(colours) {
    const anchors = size === 3 ? centres : stickers(21);
    for (const [number, rotation] of rotations.entries()) {
      const turned = [];
      rotation.forEach((to, from) => (turned[to] = colours[from]));
      if (anchors.every((at) => turned[at] === solved[at])) return [turned, number];
    }
    if (size === 2) throw new ImpossibleCube("no corner has the colours yellow, orange and blue");
    const shown = centres.map((at) => COLOURS[colours[at]]);
    if (new Set(shown).size < 6) throw new ImpossibleCube(`the centres are ${shown.join(", ")}, but each colour has one centre`);
    throw new ImpossibleCube("the centres do not lie around a cube like white, red, green, yellow, orange and blue do, however it is held");
  }

  function pieces(colours) {
    const state = [];
    for (const home of homes) {
      const shown = stickers(home).map((at) => colours[at]);
      const ways = shown.length;
      const kind = ways === 3 ? "corner" : "edge";
      const named = shown.map((colour) => COLOURS[colour]).join(", ");
      let found = null;
      coloursOf.forEach((own, piece) => {
        for (let k = 0; own.length === ways && k < ways; k++) {
          if (own.every((colour, i) => colour === shown[(i + k) % ways])) found = [piece, k];
        }
      });
      if (found === null) {
        const mirrored = coloursOf.some((own) => own.length === ways && own.every((colour) => shown.includes(colour)));
        const why = mirrored ? "is the mirror image of a real one" : "does not exist";
        throw new ImpossibleCube(`${kind === "edge" ? "an" : "a"} ${kind} with the colours ${named} ${why}`);
      }
      if (state[found[0]] !== undefined) throw new ImpossibleCube(`the ${kind} with the colours ${named} appears twice`);
      state[found[0]] = home + found[1];
    }
    return state;
  }

  function checkPieces(state) {
    const corners = state.slice(0, 8);
    const edges = state.slice(8).map((location) => location - 24);
    if (sum(corners.map((at) => at % 3)) % 3) throw new ImpossibleCube("twisted corner: one corner is turned in its place");
    if (sum(edges.map((at) => at % 2)) % 2) throw new ImpossibleCube("flipped edge: one edge is turned over in its place");
    const odd = isOdd(corners.map((at) => Math.floor(at / 3))) !== isOdd(edges.map((at) => at >> 1));
    if (size === 3 && odd) throw new ImpossibleCube("swapped pair: two pieces are exchanged");
  }

  /** Colours drawn uniformly from all cubes. */
  function random() {
    const corners = shuffled(size === 2 ? 7 : 8);
    const edges = size === 3 ? shuffled(12) : [];
    if (size === 3 && isOdd(corners) !== isOdd(edges)) [edges[0], edges[1]] = [edges[1], edges[0]];
    const turns = (n, ways) => {
      const drawn = Array.from({ length: n }, () => below(ways));
      if (n) drawn[n - 1] = (drawn[n - 1] + ways * n - sum(drawn)) % ways;
      return drawn;
    };
    const twists = turns(corners.length, 3);
    const flips = turns(edges.length, 2);
    return fromState([...corners.map((at, i) => 3 * at + twists[i]), ...edges.map((at, i) => 24 + 2 * at + flips[i])]);
  }

  /** Colours from letters U R F D L B, or W R G Y O B. */
  function parseFacelets(text) {
    const letters = text.replace(/\s+/g, "").toUpperCase();
    const alphabet = /[WGOY]/.test(letters) ? "WRGYOB" : FACES;
    if (letters.length !== facelets) throw new ImpossibleCube(`facelets of a ${size}x${size}x${size} are ${facelets} letters, got ${letters.length}`);
    return [...letters].map((letter) => {
      const colour = alphabet.indexOf(letter);
      if (colour < 0) throw new ImpossibleCube(`facelets are written with the letters ${alphabet}, got ${letter}`);
      return colour;
    });
  }

  const format = (colours) => colours.map((colour) => FACES[colour] ?? ".").join("");

  return { size, solved, facelets, apply, isSolved, normal, fromState, random, parseFacelets, format, permutations };
}

export function invertMove(move) {
  return move.endsWith("2") ? move : move.endsWith("'") ? move[0] : `${move}'`;
}

/** Quarter turns of the same face become one turn: [{move: "R2", quarters: 2}, ...]. */
export function merged(moves) {
  const turns = [];
  for (const move of moves) {
    const before = turns.at(-1);
    if (before && before.move === move && move.length < 3 && !move.endsWith("2")) {
      turns[turns.length - 1] = { move: `${move[0]}2`, quarters: 2 };
    } else {
      turns.push({ move, quarters: move.endsWith("2") ? 2 : 1 });
    }
  }
  return turns;
}

/** A turn of a face by so many quarters, as its name; "" for none. */
export function named(face, quarters) {
  const left = ((quarters % 4) + 4) % 4;
  return left ? face + SUFFIX[left] : "";
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function isOdd(permutation) {
  let odd = false;
  permutation.forEach((a, i) => permutation.slice(i + 1).forEach((b) => (odd = a > b ? !odd : odd)));
  return odd;
}

/** A number drawn uniformly from 0..n - 1. */
export function below(n) {
  const most = 2 ** 32 - (2 ** 32 % n);
  for (;;) {
    const [drawn] = crypto.getRandomValues(new Uint32Array(1));
    if (drawn < most) return drawn % n;
  }
}

function shuffled(n) {
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = below(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
