// A cube in three dimensions on a canvas, to look at from all sides and to turn by dragging. Axes: x right, y up, z to the viewer.
//
// A turning layer and what is left of the cube are two boxes with a plane between them, so whatever lies on the viewer's side of that plane is
// drawn last, and of each box the sides that face the viewer: nothing needs sorting.

import suite from "../build/suite.json" with { type: "json" };
import { FACES, named } from "./cube.js";

const PAINT = ["#f4f5f7", "#d8283c", "#15a34a", "#fbd21c", "#fb7a1e", "#1f62e0"];
const UNKNOWN = "#7a818c";
const BODY = [22, 25, 31];
const DISTANCE = 7.2; // of the eye, the cube's half edge being 1
const LIGHT = unit([0.35, 0.9, 0.75]);
const THRESHOLD = 6; // pixels of a drag before it turns something
const INSET = 0.055; // gap around a sticker, as a share of a facelet
const ROUND = 0.16;

export class CubeView {
  /** onTurn(move) is called when a drag has turned a face; the view shows it already. If nobody can turn it, drags only look around. */
  constructor(canvas, onTurn, { canTurn = true } = {}) {
    this.canvas = canvas;
    this.onTurn = onTurn;
    this.canTurn = canTurn;
    this.context = canvas.getContext("2d");
    this.home();
    this.size = 3;
    this.colours = [];
    this.layer = null; // {axis, face, angle} of the layer that turns
    this.drag = null;
    this.running = null; // the turn under way
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (event) => this.#up(event));
    new ResizeObserver(() => this.#draw()).observe(canvas);
  }

  /** Look from the front, the right and above. */
  home() {
    this.yaw = -0.58;
    this.pitch = 0.46;
    if (this.colours?.length) this.#draw();
  }

  orbit(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.max(-1.5, Math.min(1.5, this.pitch + pitch));
    this.#draw();
  }

  show(size, colours) {
    this.stop();
    if (size !== this.size || !this.squares) this.#cut(size);
    this.colours = colours;
    this.layer = null;
    this.#draw();
  }

  /** Turn a face, or the whole cube (x y z), over some milliseconds, then show the colours after it. Resolves when it is there. */
  turn(move, colours, milliseconds) {
    this.stop();
    if (!move || this.still.matches || milliseconds <= 0 || document.hidden) {
      this.show(this.size, colours);
      return Promise.resolve();
    }
    const quarters = move.endsWith("2") ? 2 : move.endsWith("'") ? -1 : 1;
    const whole = "yxz".indexOf(move[0]);
    const face = whole < 0 ? FACES.indexOf(move[0]) : whole;
    const axis = suite.unfolded[face][0];
    return new Promise((resolve) => {
      const start = performance.now();
      const end = () => {
        cancelAnimationFrame(this.running.frame);
        this.running = null;
        this.show(this.size, colours);
        resolve();
      };
      const advance = (now) => {
        const share = Math.min((now - start) / milliseconds, 1);
        if (share >= 1) return end();
        const eased = share < 0.5 ? 2 * share * share : 1 - 2 * (1 - share) ** 2;
        this.layer = { axis, angle: (-quarters * Math.PI * eased) / 2, whole: whole >= 0 };
        this.#draw();
        this.running.frame = requestAnimationFrame(advance);
      };
      this.running = { end, frame: requestAnimationFrame(advance) };
    });
  }

  /** End the turn that is under way at once. */
  stop() {
    this.running?.end();
  }

  // Geometry --------------------------------------------------------------------------------------------------------------

  #cut(size) {
    this.size = size;
    const step = 2 / size;
    this.squares = [];
    suite.unfolded.forEach(([normal, down, right], face) => {
      for (let row = 0; row < size; row++) {
        for (let column = 0; column < size; column++) {
          const along = [-1 + (row + 0.5) * step, -1 + (column + 0.5) * step];
          const centre = normal.map((n, i) => n + along[0] * down[i] + along[1] * right[i]);
          this.squares.push({ number: this.squares.length, face, normal, down, right, centre, half: step / 2 });
        }
      }
    });
  }

