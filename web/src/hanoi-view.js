// Towers of Hanoi as an SVG: a peg is chosen by a click or by its number, and the next peg gets its top disk; disks can be dragged, too.

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, BASE] = [900, 520, 460];

export class HanoiView {
  /** onMove(move) is called when somebody asks for a move. */
  constructor(svg, onMove, { canMove = true } = {}) {
    this.svg = svg;
    this.onMove = onMove;
    this.chosen = null;
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    if (!canMove) return;
    svg.addEventListener("pointerdown", (event) => {
      const peg = this.#pegAt(event);
      if (this.chosen === null) this.drag = { from: peg };
      this.choose(peg);
      event.preventDefault();
      svg.focus({ preventScroll: true });
    });
    svg.addEventListener("pointerup", (event) => {
      const peg = this.#pegAt(event);
      if (this.drag && this.drag.from !== peg) this.choose(peg);
      this.drag = null;
    });
  }

  /** Choose the peg to take from, then the peg to put to. */
  choose(peg) {
    if (peg < 0 || peg >= this.pegs) return;
    if (this.chosen === null) {
      if (this.state.includes(peg)) this.chosen = peg;
    } else {
      const from = this.chosen;
      this.chosen = null;
      if (from !== peg) this.onMove(`${from}${peg}`);
    }
    this.#place(this.state);
  }

  show(state, pegs) {
    if (pegs !== this.pegs || state.length !== this.state?.length) this.#build(state.length, pegs);
    this.#place(state);
  }

  stop() {}

  /** Carry a disk over; resolves when it is there. */
  turn(move, state, milliseconds) {
    const duration = this.still.matches ? 0 : milliseconds;
    this.svg.style.setProperty("--carry", `${duration}ms`);
    this.#place(state);
    return new Promise((resolve) => setTimeout(resolve, duration));
  }

  #pegAt(event) {
    const { left, width } = this.svg.getBoundingClientRect();
    return Math.min(this.pegs - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * this.pegs)));
  }

  #build(disks, pegs) {
    Object.assign(this, { pegs, chosen: null });
    this.svg.replaceChildren();
    const add = (name, attributes, parent = this.svg) => {
      const element = document.createElementNS(SVG, name);
      Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
      parent.append(element);
      return element;
    };
    add("rect", { x: 20, y: BASE, width: WIDTH - 40, height: 16, rx: 8, class: "board" });
    this.room = WIDTH / pegs;
    this.thick = Math.min(38, 300 / disks);
    for (let peg = 0; peg < pegs; peg++) {
      const x = this.room * (peg + 0.5);
      add("rect", { x: x - 6, y: BASE - 340, width: 12, height: 345, rx: 6, class: peg === pegs - 1 ? "peg goal" : "peg" });
      add("text", { x, y: BASE + 46, class: "name" }).textContent = "ABCDEFGH"[peg];
    }
    this.disks = Array.from({ length: disks }, (_, disk) => {
      const width = this.room * (0.28 + (0.62 * (disk + 1)) / disks);
      const hue = 215 + (250 * disk) / disks;
      const rect = add("rect", { width, height: this.thick - 3, x: -width / 2, y: 0, rx: Math.min(10, this.thick / 3), class: "disk" });
      rect.style.fill = `hsl(${hue % 360} 70% 56%)`;
      return rect;
    });
  }

  #place(state) {
    this.state = state;
    const height = Array(this.pegs).fill(0);
    for (let disk = state.length - 1; disk >= 0; disk--) {
      const peg = state[disk];
      const isLifted = peg === this.chosen && state.indexOf(peg) === disk;
      const y = BASE - this.thick * ++height[peg] - (isLifted ? 26 : 0);
      this.disks[disk].style.transform = `translate(${this.room * (peg + 0.5)}px, ${y}px)`;
      this.disks[disk].classList.toggle("lifted", isLifted);
    }
  }
}
