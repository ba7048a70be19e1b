import type { Rng } from '../../chaos/rng.js';
import type { Setup, SimulatedWorld } from '../world/simulated-world.js';

/** The load of a run, which has begun. */
export interface Load {
  /** One promise for each caller. None rejects. */
  readonly callers: readonly Promise<unknown>[];
  /** Called after the load has ended and everything has come to rest. */
  readonly finish?: () => void;
}

/** One kind of load. */
export interface Scenario {
  readonly name: string;
  /** Whether faults may kill processes in it. */
  readonly mayKill: boolean;
  /** Whether no message is slow and no fault happens but its own, so that all rules are strict. Default: no. */
  readonly isQuiet?: boolean;
  setup(rng: Rng): Setup;
  start(world: SimulatedWorld): Load;
}

/** Calls `once` this many times, one after the other. */
export const repeat = async (times: number, once: (index: number) => Promise<unknown>): Promise<void> => {
  for (let index = 0; index < times; index += 1) await once(index);
};