  #eye() {
    const { width, height } = this.canvas.getBoundingClientRect();
    const scale = 0.285 * Math.min(width, height) * DISTANCE;
    const [sy, cy, sp, cp] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    const turned = ([x, y, z]) => {
      const [a, b] = [cy * x + sy * z, -sy * x + cy * z];
      return [a, cp * y - sp * b, sp * y + cp * b];
    };
    const back = ([x, y, z]) => {
      const [h, b] = [cp * y + sp * z, -sp * y + cp * z];
      return [cy * x - sy * b, h, sy * x + cy * b];
    };
    const project = (point) => {
      const [x, y, z] = turned(point);
      const shrunk = scale / (DISTANCE - z);
      return [width / 2 + x * shrunk, height / 2 - y * shrunk];
    };
    return { position: back([0, 0, DISTANCE]), project, turned };
  }

  // Drawing ---------------------------------------------------------------------------------------------------------------

  #draw() {
    const { canvas, context, layer } = this;
    const { width, height } = canvas.getBoundingClientRect();
    if (!width || !this.squares) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const eye = this.#eye();
    this.drawn = []; // stickers with their outline, for hits
    this.#shadow(eye, height);
    if (!layer || layer.whole) {
      this.#box(eye, [-1, -1, -1], [1, 1, 1], layer, () => true);
      return;
    }
    const cut = 1 - 2 / this.size; // where the plane between both boxes is, along the axis
    const moves = (square) => dot(square.centre, layer.axis) > cut;
    const [low, high] = [layer.axis.map((a) => (a > 0 ? cut : -1)), layer.axis.map((a) => (a < 0 ? -cut : 1))];
    const [lowRest, highRest] = [layer.axis.map((a) => (a < 0 ? -cut : -1)), layer.axis.map((a) => (a > 0 ? cut : 1))];
    const both = [() => this.#box(eye, lowRest, highRest, null, (s) => !moves(s)), () => this.#box(eye, low, high, layer, moves)];
    if (dot(eye.position, layer.axis) < cut) both.reverse();
    both.forEach((draw) => draw());
  }

  #box(eye, low, high, layer, holds) {
    const place = layer ? (point) => rotated(point, layer.axis, layer.angle) : (point) => point;
    for (const [normal, down, right] of suite.unfolded) {
      const to = place(normal);
      const middle = normal.map((n, i) => (n > 0 ? high[i] : n < 0 ? low[i] : (low[i] + high[i]) / 2));
      if (dot(to, subtract(eye.position, place(middle))) <= 0) continue;
      const corners = [[-1, -1], [-1, 1], [1, 1], [1, -1]].map(([a, b]) =>
        place(middle.map((m, i) => m + ((high[i] - low[i]) / 2) * (a * Math.abs(down[i]) + b * Math.abs(right[i])))),
      );
      const light = 0.72 + 0.28 * Math.max(0, dot(to, LIGHT));
      this.#fill(corners.map(eye.project), `rgb(${BODY.map((part) => Math.round(part * light)).join(" ")})`, 0);
    }
    for (const square of this.squares) {
      if (!holds(square)) continue;
      const normal = place(square.normal);
      const centre = place(square.centre);
      if (dot(normal, subtract(eye.position, centre)) <= 0) continue;
      const reach = square.half * (1 - 2 * INSET);
      const [down, right] = [place(square.down), place(square.right)];
      const corners = [[-1, -1], [-1, 1], [1, 1], [1, -1]].map(([a, b]) =>
        eye.project(centre.map((c, i) => c + 0.004 * normal[i] + reach * (a * down[i] + b * right[i]))),
      );
      const light = 0.78 + 0.24 * Math.max(0, dot(normal, LIGHT));
      this.#fill(corners, shaded(PAINT[this.colours[square.number]] ?? UNKNOWN, light), ROUND);
      this.drawn.push({ square, corners });
    }
  }

  /** Fill a four-sided figure with round corners. */
  #fill(corners, colour, round) {
    const { context } = this;
    const between = (a, b, share) => [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
    context.beginPath();
    corners.forEach((corner, i) => {
      const [before, after] = [corners[(i + 3) % 4], corners[(i + 1) % 4]];
      context[i ? "lineTo" : "moveTo"](...between(corner, before, round));
      context.quadraticCurveTo(...corner, ...between(corner, after, round));
    });
    context.closePath();
    context.fillStyle = colour;
    context.fill();
    if (round) return;
    context.strokeStyle = colour; // sides that meet leave no gap
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.stroke();
  }

  #shadow(eye, height) {
    const { context } = this;
    const [x, y] = eye.project([0, -1.5, 0]);
    const radius = 0.36 * height;
    if (this.pitch < 0) return;
    const gradient = context.createRadialGradient(0, 0, 0, 0, 0, radius);
    gradient.addColorStop(0, "rgb(0 0 0 / 0.28)");
    gradient.addColorStop(1, "rgb(0 0 0 / 0)");
    context.save();
    context.translate(x, Math.min(y, 0.93 * height));
    context.scale(1, 0.22);
    context.fillStyle = gradient;
    context.beginPath();
    context.arc(0, 0, radius, 0, 2 * Math.PI);
    context.fill();
    context.restore();
  }

  // Dragging --------------------------------------------------------------------------------------------------------------

  #at(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  #down(event) {
    if (this.drag) return;
    this.stop();
    const at = this.#at(event);
    const hit = event.button === 0 && this.canTurn ? this.drawn?.findLast(({ corners }) => contains(corners, at)) : null;
    this.drag = { pointer: event.pointerId, at, square: hit?.square ?? null, turn: null };
    this.canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
    this.canvas.focus({ preventScroll: true });
  }

  #move(event) {
    const { drag } = this;
    const at = this.#at(event);
    if (!drag) {
      const isOver = this.canTurn && this.drawn?.some(({ corners }) => contains(corners, at));
      this.canvas.style.cursor = isOver ? "grab" : "move";
      return;
    }
    if (drag.pointer !== event.pointerId) return;
    const way = [at[0] - drag.at[0], at[1] - drag.at[1]];
    if (drag.square && !drag.turn && Math.hypot(...way) > THRESHOLD) this.#grasp(way);
    if (drag.turn) {
      const angle = dot(way, drag.turn.screen) / dot(drag.turn.screen, drag.turn.screen);
      this.layer = { axis: drag.turn.axis, angle };
      this.#draw();
    } else if (!drag.square) {
      this.orbit(0.008 * way[0], 0.008 * way[1]);
      drag.at = at;
    }
  }

  /** Which layer a drag over a sticker turns: the one that carries the sticker the way the finger goes. */
  #grasp(way) {
    const { drag } = this;
    const { square } = drag;
    const eye = this.#eye();
    const from = eye.project(square.centre);
    let best = null;
    for (const along of [square.down, square.right]) {
      const to = eye.project(square.centre.map((c, i) => c + 0.1 * along[i]));
      const screen = [10 * (to[0] - from[0]), 10 * (to[1] - from[1])]; // pixels per half edge, so per radian
      const fit = Math.abs(dot(way, screen)) / Math.hypot(...screen);
      if (!best || fit > best.fit) best = { fit, screen, axis: cross(square.normal, along) };
    }
    const layer = dot(square.centre, best.axis);
    if (Math.abs(layer) < 1e-6) {
      drag.square = null; // the middle of a 3x3x3: look at it from another side
      return;
    }
    if (layer < 0) best = { ...best, axis: best.axis.map((a) => -a), screen: best.screen.map((a) => -a) };
    drag.turn = best;
  }

  #up(event) {
    const { drag } = this;
    if (!drag || drag.pointer !== event.pointerId) return;
    this.drag = null;
    if (!drag.turn || !this.layer) return;
    const { angle } = this.layer;
    const quarters = Math.round((-2 * angle) / Math.PI);
    const face = FACES[suite.unfolded.findIndex(([normal]) => dot(normal, drag.turn.axis) > 0.5)];
    const move = event.type === "pointerup" ? named(face, quarters) : "";
    this.#settle(drag.turn.axis, angle, (-quarters * Math.PI) / 2 || 0, () => {
      this.layer = null;
      if (move) this.onTurn(move);
      else this.#draw();
    });
  }

  /** Let a layer go on from where the finger left it. */
  #settle(axis, from, to, then) {
    const start = performance.now();
    const end = () => {
      cancelAnimationFrame(this.running?.frame);
      this.running = null;
      then();
    };
    if (this.still.matches) return end();
    const advance = (now) => {
      const share = Math.min((now - start) / 110, 1);
      if (share >= 1) return end();
      this.layer = { axis, angle: from + (to - from) * share };
      this.#draw();
      this.running.frame = requestAnimationFrame(advance);
    };
    this.running = { end, frame: requestAnimationFrame(advance) };
  }
}

function dot(a, b) {
  return a.reduce((total, part, i) => total + part * b[i], 0);
}

function cross([a, b, c], [d, e, f]) {
  return [b * f - c * e, c * d - a * f, a * e - b * d];
}

function subtract(a, b) {
  return a.map((part, i) => part - b[i]);
}

function unit(vector) {
  const length = Math.hypot(...vector);
  return vector.map((part) => part / length);
}

/** A point turned about an axis of length 1, anticlockwise for somebody who looks against the axis. */
function rotated(point, axis, angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const [across, along] = [cross(axis, point), dot(axis, point)];
  return point.map((p, i) => p * c + across[i] * s + axis[i] * along * (1 - c));
}

function shaded(colour, light) {
  const parts = [1, 3, 5].map((at) => Math.min(255, Math.round(light * Number.parseInt(colour.slice(at, at + 2), 16))));
  return `rgb(${parts.join(" ")})`;
}

function contains(corners, [x, y]) {
  let inside = false;
  corners.forEach(([ax, ay], i) => {
    const [bx, by] = corners[(i + 1) % corners.length];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  });
  return inside;
}
