import { roundsIn, stepsOf } from './measure-set-ups.js';
import type { Scenario } from './scenarios/scenario.js';
import { setUps } from './set-up/set-up.js';

const scenario = (id: string, more: Partial<Scenario> = {}): Scenario => ({
  ...{ id, title: '', method: '', metrics: [] },
  takesPart: () => true,
  measure: () => Promise.resolve({}),
  ...more,
});

const nodes = ['20', '24'].map((version) => ({ version, path: '' }));
const scenarios = [
  scenario('each'),
  scenario('pinned', { placement: 'pinned' }),
  scenario('each-node', { when: 'each-node' }),
  scenario('once', { when: 'once' }),
  scenario('once-pinned', { when: 'once', placement: 'pinned' }),
];

const stepsIn = (pin: boolean): string[] =>
  stepsOf({ setUps: setUps(nodes, pin), scenarios }).map(
    ({ scenario: { id }, setUp }) => `${setUp.placement} ${setUp.node.version} ${id}`,
  );

describe('stepsOf', () => {
  it('measures a scenario in each set-up that suits it, or in the first one only', () => {
    expect(stepsIn(true)).toEqual([
      ...['pinned 20 each', 'pinned 20 pinned', 'pinned 20 each-node', 'pinned 20 once', 'pinned 20 once-pinned'],
      ...['pinned 24 each', 'pinned 24 pinned', 'pinned 24 each-node'],
      ...['free 20 each', 'free 24 each'],
    ]);
  });

  it('leaves out what needs pinned processes if there are none', () => {
    expect(stepsIn(false)).toEqual([
      ...['free 20 each', 'free 20 each-node', 'free 20 once'],
      ...['free 24 each', 'free 24 each-node'],
    ]);
  });
});

describe('roundsIn', () => {
  const roundsOf = (pin: boolean): number[] => {
    const all = setUps(nodes.slice(0, 1), pin);
    return all.map((setUp) => roundsIn(setUp, { setUps: all, rounds: 5 }));
  };

  it('are fewer where a pinned set-up has all of them', () => {
    expect(roundsOf(true)).toEqual([5, 3]);
    expect(roundsOf(false)).toEqual([5]);
  });
});
