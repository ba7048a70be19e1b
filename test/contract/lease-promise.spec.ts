import type { ClientOptions } from '../kit/client.js';
import { inWorld } from '../kit/every-backend.js';
import { Gate } from '../kit/gate.js';
import { MemoryWorld } from '../kit/memory-world.js';
import type { Time } from '../kit/time.js';
import type { LockService } from '../../lib/index.js';
import { type Held, KINDS, type Run, type Terms, type Work } from './held-work.js';

const COMMAND_MS = 100;
/** Far longer than a first lease. */
const LEASE_MS = 30_000;
/** By so much a client may count a lease too short: it does not know when exactly the server's clock was read. */
const NETWORK_MS = 100;
/** The part of a lease that clocks which drift leave to a client. */
const SAFE_PART = 0.98;
/** An entry of that age gets a first lease. */
const OLD_MS = 150;
const WAIT = 20_000;

/** Two clients. */
interface Site {
  readonly time: Time;
  readonly terms: Terms;
  readonly mine: LockService;
  readonly other: LockService;
  /** Whether the first client waits on the server. */
  readonly hasEntry: () => Promise<boolean>;
  /** How long the server keeps each hold of the lock, ms. */
  readonly keptFor: () => Promise<readonly number[]>;
}

/** What a caller of the first client got. */
interface Got {
  /** A lease that began no earlier, by the clock of the clients. */
  readonly since: number;
  readonly ended: Promise<unknown>;
}

/** Gets the lock for a caller of the first client. */
type Way = (site: Site, work: Work) => Promise<Got>;

interface Behind {
  /** What the other client holds. */
  readonly holder: Run;
  /** The other client releases as soon as the first one has an entry on the server, and not later. */
  readonly isFresh?: boolean;
}

/** From a holder in another client. */
const behind =
  (run: Run, { holder, isFresh = false }: Behind): Way =>
  async ({ time, terms, mine, other, hasEntry }, work) => {
    const gate = new Gate();
    const before = holder(other, { wait: WAIT }, () => gate.pass());
    await time.finish(Promise.race([gate.reached, before]), WAIT);
    const next = run(mine, terms, work);
    await time.until(() => (isFresh ? hasEntry() : mine.stats().waiting === 1), WAIT);
    if (!isFresh) await time.pass(OLD_MS);
    const since = time.now();
    gate.open();
    return { since, ended: Promise.all([before, next]) };
  };

const free =
  (run: Run): Way =>
  async ({ time, terms, mine }, work) => ({ since: time.now(), ended: run(mine, terms, work) });

/** Longer than a hand-over run may take, ms. */
const HELD_MS = 20;

/** After other callers of the same process, each of which releases the lock when it has held it for so long. */
const inProcess =
  (...heldFor: readonly number[]): Way =>
  async ({ time, terms, mine }, work) => {
    let since = time.now();
    const before = heldFor.map(() => mine.acquire('n', terms));
    const next = KINDS.reentrant(mine, terms, work);
    const waitUntil = async (waiting: number): Promise<unknown> =>
      time.until(() => mine.stats().waiting === waiting, WAIT);
    const released: Promise<unknown>[] = [];
    for (const [index, ms] of heldFor.entries()) {
      const hold = await time.finish(before[index] ?? Promise.reject(new RangeError()), WAIT);
      if (ms > 0) {
        await waitUntil(heldFor.length - index);
        await time.pass(ms);
        since = time.now();
      }
      released.push(hold.release());
    }
    return { since, ended: Promise.all([...released, next]) };
  };

const attached: Way = async ({ time, terms, mine, other }, work) => {
  const token = await (await other.acquire('n')).detach();
  const since = time.now();
  const { lease } = terms;
  const goOn = async (): Promise<void> => {
    const hold = await mine.attach(token, { lease });
    await work(hold);
    await hold.release();
  };
  return { since, ended: goOn() };
};

const WAYS: readonly (readonly [string, Way])[] = [
  ...Object.entries(KINDS).flatMap(([kind, run]): [string, Way][] => [
    [`${kind}, free`, free(run)],
    [`${kind}, after another client`, behind(run, { holder: kind === 'read' ? KINDS.write : run })],
  ]),
  [
    'reentrant, after another client and with a fresh entry',
    behind(KINDS.reentrant, { holder: KINDS.reentrant, isFresh: true }),
  ],
  ['reentrant, handed over inside the process', inProcess(0)],
  ['reentrant, passed on to a client by itself', inProcess(OLD_MS)],
  ['reentrant, kept by a release', inProcess(OLD_MS, HELD_MS)],
  ['reentrant, attached', attached],
];

const PROMISES = ['lease', 'renewedLease'] as const;
type PromiseName = (typeof PROMISES)[number];

const termsOf = (promise: PromiseName, ms: number): Terms => ({
  wait: WAIT,
  ...(promise === 'lease' && { lease: ms }),
});
const optionsOf = (promise: PromiseName, ms: number): Pick<ClientOptions, 'renewedLease' | 'commandTimeout'> => ({
  commandTimeout: COMMAND_MS,
  ...(promise === 'renewedLease' && { renewedLease: ms }),
});

/**
 * Occupies the process in the first line of the caller's code. Returns by how much its lease was shorter than promised,
 * ms, by the hold or by the server: less than nothing, if it was kept.
 */
const shortBy = async (site: Site, lease: number, way: Way): Promise<number> => {
  const { time, keptFor } = site;
  const [inside, over] = [new Gate(), new Gate()];
  let held: Held | undefined;
  const { since, ended } = await way(site, (given) => {
    held = given;
    // Synchronous work: no timer runs, no reply arrives, and nothing is sent.
    time.block(lease / 3);
    void inside.pass();
    return over.pass();
  });
  await time.finish(Promise.race([inside.reached, ended]), WAIT);
  const [there = 0, another] = await time.finish(keptFor(), WAIT);
  if (another !== undefined) throw new Error('Another owner has the lock');
  const here = held?.isHeld ? held.remaining : 0;
  const promised = lease * SAFE_PART - NETWORK_MS - (time.now() - since);
  over.open();
  await time.finish(ended, WAIT);
  return promised - Math.min(here, there);
};

const memory = new MemoryWorld();

inWorld(memory, (world) => {
  describe('A lock keeps what was promised from the first line of the code that runs under it', () => {
    it.each(WAYS.flatMap(([name, way]) => PROMISES.map((promise) => [name, promise, way] as const)))(
      'D39: %s; `%s`',
      async (_, promise, way) => {
        const mine = await world.open(optionsOf(promise, LEASE_MS));
        const other = await world.open();
        const keptFor = async (): Promise<readonly number[]> => {
          const left: number[] = [];
          for await (const { holders } of other.locks.list('n'))
            left.push(...holders.map(({ remaining }) => remaining));
          return left;
        };
        const site = {
          time: world.time,
          terms: termsOf(promise, LEASE_MS),
          mine: mine.locks,
          other: other.locks,
          hasEntry: async () => (await world.probe.waitingClients('n')) === 1,
          keptFor,
        };
        expect(await shortBy(site, LEASE_MS, way)).toBeLessThan(0);
      },
    );
  });
});
