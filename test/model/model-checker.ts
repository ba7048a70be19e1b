import { ExploredGraph } from './explored-graph.js';

/** A step that a model can take. */
export interface Move<S> {
  /** What happens, in words: a line of a trace. */
  readonly name: string;
  /** Whether the system takes the step by itself (`own`), or who else causes it: progress must not depend on that. */
  readonly cause: string;
  readonly to: S;
}

/** Holds in each reachable state. */
export interface Invariant<S> {
  readonly name: string;
  readonly holds: (state: S) => boolean;
}

/** From each reachable state that `applies`, moves with an allowed cause lead to a good state. */
export interface Progress<S> {
  readonly name: string;
  readonly applies: (state: S) => boolean;
  readonly isGood: (state: S) => boolean;
  readonly allowed: readonly string[];
}

/** All runs of moves with these causes alone end. */
export interface Termination {
  readonly name: string;
  readonly causes: readonly string[];
}

/** States are plain immutable data. */
export interface Model<S> {
  readonly start: S;
  /** Equal for states that behave alike, and different for all others. */
  readonly encode: (state: S) => string;
  readonly moves: (state: S) => readonly Move<S>[];
  readonly invariants: readonly Invariant<S>[];
  readonly progress: readonly Progress<S>[];
  readonly terminations: readonly Termination[];
  readonly describe: (state: S) => string;
}

export interface Violation {
  /** The name of the invariant or of the progress that is violated. */
  readonly of: string;
  /** The names of the moves that lead there: one of the shortest ways. */
  readonly trace: readonly string[];
  /** The last state of the trace. */
  readonly state: string;
}

export interface CheckResult {
  readonly states: number;
  readonly moves: number;
  readonly violation: Violation | undefined;
}

/** Explores all states of a model, breadth first, until an invariant is violated. Then checks progress and ends. */
export class ModelChecker<S> {
  private readonly indices = new Map<string, number>();
  private readonly graph: ExploredGraph;

  /** @param limit The number of states above which the model counts as too large. */
  constructor(
    private readonly model: Model<S>,
    private readonly limit = 16_000_000,
  ) {
    this.graph = new ExploredGraph(model.progress.map(({ allowed }) => allowed));
  }

  check(): CheckResult {
    const violation = this.explore() ?? this.findStuck() ?? this.findEndlessRun();
    return { states: this.graph.states, moves: this.graph.moves, violation };
  }

  private explore(): Violation | undefined {
    let level = [this.model.start];
    let first = 0;
    const brokenAtStart = this.discover(this.model.start, -1, 0);
    if (brokenAtStart) return brokenAtStart;
    while (level.length > 0) {
      const next: S[] = [];
      for (const [at, state] of level.entries()) {
        const broken = this.expand(state, first + at, next);
        if (broken) return broken;
      }
      first += level.length;
      level = next;
    }
    return undefined;
  }

  /** Takes each move out of a state, and collects the states that are new. */
  private expand(state: S, index: number, next: S[]): Violation | undefined {
    for (const [at, { to, cause }] of this.model.moves(state).entries()) {
      const known = this.indices.size;
      const key = this.model.encode(to);
      const found = this.indices.get(key);
      this.graph.addMove(index, found ?? known, cause);
      if (found !== undefined) continue;
      const broken = this.discover(to, index, at, key);
      if (broken) return broken;
      next.push(to);
    }
    return undefined;
  }

  private discover(state: S, parent: number, move: number, key = this.model.encode(state)): Violation | undefined {
    if (this.indices.size === this.limit) throw new Error(`The model has more than ${this.limit} states`);
    const index = this.indices.size;
    this.indices.set(key, index);
    this.graph.addState(parent, move, this.progressBits(state));
    const broken = this.model.invariants.find(({ holds }) => !holds(state));
    return broken && this.violation(broken.name, index);
  }

  /** Two bits for each progress: whether it applies, and whether the state is good. */
  private progressBits(state: S): number {
    let bits = 0;
    for (const [at, { applies, isGood }] of this.model.progress.entries()) {
      if (applies(state)) bits |= 1 << (2 * at);
      if (isGood(state)) bits |= 2 << (2 * at);
    }
    return bits;
  }

  private findStuck(): Violation | undefined {
    for (const [at, { name }] of this.model.progress.entries()) {
      const stuck = this.graph.firstWithoutProgress(at);
      if (stuck !== undefined) return this.violation(name, stuck);
    }
    return undefined;
  }

  private findEndlessRun(): Violation | undefined {
    for (const { name, causes } of this.model.terminations) {
      const first = this.graph.firstOfEndlessRun(causes);
      if (first !== undefined) return this.violation(name, first);
    }
    return undefined;
  }

  /** Replays the moves from the start: the states on the way were not kept. */
  private violation(of: string, index: number): Violation {
    let state = this.model.start;
    const trace: string[] = [];
    for (const at of this.graph.pathTo(index)) {
      const move = this.model.moves(state)[at];
      if (!move) throw new Error('The moves of a state are not always the same');
      trace.push(move.name);
      state = move.to;
    }
    return { of, trace, state: this.model.describe(state) };
  }
}

/** A violation as text, a step a line. */
export const violationText = ({ of, trace, state }: Violation): string =>
  [`Violated: ${of}`, ...trace.map((step, at) => `${String(at + 1).padStart(3)}. ${step}`), state].join('\n');
