// A solution that is played: a start, turns, the state after each, and where we are.

export class Player {
  /** onChange() is called whenever the position or the solution changes. */
  constructor(onChange) {
    this.onChange = onChange;
    this.#empty();
  }

  clear() {
    this.#empty();
    this.onChange();
  }

  load(puzzle, view, start, turns) {
    this.#halt();
    const states = [start];
    for (const { move } of turns) states.push(puzzle.apply(states.at(-1), move));
    Object.assign(this, { puzzle, view, turns, states, at: 0 });
    this.onChange();
  }

  get length() {
    return this.turns.length;
  }

  get state() {
    return this.states[this.at];
  }

  get isPlaying() {
    return Boolean(this.playing);
  }

  /** Go to a position: the next one or the one before is turned to, any other shown at once. */
  async go(at, milliseconds = 0) {
    at = Math.max(0, Math.min(this.length, at));
    const step = at - this.at;
    if (step === 0) return;
    const { puzzle, view } = this;
    const move = step === 1 ? this.turns[this.at].move : step === -1 ? puzzle.invert(this.turns[at].move) : null;
    this.at = at;
    this.onChange();
    await (move && milliseconds ? view.turn(move, this.state, milliseconds) : view.turn("", this.state, 0));
  }

  async play(interval) {
    if (this.playing || !this.length) return;
    if (this.at === this.length) await this.go(0);
    const playing = (this.playing = {});
    this.onChange();
    while (this.playing === playing && this.at < this.length) {
      const start = performance.now();
      await this.go(this.at + 1, 0.75 * interval());
      const left = interval() - (performance.now() - start);
      await new Promise((resume) => setTimeout(resume, Math.max(left, 0)));
    }
    if (this.playing === playing) this.pause();
  }

  pause() {
    this.#halt();
    this.onChange();
  }

  #empty() {
    this.#halt();
    Object.assign(this, { puzzle: null, turns: [], states: [], at: 0, view: null });
  }

  #halt() {
    this.playing = null;
  }
}
