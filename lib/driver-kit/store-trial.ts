import { ok } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { Command } from '../backend/driver/redis-driver.js';
import { allSettled } from '../concurrency.js';
import { isPassing } from '../errors.js';
import type { Lock } from '../locks/lock.js';
import type { CreateLocksOptions, Locks } from '../module/create-locks.js';
import { TimeLimit } from './time-limit.js';

/** A server to try, or a proxy in front of one, by how its users connect. */
export interface StoreUnderTest {
  /**
   * Opens a client with connections of its own: `createLocks({ ...options, connection })`.
   * @param options Add only what the connection needs, such as `driver`.
   */
  open(options: CreateLocksOptions): Promise<Locks>;
  /** Sends a command beside the locks: `DEL`, `PTTL`, and for every master of a cluster `KEYS`, `SCRIPT FLUSH`. */
  send(command: Command): Promise<unknown>;
}

/** How long a caller waits, ms. */
export const WAIT_MS = 5000;

/** For code that has nothing to do. */
export const ignore = (): void => {};

const OPTIONS: CreateLocksOptions = {
  logger: { log: ignore, warn: ignore, error: ignore },
  probe: false,
  // A store that refuses a script is asked again until then, and what it says is told only then.
  wait: WAIT_MS,
  // Longer than a case: what a client learns of in time, it was told.
  safetyPoll: '1m',
  renewedLease: '1m',
  // Far from the server, or on a busy machine.
  commandTimeout: 2000,
  shutdownTimeout: 1000,
};

const answers = async (locks: Locks): Promise<boolean> => {
  try {
    await locks.getLock('first').isLocked();
    return true;
  } catch (error) {
    if (isPassing(error)) return false;
    throw error;
  }
};

/** Clients and names of one case. */
export class StoreTrial {
  private readonly id = randomUUID();
  /** Begins the names of its locks. */
  readonly prefix = `store-kit:${this.id}:`;
  private readonly time = new TimeLimit();
  private readonly opening: Promise<Locks>[] = [];

  constructor(private readonly store: StoreUnderTest) {}

  async run(check: (trial: StoreTrial) => Promise<void>): Promise<void> {
    const checked = this.time.around(check(this));
    // In any case. If both fail, the check says why.
    const ended = Promise.allSettled([checked]).then(() => new TimeLimit().around(this.end()));
    await allSettled([checked, ended]);
  }

  async open(options: CreateLocksOptions = {}): Promise<Locks> {
    const opening = this.store.open({ ...OPTIONS, keyPrefix: this.prefix, ...options });
    this.opening.push(opening);
    const locks = await opening;
    // Its connections may still be on their way, and are not to take up a short lease.
    await this.until('an answer of the store', () => answers(locks));
    return locks;
  }

  two(): Promise<readonly [Locks, Locks]> {
    return Promise.all([this.open(), this.open()]);
  }

  /** The same object of two clients. */
  async both<T>(get: (locks: Locks) => T): Promise<readonly [T, T]> {
    const [one, two] = await this.two();
    return [get(one), get(two)];
  }

  until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    return this.time.until(condition, what);
  }

  /** Resolves when the store knows that so many wait. */
  waiting(lock: Pick<Lock, 'inspect'>, count: number): Promise<void> {
    return this.until(`${count} that wait`, async () => (await lock.inspect()).waiting.count >= count);
  }

  send(...command: Command): Promise<unknown> {
    return this.store.send(command);
  }

  /** The keys of the case. */
  async keys(): Promise<readonly string[]> {
    const keys = await this.send('KEYS', `*${this.id}*`);
    ok(Array.isArray(keys), 'KEYS was not answered with a list');
    return keys.map(String);
  }

  async deleteKeys(): Promise<void> {
    // One by one: in a cluster they are on several servers.
    await Promise.all((await this.keys()).map((key) => this.send('DEL', key)));
  }

  private async end(): Promise<void> {
    // A client that could not be opened needs no end.
    await Promise.allSettled(this.opening.map((opening) => opening.then((locks) => locks.close())));
    await this.deleteKeys();
  }
}
