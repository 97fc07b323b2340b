// Beam search over the 3x3x3 with a symmetric n-tuple network, as rubiks_gym/search/beam.py does it with a decomposed
// heuristic: the same children in the same order, the same roundings, so the same solutions and the same number of nodes.
//
// Memory is handed out once, by `prepare`, and read through plain addresses. A state is 20 bytes: 8 corners at 0..23, 12 edges at
// 24..47. Letters: S state (20), A actions (12), L look-ups, W width of the beam, N states stored.

const S: usize = 20;
const A: usize = 12;
const TABLE: i32 = 7962624; // 24^5, weights of a table
const CHILDREN: i32 = 3; // made per state kept
const LIKE_PARENT: f32 = <f32>(2.0 / 3.0); // how much of its parent's second half a child is expected to have
const CHUNK: i32 = 4096 * 12; // children that are counted together
const MOST_STEPS: i32 = 100;
const BITS: u32 = 11; // of a radix

// What is read ------------------------------------------------------------------------------------------------------------

let L: usize = 0;
let bias: f64 = 0;
let scale: f64 = 0;
let contribution: usize = 0; // [20, 24, L] u32, what piece i at place v adds to index k
let offset: usize = 0; // [L] u32, where the table of look-up k begins
let weights: usize = 0; // [tables * 24^5] i8
let moves: usize = 0; // [A, 48] u8, where each location goes
let goal: usize = 0; // [S]
let undo: usize = 0; // [A] u8
let index: usize = 0; // [L] u32, room for the indices of one state
let turned: usize = 0; // [S], room for an inverse
let counts: usize = 0; // [2^BITS] u32, room for sorting

/** Room for a network with L look-ups (a multiple of 32) into some tables; the arrays are filled from outside. */
export function prepare(lookUps: i32, tables: i32, bias_: f64, scale_: f64): void {
  L = lookUps;
  bias = bias_;
  scale = scale_;
  contribution = heap.alloc(S * 24 * L * 4);
  offset = heap.alloc(L * 4);
  weights = heap.alloc(tables * TABLE);
  moves = heap.alloc(A * 48);
  goal = heap.alloc(S);
  undo = heap.alloc(A);
  index = heap.alloc(L * 4);
  turned = heap.alloc(S);
  counts = heap.alloc(4 << BITS);
}

export function contributionAt(): usize { return contribution; }
export function offsetAt(): usize { return offset; }
export function weightsAt(): usize { return weights; }
export function movesAt(): usize { return moves; }
export function goalAt(): usize { return goal; }
export function undoAt(): usize { return undo; }
export function room(bytes: i32): usize { return heap.alloc(bytes); }
export function release(at: usize): void { heap.free(at); }

/**
 * Spread the weights that are stored, those of what can be, over a table; `from` is where they are, `corner` has a bit for each of
 * the five cubies that is a corner. Two cubies of a kind cannot be in one place. Returns how many were read.
 */
export function spread(table: i32, from: usize, corner: i32): i32 {
  let read: i32 = 0;
  let to = weights + table * TABLE;
  const c0 = corner & 1, c1 = corner >> 1 & 1, c2 = corner >> 2 & 1, c3 = corner >> 3 & 1, c4 = corner >> 4 & 1;
  for (let d4 = 0; d4 < 24; d4++) {
    const p4 = place(d4, c4);
    for (let d3 = 0; d3 < 24; d3++) {
      const p3 = place(d3, c3);
      const bad3 = p3 == p4;
      for (let d2 = 0; d2 < 24; d2++) {
        const p2 = place(d2, c2);
        const bad2 = bad3 || p2 == p3 || p2 == p4;
        for (let d1 = 0; d1 < 24; d1++) {
          const p1 = place(d1, c1);
          const bad1 = bad2 || p1 == p2 || p1 == p3 || p1 == p4;
          for (let d0 = 0; d0 < 24; d0++) {
            const p0 = place(d0, c0);
            if (bad1 || p0 == p1 || p0 == p2 || p0 == p3 || p0 == p4) store<i8>(to, 0);
            else store<i8>(to, load<i8>(from + read++));
            to++;
          }
        }
      }
    }
  }
  return read;
}

