/** Numbers in an array that grows. */
class Numbers {
  private values = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.values[index] ?? 0;
  }
}

/** The states that were found, as numbers in the order of discovery, and the moves between them. */
export class ExploredGraph {
  private readonly parents = new Numbers();
  private readonly movesFromParent = new Numbers();
  private readonly progressBits = new Numbers();
  private readonly from = new Numbers();
  private readonly to = new Numbers();
  private readonly causes = new Numbers();
  private readonly causeNumbers = new Map<string, number>();

  /** @param allowed For each progress, the causes of the moves that may be needed for it. */
  constructor(private readonly allowed: readonly (readonly string[])[]) {}

  get states(): number {
    return this.parents.length;
  }

  get moves(): number {
    return this.from.length;
  }

  addState(parent: number, move: number, progressBits: number): void {
    this.parents.push(parent);
    this.movesFromParent.push(move);
    this.progressBits.push(progressBits);
  }

  addMove(from: number, to: number, cause: string): void {
    this.from.push(from);
    this.to.push(to);
    this.causes.push(this.numberOf(cause));
  }

  /** The positions of the moves that lead from the start to a state, each among the moves of its state. */
  pathTo(state: number): readonly number[] {
    const path: number[] = [];
    for (let at = state; this.parents.at(at) >= 0; at = this.parents.at(at)) path.push(this.movesFromParent.at(at));
    return path.reverse();
  }

  /** The first state to which the progress applies, and from which no good state can be reached by allowed moves. */
  firstWithoutProgress(progress: number): number | undefined {
    const canReach = this.canReachGood(progress);
    for (let state = 0; state < this.states; state += 1) {
      const applies = (this.progressBits.at(state) >> (2 * progress)) & 1;
      if (applies === 1 && canReach[state] === 0) return state;
    }
    return undefined;
  }

  /** The first state from which a run of moves with these causes may be endless. Moves that change nothing are ignored. */
  firstOfEndlessRun(causes: readonly string[]): number | undefined {
    const { starts, sources } = this.movesByTarget(causes);
    const left = new Int32Array(this.states);
    for (const source of sources) left[source] = (left[source] ?? 0) + 1;
    const open: number[] = [];
    for (let state = 0; state < this.states; state += 1) if (left[state] === 0) open.push(state);
    // Takes away the states from which all runs end, beginning with the ends.
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      for (let at = starts[state] ?? 0; at < (starts[state + 1] ?? 0); at += 1) {
        const source = sources[at] ?? 0;
        const others = (left[source] ?? 0) - 1;
        left[source] = others;
        if (others === 0) open.push(source);
      }
    }
    const first = left.findIndex((moves) => moves > 0);
    return first === -1 ? undefined : first;
  }

  /** Goes backwards from the good states. Returns 1 for each state from which one of them can be reached. */
  private canReachGood(progress: number): Uint8Array {
    const { starts, sources } = this.movesByTarget(this.allowed[progress] ?? []);
    const reached = new Uint8Array(this.states);
    const open: number[] = [];
    const reach = (state: number): void => {
      if (reached[state] === 1) return;
      reached[state] = 1;
      open.push(state);
    };
    for (let state = 0; state < this.states; state += 1) {
      if (((this.progressBits.at(state) >> (2 * progress)) & 2) !== 0) reach(state);
    }
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      for (let at = starts[state] ?? 0; at < (starts[state + 1] ?? 0); at += 1) reach(sources[at] ?? 0);
    }
    return reached;
  }

  /** The states that moves with these causes come from: those into state `s` from `starts[s]` up to `starts[s + 1]`. */
  private movesByTarget(causes: readonly string[]): { starts: Int32Array; sources: Int32Array } {
    const allowed = new Set(causes.map((cause) => this.numberOf(cause)));
    const starts = new Int32Array(this.states + 1);
    const add = (index: number, by: number): number => (starts[index] = (starts[index] ?? 0) + by);
    const each = (visit: (from: number, to: number) => void): void => {
      for (let move = 0; move < this.moves; move += 1) {
        const from = this.from.at(move);
        const to = this.to.at(move);
        if (from !== to && allowed.has(this.causes.at(move))) visit(from, to);
      }
    };
    each((_from, to) => add(to, 1));
    for (let state = 1; state <= this.states; state += 1) add(state, starts[state - 1] ?? 0);
    const sources = new Int32Array(starts[this.states] ?? 0);
    // From the end of each range to its begin: `starts` ends up where its name says.
    each((from, to) => (sources[add(to, -1)] = from));
    return { starts, sources };
  }

  private numberOf(cause: string): number {
    const known = this.causeNumbers.get(cause);
    if (known !== undefined) return known;
    this.causeNumbers.set(cause, this.causeNumbers.size);
    return this.causeNumbers.size - 1;
  }
}
