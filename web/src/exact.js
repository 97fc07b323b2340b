// Small puzzles are solved by their exact distances, counted outwards from the goal in about a second.

import suite from "../build/suite.json" with { type: "json" };
import { hanoiDistances, makeHanoi } from "./hanoi.js";

const NAMES = ["U", "U'", "R", "R'", "F", "F'"]; // the held corner of the 2x2x2 leaves three faces
const ORDERS = 5040;
const TWISTS = 729;

let corners = null; // made when first needed
const towers = new Map();

/** A shortest solution of a 2x2x2 state [7]: {moves, values, nodes}. */
export function solve2(state) {
  corners ??= cornerTables();
  const { orderAfter, twistAfter, distances } = corners;
  let [order, twist] = [orderOf(state), twistOf(state)];
  const moves = [];
  const values = [distances[order * TWISTS + twist]];
  while (values.at(-1) > 0) {
    for (let a = 0; a < 6; a++) {
      const [nextOrder, nextTwist] = [orderAfter[6 * order + a], twistAfter[6 * twist + a]];
      if (distances[nextOrder * TWISTS + nextTwist] === values.at(-1) - 1) {
        moves.push(NAMES[a]);
        [order, twist] = [nextOrder, nextTwist];
        break;
      }
    }
    values.push(distances[order * TWISTS + twist]);
  }
  return { moves, values, nodes: distances.length };
}

/** A shortest solution of towers: {moves, values, nodes}. */
export function solveHanoi(disks, pegs, state) {
  const key = `${disks}-${pegs}`;
  if (!towers.has(key)) towers.set(key, hanoiDistances(disks, pegs));
  const distances = towers.get(key);
  const hanoi = makeHanoi(disks, pegs);
  const numberOf = (at) => at.reduce((number, peg, disk) => number + peg * pegs ** disk, 0);
  const moves = [];
  const values = [distances[numberOf(state)]];
  while (values.at(-1) > 0) {
    const nearer = (move) => hanoi.isLegal(state, move) && distances[numberOf(hanoi.apply(state, move))] === values.at(-1) - 1;
    const move = hanoi.moves.find(nearer);
    moves.push(move);
    state = hanoi.apply(state, move);
    values.push(distances[numberOf(state)]);
  }
  return { moves, values, nodes: distances.length };
}

/**
 * The 2x2x2 as two numbers: which corner is at each of seven positions, and how it is turned there. A turn changes each without regard
 * to the other.
 */
function cornerTables() {
  const { turns } = suite.cubes["2"];
  const quarters = [0, 1, 2].flatMap((face) => [turns[face], turns[face].map((_, at) => turns[face].indexOf(at))]);
  const goes = quarters.map((turn) => Array.from({ length: 7 }, (_, p) => Math.floor(turn[3 * p] / 3)));
  const twisted = quarters.map((turn) => Array.from({ length: 7 }, (_, p) => turn[3 * p] % 3));
  const orderAfter = new Uint16Array(6 * ORDERS);
  const twistAfter = new Uint16Array(6 * TWISTS);
  for (let order = 0; order < ORDERS; order++) {
    const pieces = unrank(order);
    goes.forEach((to, a) => {
      const after = [];
      pieces.forEach((piece, p) => (after[to[p]] = piece));
      orderAfter[6 * order + a] = rank(after);
    });
  }
  for (let twist = 0; twist < TWISTS; twist++) {
    const turned = [];
    for (let p = 0, rest = twist; p < 6; p++, rest = Math.floor(rest / 3)) turned.push(rest % 3);
    turned.push((18 - turned.reduce((a, b) => a + b)) % 3);
    goes.forEach((to, a) => {
      const after = [];
      turned.forEach((t, p) => (after[to[p]] = (t + twisted[a][p]) % 3));
      twistAfter[6 * twist + a] = twistRank(after);
    });
  }
  const distances = new Uint8Array(ORDERS * TWISTS).fill(255);
  const queue = new Uint32Array(ORDERS * TWISTS);
  let [head, tail] = [0, 1];
  queue[0] = rank([0, 1, 2, 3, 4, 5, 6]) * TWISTS;
  distances[queue[0]] = 0;
  while (head < tail) {
    const state = queue[head++];
    const order = (state / TWISTS) | 0;
    const twist = state - order * TWISTS;
    for (let a = 0; a < 6; a++) {
      const next = orderAfter[6 * order + a] * TWISTS + twistAfter[6 * twist + a];
      if (distances[next] === 255) {
        distances[next] = distances[state] + 1;
        queue[tail++] = next;
      }
    }
  }
  return { orderAfter, twistAfter, distances };
}

function orderOf(state) {
  const pieces = [];
  state.forEach((at, piece) => (pieces[Math.floor(at / 3)] = piece));
  return rank(pieces);
}

function twistOf(state) {
  const turned = [];
  state.forEach((at) => (turned[Math.floor(at / 3)] = at % 3));
  return twistRank(turned);
}

const twistRank = (turned) => turned.slice(0, 6).reduceRight((rest, t) => 3 * rest + t, 0);

/** The number of an order of seven pieces: for each, how many of those after it are lower. */
function rank(order) {
  let number = 0;
  for (let i = 0; i < 7; i++) {
    let lower = 0;
    for (let j = i + 1; j < 7; j++) if (order[j] < order[i]) lower++;
    number = number * (7 - i) + lower;
  }
  return number;
}

function unrank(number) {
  const lower = [];
  for (let i = 6; i >= 0; i--) {
    lower[i] = number % (7 - i);
    number = Math.floor(number / (7 - i));
  }
  const left = [0, 1, 2, 3, 4, 5, 6];
  return lower.map((skip) => left.splice(skip, 1)[0]);
}