/** The position of a cubie at place v, numbered so that corners and edges never meet. */
// @ts-ignore: decorator
@inline
function place(v: i32, corner: i32): i32 {
  return corner ? v / 3 : 8 + v / 2;
}

// The network -------------------------------------------------------------------------------------------------------------

/** The sum of the weights that a state activates. */
function half(state: usize): i32 {
  for (let k: usize = 0; k < L; k += 32) {
    const out = index + 4 * k, first = offset + 4 * k;
    let a = v128.load(first), b = v128.load(first, 16), c = v128.load(first, 32), d = v128.load(first, 48);
    let e = v128.load(first, 64), f = v128.load(first, 80), g = v128.load(first, 96), h = v128.load(first, 112);
    let piece = contribution + 4 * k;
    for (let i: usize = 0; i < S; i++) {
      const at: usize = load<u8>(state + i);
      const row = piece + (i < 8 ? at : at - 24) * (4 * L);
      a = i32x4.add(a, v128.load(row));
      b = i32x4.add(b, v128.load(row, 16));
      c = i32x4.add(c, v128.load(row, 32));
      d = i32x4.add(d, v128.load(row, 48));
      e = i32x4.add(e, v128.load(row, 64));
      f = i32x4.add(f, v128.load(row, 80));
      g = i32x4.add(g, v128.load(row, 96));
      h = i32x4.add(h, v128.load(row, 112));
      piece += 24 * 4 * L;
    }
    v128.store(out, a);
    v128.store(out, b, 16);
    v128.store(out, c, 32);
    v128.store(out, d, 48);
    v128.store(out, e, 64);
    v128.store(out, f, 80);
    v128.store(out, g, 96);
    v128.store(out, h, 112);
  }
  let p: i32 = 0, q: i32 = 0, r: i32 = 0, s: i32 = 0; // four strands: an addition waits for the one before
  const end = index + 4 * L;
  for (let at = index; at < end; at += 16) {
    p += load<i8>(weights + load<u32>(at));
    q += load<i8>(weights + load<u32>(at, 4));
    r += load<i8>(weights + load<u32>(at, 8));
    s += load<i8>(weights + load<u32>(at, 12));
  }
  return p + q + r + s;
}

function inverseHalf(state: usize): i32 {
  invert(state, turned);
  return half(turned);
}

/** Into sums [n] i32 what the weights of states [n, S] add up to, those of their inverses included. */
export function sums(states: usize, n: i32, out: usize): void {
  for (let i = 0; i < n; i++) {
    const state = states + i * S;
    store<i32>(out + 4 * i, half(state) + inverseHalf(state));
  }
}

export function invert(state: usize, out: usize): void {
  for (let i: u32 = 0; i < 8; i++) {
    const v: u32 = load<u8>(state + i);
    store<u8>(out + v / 3, <u8>(3 * i + (3 - v % 3) % 3));
  }
  for (let i: u32 = 0; i < 12; i++) {
    const v: u32 = load<u8>(state + 8 + i) - 24;
    store<u8>(out + 8 + v / 2, <u8>(24 + 2 * i + v % 2));
  }
}

// @ts-ignore: decorator
@inline
function turn(state: usize, action: usize, out: usize): void {
  const to = moves + 48 * action;
  for (let i: usize = 0; i < S; i++) store<u8>(out + i, load<u8>(to + load<u8>(state + i)));
}

// Sets of states ----------------------------------------------------------------------------------------------------------

/** States [N, S] in the order in which they came, and slots [2^k] u32 with their numbers plus 1, by hash. */
@unmanaged
class States {
  at: usize;
  n: u32;
  slots: usize;
  mask: u32;

