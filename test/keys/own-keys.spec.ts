import fc from 'fast-check';
import { LockNameError } from '../../lib/errors.js';
import { spellingFault } from '../../lib/keys/lock-name.js';
import {
  blockedHolds,
  clientChannel,
  clientsChannel,
  flightLock,
  flightResult,
  fullName,
  holderRecords,
  limitChannel,
  limitPermits,
  lockBesideKey,
  lockChannel,
  waitingClients,
  waitingWriters,
} from '../../lib/keys/redisson-keys.js';
import { hashSlot } from '../../lib/keys/hash-slot.js';
import type { AcquireDefaults } from '../../lib/waiting/acquire.options.js';

const WORDS = ['waiters', 'clients', 'limit', 'flight', 'result', 'blocked', 'holder', 'holder:1', 'rwlock_writers'];
const CLIENT = '7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c11';

const keysOf = (name: string): readonly string[] => [
  name,
  waitingClients(name),
  limitPermits(name),
  flightLock(name),
  flightResult(name),
  holderRecords(name),
  blockedHolds(name),
  waitingWriters(name),
];

/** Channels that give a lock, or tell who can be given it, and those that a name may be taken for. */
const channelsOf = (name: string): readonly string[] => [
  clientChannel(name, CLIENT),
  clientsChannel(name),
  limitChannel(name),
  lockChannel(limitPermits(name)),
];

const names = fc
  .array(fc.constantFrom('job', 'é', '{', '}', '{job}', ':', '::', ' ', ...WORDS), { minLength: 1, maxLength: 7 })
  .map((parts) => parts.join(''))
  .filter((name) => spellingFault(name) === undefined);

/** Names that are made of one another. */
const relatives = (name: string): readonly string[] => [
  `{${name}}`,
  name.replaceAll(/[{}]/g, ''),
  ...WORDS.flatMap((word) => [`${name}:${word}`, `${name}::${word}`, `{${name}}:${word}`]),
];

const defaults = { keyPrefix: '', names: { maxBytes: 1000, allowControlCharacters: false } } as AcquireDefaults;

const isAllowed = (name: string): boolean => {
  try {
    return fullName(name, defaults) === name;
  } catch (error) {
    if (error instanceof LockNameError) return false;
    throw error;
  }
};

describe('D38: two different names', () => {
  it('share no key of ours, and no channel on which a lock is given', () => {
    const pairs = names.chain((name) =>
      fc.tuple(fc.constant(name), fc.oneof(names, fc.constantFrom(...relatives(name)))),
    );
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        fc.pre(one !== other && isAllowed(one) && isAllowed(other));
        const [keys, channels] = [keysOf(one), channelsOf(one)];
        expect(keysOf(other).filter((key) => keys.includes(key))).toEqual([]);
        expect(channelsOf(other).filter((channel) => channels.includes(channel))).toEqual([]);
        expect(channels).not.toContain(lockChannel(other));
      }),
      { numRuns: 3000 },
    );
  });

  it('have their keys in the slots of their locks', () => {
    fc.assert(
      fc.property(names, (name) => {
        for (const key of keysOf(name)) expect(hashSlot(key)).toBe(hashSlot(name));
        for (const channel of channelsOf(name)) expect(hashSlot(channel)).toBe(hashSlot(name));
      }),
    );
  });

  it.each([
    ['{job}:waiters', 'job'],
    ['{job}:holder:a:1', 'job'],
    ['{v}:flight', 'v'],
    ['{job}::waiters', '{job}'],
    ['a{job}b::limit', 'a{job}b'],
  ])('are not %s and %s, since the first is a key beside the second', (key, name) => {
    expect(lockBesideKey(key)).toBe(name);
    expect(() => fullName(key, defaults)).toThrow(`"${key}" is the name of a key beside the lock "${name}"`);
  });

  it.each(['{job}:waiting', 'job:waiters', 'job::waiters', '{job}:waiters:', 'x{job}:limit', '{job}waiters'])(
    'may be %s',
    (name) => {
      expect(isAllowed(name)).toBe(true);
    },
  );
});
