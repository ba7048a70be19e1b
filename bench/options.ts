import { parseArgs } from 'node:util';

export interface Options {
  readonly quick: boolean;
  readonly write: boolean;
  /** Scenarios that were named; all that are measured without being named, if none was. */
  readonly only: readonly string[];
  readonly adapters: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  /** Whether the set-ups with pinned processes are measured, too. */
  readonly pin: boolean;
  /** Versions of Node that workers run in. Empty: the running one. */
  readonly nodes: readonly string[];
  /** Whether every peer is measured in every round and set-up. */
  readonly allPeers: boolean;
}

/** Names that options may have. */
export interface KnownNames {
  readonly scenarios: readonly string[];
  /** Those of the scenarios that have to be named. */
  readonly named: readonly string[];
  readonly adapters: readonly string[];
  /** Those of the adapters that have to be named. */
  readonly namedAdapters: readonly string[];
}

/** The name of all scenarios together. */
const ALL = 'all';

/** @throws Error that says which argument is not allowed, and which are. */
export function parseOptions(args: readonly string[], known: KnownNames): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      only: { type: 'string' },
      adapters: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      pin: { type: 'boolean', default: false },
      node: { type: 'string' },
      'all-peers': { type: 'boolean', default: false },
    },
  });
  const { quick, write, only, adapters, rounds, seconds, pin, node } = values;
  return {
    ...{ quick, write, pin, allPeers: values['all-peers'] },
    nodes: node?.split(',') ?? [],
    only: scenariosOf(only, known),
    adapters: adaptersOf(adapters, known),
    rounds: positive('--rounds', rounds ?? (quick ? '2' : '5'), Number.isInteger),
    seconds: positive('--seconds', seconds ?? (quick ? '1' : '3'), Number.isFinite),
  };
}

/** A scenario is selected by the beginning of its name as well: S5 selects S5a and S5b. */
function scenariosOf(list: string | undefined, { scenarios, named }: KnownNames): readonly string[] {
  if (list === undefined) return scenarios.filter((id) => !named.includes(id));
  if (list === ALL) return scenarios;
  const wanted = list.split(',');
  for (const name of wanted) {
    if (!scenarios.some((id) => isSelected(id, name))) {
      throw new Error(`--only: there is no scenario '${name}'; there are ${[...scenarios, ALL].join(', ')}`);
    }
  }
  return scenarios.filter((id) => wanted.some((name) => isSelected(id, name)));
}

const isSelected = (id: string, name: string): boolean =>
  name !== '' && id.toLowerCase().startsWith(name.toLowerCase());

function adaptersOf(list: string | undefined, { adapters: known, namedAdapters }: KnownNames): readonly string[] {
  if (list === undefined) return known.filter((name) => !namedAdapters.includes(name));
  const wanted = list.split(',');
  for (const name of wanted) {
    if (!known.includes(name)) {
      throw new Error(`--adapters: there is no adapter '${name}'; there are ${known.join(', ')}`);
    }
  }
  return known.filter((name) => wanted.includes(name));
}

function positive(option: string, given: string, isValid: (value: number) => boolean): number {
  const value = Number(given);
  if (given.trim() === '' || !isValid(value) || value <= 0) {
    throw new Error(`${option} must be a number above 0, not '${given}'`);
  }
  return value;
}