  constructor(most: u32) {
    let size: u32 = 1024;
    while (size < 2 * most) size *= 2;
    this.at = heap.alloc(most * S);
    this.slots = heap.alloc(4 * size);
    this.mask = size - 1;
    this.clear();
  }

  clear(): void {
    this.n = 0;
    memory.fill(this.slots, 0, 4 * (<usize>this.mask + 1));
  }

  /** The slot that holds a state, or the empty one where it belongs. */
  seek(state: usize): usize {
    const a = load<u64>(state), b = load<u64>(state, 8), c = load<u32>(state, 16);
    let hash = (a * 0x9e3779b97f4a7c15) ^ (b * 0xc2b2ae3d27d4eb4f) ^ (<u64>c * 0x165667b19e3779f9);
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93;
    let slot = <u32>(hash >> 32) & this.mask;
    for (;;) {
      const number = load<u32>(this.slots + 4 * slot);
      if (number == 0) break;
      const other = this.at + (number - 1) * S;
      if (load<u64>(other) == a && load<u64>(other, 8) == b && load<u32>(other, 16) == c) break;
      slot = (slot + 1) & this.mask;
    }
    return this.slots + 4 * slot;
  }

  /** The number of a state, or -1. */
  find(state: usize): i32 {
    return <i32>load<u32>(this.seek(state)) - 1;
  }

  /** Enter a state; whether it is new. */
  insert(state: usize): bool {
    const slot = this.seek(state);
    if (load<u32>(slot)) return false;
    memory.copy(this.at + this.n * S, state, S);
    store<u32>(slot, ++this.n);
    return true;
  }
}

// The perimeter -----------------------------------------------------------------------------------------------------------

let near: States = changetype<States>(0); // all states within `radius` moves of the goal, by distance
let radius: i32 = 0;
let starts: usize = 0; // [radius + 2] u32, the first number of each distance

/** All states within r moves of the goal, of which there are `most`. */
export function makePerimeter(r: i32, most: i32): i32 {
  near = new States(most);
  radius = r;
  starts = heap.alloc(4 * (r + 2));
  const child = heap.alloc(S);
  near.insert(goal);
  store<u32>(starts, 0);
  store<u32>(starts + 4, 1);
  for (let d = 1; d <= r; d++) {
    const end = near.n;
    for (let i = load<u32>(starts + 4 * (d - 1)); i < end; i++) {
      for (let a: usize = 0; a < A; a++) {
        turn(near.at + i * S, a, child);
        near.insert(child);
      }
    }
    store<u32>(starts + 4 * (d + 1), near.n);
  }
  return near.n;
}

/** Moves from a state to the goal, or -1 outside of the perimeter. */
export function distance(state: usize): i32 {
  const number = near.find(state);
  if (number < 0) return -1;
  let d = 0;
  while (<u32>number >= load<u32>(starts + 4 * (d + 1))) d++;
  return d;
}

/** A shortest way home from a state inside into out, at each step the lowest action; returns its length. */
function finish(state: usize, out: usize): i32 {
  const length = distance(state), here = heap.alloc(S), child = heap.alloc(S);
  memory.copy(here, state, S);
  for (let left = length - 1; left >= 0; left--) {
    for (let a: usize = 0; a < A; a++) {
      turn(here, a, child);
      if (distance(child) == left) {
        store<u8>(out++, <u8>a);
        memory.copy(here, child, S);
        break;
      }
    }
  }
  heap.free(child);
  heap.free(here);
  return length;
}

// The beam ----------------------------------------------------------------------------------------------------------------

