import type { Scenario } from '../scenarios/scenario.js';
import { leaders, namedLibraries } from './leaders.js';
import type { Row } from './results.js';

/** Of this library; those that are measured are measured in all rounds. */
const variants = ['unobserved', 'observed'];
const roles = {
  ...{ ours: 'ours', limit: 'raw', redisson: 'redisson', before: 'before', references: ['reference'] },
  ...{ unobserved: 'unobserved', observed: ['observed'] },
};

const row = (library: string, perSecond: number, p99: number): Row => ({
  ...{ library, title: library, size: 0, errors: [] },
  rounds: [{ perSecond, p99 }],
});

const rows = [
  row('raw', 90, 1),
  row('ours', 80, 2),
  row('before', 70, 3),
  row('reference', 95, 1),
  row('slow', 1, 9),
  row('fast', 60, 8),
  row('prompt', 50, 4),
  row('redisson', 5, 5),
];

const scenario = (bars: Scenario['bars']): Scenario => ({
  ...{ id: 'X', title: '', method: '', bars: bars ?? [] },
  metrics: [
    { key: 'perSecond', title: '', best: 'highest' },
    { key: 'p99', title: '', best: 'lowest' },
  ],
  takesPart: () => true,
  measure: () => Promise.resolve({}),
});

describe('leaders', () => {
  it('are this library and the limit without other bars', () => {
    const own = scenario([{ text: '', metric: 'p99', atMost: 1 }]);
    expect([...leaders(own, rows, roles)]).toEqual(['ours', 'raw', ...variants]);
  });

  it('are the best peer of each bar, and the libraries that bars name', () => {
    const comparing = scenario([
      { text: '', metric: 'perSecond', over: 'best peer', atLeast: 1 },
      { text: '', metric: 'p99', over: 'best peer', atMost: 1 },
      { text: '', metric: 'perSecond', over: 'redisson', atLeast: 1 },
      { text: '', metric: 'perSecond', over: 'before', atLeast: 1 },
      { text: '', metric: 'perSecond', over: { size: 2 }, atLeast: 1 },
    ]);
    expect([...leaders(comparing, rows, roles)].toSorted()).toEqual(
      ['before', 'fast', 'ours', 'prompt', 'raw', 'redisson', ...variants].toSorted(),
    );
  });

  it('are those that bars name before any was measured', () => {
    const comparing = scenario([
      { text: '', metric: 'p99', over: 'redisson', atMost: 1 },
      { text: '', metric: 'p99', over: 'best peer', atMost: 1 },
    ]);
    expect([...leaders(comparing, [], roles)]).toEqual(['ours', 'raw', ...variants, 'redisson']);
    expect([...namedLibraries(comparing, roles)]).toEqual(['ours', 'raw', ...variants, 'redisson']);
  });
});
