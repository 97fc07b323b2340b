// Towers of Hanoi: a state lists the peg of each disk, smallest first; the goal is every disk on the last peg. A move "ab" takes the top
// disk of peg a to peg b.

import { below } from "./cube.js";

export function makeHanoi(disks, pegs) {
  const moves = [];
  for (let a = 0; a < pegs; a++) for (let b = 0; b < pegs; b++) if (a !== b) moves.push(`${a}${b}`);
  const goal = Array(disks).fill(pegs - 1);
  const top = (state, peg) => state.indexOf(peg); // -1: none

  function isLegal(state, move) {
    const from = top(state, Number(move[0]));
    const onto = top(state, Number(move[1]));
    return moves.includes(move) && from >= 0 && (onto < 0 || from < onto);
  }

  function apply(state, move) {
    if (!isLegal(state, move)) throw new Error(`the top disk of peg ${Number(move[0]) + 1} cannot go to peg ${Number(move[1]) + 1}`);
    const next = [...state];
    next[top(state, Number(move[0]))] = Number(move[1]);
    return next;
  }

  return {
    disks,
    pegs,
    goal,
    start: Array(disks).fill(0),
    moves,
    isLegal,
    apply,
    isSolved: (state) => state.every((peg) => peg === pegs - 1),
    random: () => Array.from({ length: disks }, () => below(pegs)),
  };
}

/** The exact distance [pegs^disks] of every state from the goal; a state's number has its pegs as digits, the smallest disk's lowest. */
export function hanoiDistances(disks, pegs) {
  const size = pegs ** disks;
  const weight = Array.from({ length: disks }, (_, disk) => pegs ** disk);
  const distances = new Int32Array(size).fill(-1);
  const queue = new Int32Array(size);
  let [head, tail] = [0, 1];
  queue[0] = size - 1;
  distances[size - 1] = 0;
  const tops = new Int32Array(pegs);
  while (head < tail) {
    const state = queue[head++];
    tops.fill(-1);
    for (let disk = disks - 1; disk >= 0; disk--) tops[Math.floor(state / weight[disk]) % pegs] = disk;
    for (let a = 0; a < pegs; a++) {
      for (let b = 0; b < pegs; b++) {
        if (tops[a] < 0 || (tops[b] >= 0 && tops[b] <= tops[a])) continue;
        const next = state + (b - a) * weight[tops[a]];
        if (distances[next] < 0) {
          distances[next] = distances[state] + 1;
          queue[tail++] = next;
        }
      }
    }
  }
  return distances;
}