let width: i32 = 0;
let widest: i32 = 0; // what there is room for
let n: i32 = 0; // states in the layer
let steps: i32 = 0;
let generated: i32 = 0;
let known: States = changetype<States>(0); // the two layers before and the children
let layer: usize = 0; // [W, S], best first
let before: usize = 0; // [W, S], the layer before
let nBefore: i32 = 0;
let own: usize = 0; // [W] f32, the second half of each
let looks: usize = 0; // [A W] f32, what children promise to cost
let first: usize = 0; // [A W] f32, the first half of their cost
let costs: usize = 0; // [A W] f32
let seconds: usize = 0; // [A W] f32
let keys: usize = 0; // [A W] u32, costs as numbers that sort alike
let order: usize = 0; // [A W] u32
let other: usize = 0; // [A W] u32, room for sorting
let parents: usize = 0; // [A W] u32
let actions: usize = 0; // [A W] u8
let history: usize = 0; // [MOST_STEPS, W, 2] u32, parents and actions of the states kept
let solution: usize = 0; // [MOST_STEPS + radius] u8

/** Make room for beams of up to W states. Room once taken is kept. */
export function makeRoom(w: i32): void {
  if (w <= widest) return;
  if (widest > 0) unmake();
  widest = w;
  const most = <i32>A * w;
  known = new States(most + 2 * w);
  layer = heap.alloc(w * S);
  before = heap.alloc(w * S);
  own = heap.alloc(4 * w);
  looks = heap.alloc(4 * most);
  first = heap.alloc(4 * most);
  costs = heap.alloc(4 * most);
  seconds = heap.alloc(4 * most);
  keys = heap.alloc(4 * most);
  order = heap.alloc(4 * most);
  other = heap.alloc(4 * most);
  parents = heap.alloc(4 * most);
  actions = heap.alloc(most);
  history = heap.alloc(8 * MOST_STEPS * w);
  solution = heap.alloc(MOST_STEPS + radius);
}

function unmake(): void {
  heap.free(known.at);
  heap.free(known.slots);
  const blocks = [layer, before, own, looks, first, costs, seconds, keys, order, other, parents, actions, history, solution];
  for (let i = 0; i < blocks.length; i++) heap.free(blocks[i]);
}

export function solutionAt(): usize { return solution; }
export function nodes(): i32 { return generated; }
/** How far the best state of the layer is from the goal, as the network has it. */
export function bestCost(): f32 { return load<f32>(costs); }

/** Begin at a state; the length of its solution if it is inside the perimeter, else -1. */
export function begin(state: usize, w: i32): i32 {
  makeRoom(w);
  width = w;
  n = 1;
  nBefore = steps = generated = 0;
  memory.copy(layer, state, S);
  store<f32>(own, 0);
  return distance(state) < 0 ? -1 : finish(state, solution);
}

/** One layer on: the length of the solution if there is one now, -1 if the search goes on, -2 if it has failed. */
export function step(): i32 {
  if (n == 0 || steps >= MOST_STEPS) return -2;
  known.clear();
  for (let i = 0; i < nBefore; i++) known.insert(before + i * S);
  for (let i = 0; i < n; i++) known.insert(layer + i * S);

  const picked = promising(); // their numbers are in order [0..picked), parent * A + action
  const base = known.n, child = turned;
  let fresh = 0;
  for (let i = 0; i < picked; i++) {
    const number = load<u32>(order + 4 * i), parent = number / <u32>A, action = number % <u32>A;
    turn(layer + parent * S, action, child);
    if (!known.insert(child)) continue;
    store<u32>(parents + 4 * fresh, parent);
    store<u8>(actions + fresh, <u8>action);
    store<f32>(costs + 4 * fresh, load<f32>(first + 4 * number));
    fresh++;
    if (near.find(child) >= 0) {
      generated += min((i / CHUNK + 1) * CHUNK, picked);
      return trace(fresh - 1, child);
    }
  }
  generated += picked;
  for (let i = 0; i < fresh; i++) {
    const second = <f32>(scale * <f64>inverseHalf(known.at + (base + i) * S));
    store<f32>(seconds + 4 * i, second);
    store<f32>(costs + 4 * i, load<f32>(costs + 4 * i) + second);
  }
  sort(costs, fresh);
  const swap = before;
  before = layer;
  layer = swap;
  nBefore = n;
  n = min(fresh, width);
  const past = history + 8 * width * steps;
  for (let i = 0; i < n; i++) {
    const row = load<u32>(order + 4 * i);
    memory.copy(layer + i * S, known.at + (base + row) * S, S);
    store<f32>(own + 4 * i, load<f32>(seconds + 4 * row));
    store<u32>(past + 8 * i, load<u32>(parents + 4 * row));
    store<u32>(past + 8 * i, load<u8>(actions + row), 4);
  }
  store<f32>(costs, n ? load<f32>(costs + 4 * load<u32>(order)) : 0);
  steps++;
  return -1;
}

