import fc from 'fast-check';
import type { WaitingEntry } from '../../../lib/backend/lock-operations.js';
import { clientChannel, clientsChannel, lockChannel } from '../../../lib/keys/redisson-keys.js';
import { lease, OVER_MS, SHORT_MS, UNIT } from '../durations.js';
import { exclusiveOwners, name } from '../names.js';
import type { Side, Step } from '../pair.js';

const CLIENTS = ['55555555-5555-8555-8555-555555555555', '66666666-6666-8666-8666-666666666666'];
const client = fc.constantFrom(...CLIENTS);
/** Clients without entries, such as Redisson's. */
const foreign = fc.constantFrom('Java 1', 'Java 2');

/**
 * Few entries, so that they are asked about again, and after they were granted or withdrawn; an owner has one entry. One
 * of each client has a first lease that is shorter than the one it wants.
 */
const entries = CLIENTS.flatMap((id) => [
  { owner: `${id}:1`, lease: 8 * UNIT, firstLease: 3 * UNIT },
  { owner: `${id}:2`, lease: 8 * UNIT, firstLease: 8 * UNIT },
]);
const entry: fc.Arbitrary<WaitingEntry> = fc.constantFrom(...entries);
/** Entries that are used up within one step. */
const shortEntry = client.map((id) => ({ owner: `${id}:3`, lease: SHORT_MS, firstLease: SHORT_MS }));

const waitingOwners = entries.map(({ owner }) => owner);
const waitingOwner = fc.constantFrom(...waitingOwners);
const anyOwner = fc.constantFrom(...waitingOwners, ...exclusiveOwners);

const textOf = ({ owner, lease: ms, firstLease }: WaitingEntry): string => `${owner} ${ms} ${firstLease}`;

/** Lets the clock move on, since entries of the same microsecond are in no order of arrival. */
const next = async <T>({ pass }: Side, step: () => Promise<T>): Promise<T> => {
  await pass(1);
  return step();
};

const release = (side: Side, lock: string, by: string, again?: WaitingEntry): ReturnType<Step['run']> =>
  next(side, () =>
    side.backend.lock.release({
      name: lock,
      owner: by,
      lease: 1000,
      again: again && { ...again, onSettled: () => {} },
    }),
  );

const clientOf = (owner: string): string => owner.slice(0, owner.lastIndexOf(':'));

/** A client that waits listens to both channels, unless it is dead. */
const listenAs = ({ listeners }: Side, id: string, lock: string): Promise<void> =>
  listeners.listen(id, [clientChannel(lock, id), clientsChannel(lock), lockChannel(lock)]);

const wait = fc.tuple(name, entry, fc.boolean(), fc.boolean()).map(([lock, waiting, isNew, isAlive]): Step => ({
  label: `lock.wait ${lock} ${textOf(waiting)}${isNew ? ', new' : ''}${isAlive ? ', alive' : ''}`,
  run: async (side) => {
    if (isAlive) await listenAs(side, clientOf(waiting.owner), lock);
    return next(side, () => side.backend.lock.wait({ name: lock, entry: waiting, isNew }));
  },
}));

/** The owner that has the lock, of those that such steps are about. */
const holderOf = async ({ backend }: Side, lock: string): Promise<string> => {
  for (const owner of [...waitingOwners, ...exclusiveOwners])
    if ((await backend.lock.inspect(lock, owner)).count > 0) return owner;
  return 'free:1';
};

const releaseByHolder = fc.tuple(name, fc.option(entry, { nil: undefined })).map(([lock, again]): Step => ({
  label: `lock.release ${lock} by its holder${again ? ` with ${textOf(again)}` : ''}`,
  run: async (side) => release(side, lock, await holderOf(side, lock), again),
}));

const withdraw = fc.tuple(name, entry).map(([lock, waiting]): Step => ({
  label: `lock.withdraw ${lock} ${textOf(waiting)}`,
  run: ({ backend }) => {
    backend.lock.withdraw(lock, waiting);
    // A later command on the same connection: the withdrawal has been executed before its reply.
    return backend.lock.inspect(lock, waiting.owner);
  },
}));

const releaseAgain = fc.tuple(name, anyOwner, fc.option(entry, { nil: undefined })).map(([lock, by, again]): Step => ({
  label: `lock.release ${lock} ${by}${again ? ` with ${textOf(again)}` : ''}`,
  run: (side) => release(side, lock, by, again),
}));

/** Passes a lock on to a client whose lease then ends, in one step. */
const passOnShortly = fc.tuple(name, shortEntry).map(([lock, short]): Step => ({
  label: `lock.release ${lock} by its holder, and what ${short.owner} may be given for ${SHORT_MS} passes`,
  run: async (side) => {
    await listenAs(side, clientOf(short.owner), lock);
    const reply = await next(side, () => side.backend.lock.wait({ name: lock, entry: short, isNew: true }));
    const released = await release(side, lock, await holderOf(side, lock));
    await side.pass(OVER_MS);
    side.backend.lock.withdraw(lock, short);
    await side.backend.lock.inspect(lock, short.owner);
    return [reply.outcome, released];
  },
}));

const hold = fc.tuple(name, waitingOwner, lease).map(([lock, owner, ms]): Step => ({
  label: `lock.hold ${lock} ${owner} ${ms}`,
  run: ({ backend }) => backend.lock.hold({ name: lock, owner, count: 1, lease: ms }),
}));

/** Those that listen to the channel of releases alone have no entries. */
const listen = fc.oneof(
  fc.tuple(client, name).map(([id, lock]): Step => ({
    label: `${id} listens for ${lock}`,
    run: (side) => listenAs(side, id, lock),
  })),
  fc.tuple(foreign, name).map(([id, lock]): Step => ({
    label: `${id} listens for ${lock}`,
    run: ({ listeners }) => listeners.listen(id, [lockChannel(lock)]),
  })),
);

const leave = fc.oneof(client, foreign).map((id): Step => ({
  label: `${id} listens no more`,
  run: ({ listeners }) => listeners.leave(id),
}));

/** A lock that clients give to one another. Operations of every lock are in `lock.steps`. */
export const grantingSteps: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: wait, weight: 8 },
  { arbitrary: releaseByHolder, weight: 6 },
  { arbitrary: releaseAgain, weight: 2 },
  { arbitrary: listen, weight: 1 },
  { arbitrary: withdraw, weight: 2 },
  { arbitrary: hold, weight: 2 },
  { arbitrary: passOnShortly, weight: 2 },
  { arbitrary: leave, weight: 2 },
);

/** How long entries last without a sign of life. No lease ends in the same millisecond. */
const ENTRIES_LAST = 60_000;

/** Ends entries, and whatever else lasts as long. */
export const entriesExpire: fc.Arbitrary<Step> = fc.constant({
  label: 'a minute passes',
  run: ({ pass }: Side) => pass(ENTRIES_LAST + 1),
});
