import type { Rng } from '../../chaos/rng.js';
import type { Cast, Stage } from '../stage/stage.js';

/** Load that has begun. */
export interface Play {
  /** One promise for each actor; none rejects. */
  readonly actors: readonly Promise<unknown>[];
  /** Called when all load has ended and everything has had its time. */
  readonly finish?: () => void;
}

/** One kind of load. */
export interface Scenario {
  readonly name: string;
  /** Whether processes may die in it. */
  readonly mayKill: boolean;
  cast(rng: Rng): Cast;
  play(stage: Stage): Play;
}

/** So many times, one after the other. */
export const repeat = async (times: number, once: (index: number) => Promise<unknown>): Promise<void> => {
  for (let index = 0; index < times; index += 1) await once(index);
};