/** The numbers of the CHILDREN * W children that look best into order, lowest number first; returns how many there are. */
function promising(): i32 {
  const every = n * <i32>A, most = CHILDREN * width, child = turned;
  const past = history + 8 * width * (steps - 1);
  for (let i = 0; i < n; i++) {
    const back = steps ? <usize>load<u8>(undo + load<u32>(past + 8 * i, 4)) : A;
    const expected = LIKE_PARENT * load<f32>(own + 4 * i);
    for (let a: usize = 0; a < A; a++) {
      const at = 4 * (i * A + a);
      if (a == back) {
        store<f32>(looks + at, f32.MAX_VALUE);
        continue;
      }
      turn(layer + i * S, a, child);
      const cost = <f32>(bias + scale * <f64>half(child));
      store<f32>(first + at, cost);
      store<f32>(looks + at, cost + expected);
    }
  }
  let limit: f32 = f32.MAX_VALUE;
  if (most < every) {
    sort(looks, every);
    limit = load<f32>(looks + 4 * load<u32>(order + 4 * (most - 1)));
  }
  let picked = 0;
  for (let i = 0; i < every; i++) {
    const look = load<f32>(looks + 4 * i);
    if (look <= limit && look < f32.MAX_VALUE) store<u32>(order + 4 * picked++, i);
  }
  return picked;
}

/** The moves to row `row` of the children and on to the goal into solution; returns how many. */
function trace(row: i32, child: usize): i32 {
  let at: u32 = load<u32>(parents + 4 * row);
  store<u8>(solution + steps, load<u8>(actions + row));
  for (let s = steps - 1; s >= 0; s--) {
    const past = history + 8 * (width * s + at);
    store<u8>(solution + s, <u8>load<u32>(past, 4));
    at = load<u32>(past);
  }
  return steps + 1 + finish(child, solution + steps + 1);
}

/** The indices of values [count] f32 into order, lowest value first, of equal ones the lower index. */
function sort(values: usize, count: i32): void {
  for (let i = 0; i < count; i++) {
    const bits = load<i32>(values + 4 * i); // floats sort like their bits, negative ones the other way round
    store<i32>(keys + 4 * i, bits ^ ((bits >> 31) | 0x80000000));
    store<u32>(order + 4 * i, i);
  }
  for (let shift: u32 = 0; shift < 32; shift += BITS) {
    memory.fill(counts, 0, 4 << BITS);
    for (let i = 0; i < count; i++) {
      const at = counts + 4 * (load<u32>(keys + 4 * i) >> shift & ((1 << BITS) - 1));
      store<u32>(at, load<u32>(at) + 1);
    }
    let sum: u32 = 0;
    for (let i = 0; i < 1 << BITS; i++) {
      const here = load<u32>(counts + 4 * i);
      store<u32>(counts + 4 * i, sum);
      sum += here;
    }
    for (let i = 0; i < count; i++) {
      const number = load<u32>(order + 4 * i);
      const at = counts + 4 * (load<u32>(keys + 4 * number) >> shift & ((1 << BITS) - 1));
      const to = load<u32>(at);
      store<u32>(at, to + 1);
      store<u32>(other + 4 * to, number);
    }
    const swap = order;
    order = other;
    other = swap;
  }
}
