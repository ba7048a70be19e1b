import type { ChaosCase } from '../case.js';
import type { TopologyName } from '../topologies/topology.js';

/** The cases that are run with `handover: false` as well, and where. */
const OFF: ReadonlyMap<string, readonly TopologyName[]> = new Map([
  ['F0', ['standalone']],
  ['F2', ['standalone']],
  ['F6', ['standalone']],
  ['F12g', ['cluster']],
  ['F24g', ['cluster']],
  ['F30', ['standalone']],
  ['F31w', ['standalone']],
  ['F49', ['standalone']],
]);

/** A release wakes all that listen, and the lock belongs to the one that asks first. */
export const withoutGrants = (cases: readonly ChaosCase[]): ChaosCase[] =>
  cases.flatMap((chaos) => {
    const topologies = OFF.get(chaos.id);
    if (!topologies) return [];
    const { id, title, options } = chaos;
    return [
      {
        ...chaos,
        leastGrants: 0,
        longestHandOver: Infinity,
        id: `${id}-off`,
        title: `${title}; no grants`,
        topologies,
        options: { ...options, handover: false },
      },
    ];
  });
