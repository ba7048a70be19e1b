import type { Rng } from '../../chaos/rng.js';
import type { DelayProfile } from '../network/delays.js';

/** Conditions of a run: delays of messages, number of faults, options of the module. */
export interface Profile {
  readonly name: 'quiet' | 'slow' | 'faulty';
  readonly delays: DelayProfile;
  readonly commandTimeout: number;
  readonly renewedLease: number;
  readonly fairWaitTimeout: number;
  readonly safetyPoll: number;
  readonly handover: boolean;
  /** The number of faults in a run. */
  readonly faults: number;
}

const USUAL = [
  [0.1, 0.6],
  [0.5, 4],
  [2, 25],
] as const;

export const drawProfile = (rng: Rng): Profile => {
  const name = rng.pick(['quiet', 'slow', 'slow', 'faulty', 'faulty'] as const);
  const commandTimeout = rng.pick([150, 400, 1000]);
  // The more messages are slow, the shorter their delay, because otherwise connections would carry little else.
  const [chance, longest] = rng.pick([
    [0.03, 2 * commandTimeout],
    [0.08, commandTimeout],
    [0.25, 100],
  ] as const);
  return {
    name,
    delays: {
      usual: rng.pick(USUAL),
      slow: { chance: name === 'quiet' ? 0 : chance, range: [10, longest] },
    },
    commandTimeout,
    renewedLease: rng.pick([300, 1000, 3000]),
    fairWaitTimeout: rng.pick([600, 2000, 5000, 15_000]),
    safetyPoll: rng.pick([5000, 20_000]),
    handover: rng.chance(0.7),
    faults: name === 'faulty' ? rng.whole(1, 5) : 0,
  };
};

/** The same options, but no message is slow, and nothing fails that the scenario itself does not break. */
export const quietOf = (profile: Profile): Profile => ({
  ...profile,
  name: 'quiet',
  delays: { ...profile.delays, slow: { ...profile.delays.slow, chance: 0 } },
  faults: 0,
});
