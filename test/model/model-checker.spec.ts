import { type Model, ModelChecker, type Move, violationText } from './model-checker.js';

/** Steps between the squares of a board, by cause: `'0>1 own'`. */
const board = (steps: readonly string[], properties: Partial<Model<number>> = {}): Model<number> => ({
  start: 0,
  encode: String,
  moves: (state) =>
    steps.flatMap((step): Move<number>[] => {
      const [, from, to, cause = ''] = /^(\d)>(\d) (\w+)$/.exec(step) ?? [];
      return Number(from) === state ? [{ name: step, cause, to: Number(to) }] : [];
    }),
  invariants: [],
  progress: [],
  terminations: [],
  describe: (state) => `At square ${state}`,
  ...properties,
});

const served = { name: 'square 3 can be reached', applies: () => true, isGood: (state: number) => state === 3 };

describe('The model checker', () => {
  it('explores each state once', () => {
    const { states, moves, violation } = new ModelChecker(board(['0>1 own', '0>2 own', '1>2 own', '2>0 own'])).check();
    expect({ states, moves, violation }).toEqual({ states: 3, moves: 4, violation: undefined });
  });

  it('refuses a model with too many states', () => {
    const checker = new ModelChecker(board(['0>1 own', '1>2 own']), 2);
    expect(() => checker.check()).toThrow('The model has more than 2 states');
  });

  it('finds one of the shortest ways to a state that violates an invariant', () => {
    const invariants = [{ name: 'square 3 is never reached', holds: (state: number) => state !== 3 }];
    const model = board(['0>1 own', '1>2 own', '2>3 own', '1>3 own'], { invariants });
    const { violation } = new ModelChecker(model).check();
    expect(violation && violationText(violation)).toBe(
      ['Violated: square 3 is never reached', '  1. 0>1 own', '  2. 1>3 own', 'At square 3'].join('\n'),
    );
  });

  it('checks the start', () => {
    const model = board([], { invariants: [{ name: 'no start', holds: () => false }] });
    expect(new ModelChecker(model).check().violation).toEqual({ of: 'no start', trace: [], state: 'At square 0' });
  });

  it('finds the first state from which allowed moves lead to no good state', () => {
    const steps = ['0>1 fault', '0>3 own', '1>2 own', '2>3 fault'];
    const { violation } = new ModelChecker(board(steps, { progress: [{ ...served, allowed: ['own'] }] })).check();
    expect(violation).toEqual({ of: served.name, trace: ['0>1 fault'], state: 'At square 1' });
    const either = board(steps, { progress: [{ ...served, allowed: ['own', 'fault'] }] });
    expect(new ModelChecker(either).check().violation).toBeUndefined();
  });

  it('ignores states to which the progress does not apply', () => {
    const applies = (state: number): boolean => state === 0;
    const steps = ['0>1 fault', '0>3 own'];
    const progress = [{ ...served, applies, allowed: ['own'] }];
    expect(new ModelChecker(board(steps, { progress })).check().violation).toBeUndefined();
  });

  it('finds the first state from which a run may be endless', () => {
    const terminations = [{ name: 'all runs end', causes: ['own'] }];
    const endless = board(['0>1 fault', '1>2 own', '2>1 own'], { terminations });
    expect(new ModelChecker(endless).check().violation?.trace).toEqual(['0>1 fault']);
    const broken = board(['0>1 fault', '1>2 own', '2>1 fault', '2>2 own'], { terminations });
    expect(new ModelChecker(broken).check().violation).toBeUndefined();
  });

  it('refuses a model whose moves change between two looks', () => {
    let looks = 0;
    const moves = (state: number): Move<number>[] => {
      looks += 1;
      return looks === 1 ? [{ name: 'once', cause: 'own', to: state + 1 }] : [];
    };
    const invariants = [{ name: 'stays at 0', holds: (state: number) => state === 0 }];
    const checker = new ModelChecker(board([], { moves, invariants }));
    expect(() => checker.check()).toThrow('The moves of a state are not always the same');
  });
});
