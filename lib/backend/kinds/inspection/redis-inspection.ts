import type { OwnerId } from '../../../context/owner-ids.js';
import {
  fairDeadlines,
  fairQueue,
  holderRecords,
  holdersChannel,
  latchChannel,
  limitChannel,
  limitPermits,
  lockChannel,
  lockToken,
  permitDeadlines,
  readWriteLockChannel,
  readWriteStem,
  semaphoreChannel,
  waitingClients,
} from '../../../keys/redisson-keys.js';
import {
  type FoundName,
  MOST_LISTED,
  type NameSearch,
  NO_QUEUE,
  type RecordRequest,
  type StoredQueue,
  type StoredState,
} from './inspection-operations.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { type Announcement, announcementOn } from '../../commands/script-executor.js';
import { RedisOperations } from '../../commands/deadline-request.js';
import { FoundReply, heldIn } from './stored-hash.js';
import { scanNames } from './scan-names.js';

const NONE: StoredState = {
  shape: 'none',
  holders: [],
  holderCount: 0,
  listeners: 0,
  queue: NO_QUEUE,
  clients: NO_QUEUE,
  writers: NO_QUEUE,
};

/** An entry of a waiting client begins with its owner. */
const ownerOfEntry = (entry: string): string => entry.split(' ', 1)[0] ?? '';

const queueIn = (found: FoundReply, ownerOf: (member: string) => OwnerId = (owner) => owner): StoredQueue => ({
  count: found.number('count'),
  owners: found.texts('members').map(ownerOf),
});

/** The problem of a key beside the lock that has another type; `undefined`: it has none. */
const problemOf = (found: FoundReply, what: string, expected: string): string | undefined => {
  const type = found.text('type');
  return type === undefined || type === expected || type === 'none' ? undefined : `${what} is a ${type}`;
};

const TOKEN = /^\d{1,19}$/;

const fenceIn = (text: string | undefined): { readonly fence?: bigint; readonly problem?: string } => {
  if (text === undefined) return {};
  return TOKEN.test(text) ? { fence: BigInt(text) } : { problem: 'the key of the fencing token has no token' };
};

const joined = (problems: readonly (string | undefined)[]): { readonly problem?: string } => {
  const found = problems.filter((problem) => problem !== undefined);
  return found.length > 0 ? { problem: found.join('; ') } : {};
};

/**
 * {@link RedisInspection} in Redis: one script reads one name.
 *
 * Reads what is stored, and changes nothing of it. Data of any form is described, not refused. All reject with
 * `LockUnavailableError` if the backend does not answer in time.
 */
export class RedisInspection extends RedisOperations {
  /** A lock of any kind other than a limit: for a group, the whole group. */
  async lock(name: string): Promise<StoredState> {
    const args = {
      stem: readWriteStem(name),
      records: holderRecords(name),
      token: lockToken(name),
      queue: fairQueue(name),
      deadlines: fairDeadlines(name),
      waiters: waitingClients(name),
      readWriteChannel: readWriteLockChannel(name),
      most: MOST_LISTED,
      ...this.announcing(lockChannel(name)),
    };
    const [text, now] = await this.whenReady(name, (deadline) =>
      this.commands.run(scripts.inspection.lock, { lock: name }, args, deadline, name),
    );
    const found = FoundReply.parse(text);
    const [queue, clients, writers] = [found.part('queue'), found.part('clients'), found.part('writers')];
    const held = heldIn(found, now);
    const { fence, problem } = fenceIn(found.part('token').text('text'));
    return {
      ...NONE,
      ...held,
      listeners: found.number('listeners'),
      queue: queueIn(queue),
      clients: queueIn(clients, ownerOfEntry),
      writers: queueIn(writers),
      ...(fence !== undefined && { fence }),
      ...joined([
        held.problem,
        problem,
        problemOf(found.part('token'), 'the key of the fencing token', 'string'),
        problemOf(queue, 'the key of the queue', 'list'),
        problemOf(clients, 'the key of the waiting clients', 'zset'),
      ]),
    };
  }

  async limit(name: string): Promise<StoredState> {
    const permits = limitPermits(name);
    const args = { records: holderRecords(name), most: MOST_LISTED, ...this.announcing(limitChannel(name)) };
    const run = (deadline: number) => this.commands.run(scripts.inspection.limit, { permits }, args, deadline, name);
    const [text] = await this.whenReady(permits, run, name);
    const found = FoundReply.parse(text);
    const type = found.text('type') ?? 'none';
    const listeners = found.number('listeners');
    if (type === 'none') return { ...NONE, listeners };
    const limit = found.text('limit');
    if (type !== 'zset' || limit === undefined) {
      const problem = type === 'zset' ? 'the key is a zset that is no limit' : `the key is a ${type}`;
      return { ...NONE, shape: 'foreign', listeners, problem };
    }
    const remaining = found.numbers('remaining');
    const records = found.part('records');
    const holders = found.texts('members').map((owner, at) => {
      const record = records.text(owner);
      const left = remaining[at] ?? 0;
      return { owner, mode: 'permit', count: 1, remaining: left, ...(record !== undefined && { record }) } as const;
    });
    return {
      ...NONE,
      shape: 'limit',
      holders,
      holderCount: found.number('count'),
      listeners,
      queue: { count: found.number('waiting'), owners: found.texts('places') },
      number: Number(limit),
    };
  }

  /** A semaphore whose permits have ids. */
  async permits(name: string): Promise<StoredState> {
    const args = { deadlines: permitDeadlines(name), most: MOST_LISTED, ...this.announcing(semaphoreChannel(name)) };
    const [text] = await this.whenReady(name, (deadline) =>
      this.commands.run(scripts.inspection.permits, { permits: name }, args, deadline, name),
    );
    const found = FoundReply.parse(text);
    const type = found.text('type') ?? 'none';
    const [available, deadlines] = [found.text('available'), found.text('deadlines')];
    const listeners = found.number('listeners');
    const foreign = available === undefined ? `the key is a ${type}` : undefined;
    const foreignDeadlines =
      deadlines === 'zset' || deadlines === 'none' ? undefined : `the key of the permits in use is a ${deadlines}`;
    if (foreign !== undefined || foreignDeadlines !== undefined) {
      return { ...NONE, shape: 'foreign', listeners, ...joined([foreign, foreignDeadlines]) };
    }
    const remaining = found.numbers('remaining');
    const holders = found
      .texts('members')
      .map((owner, at) => ({ owner, mode: 'permit', count: 1, remaining: remaining[at] ?? 0 }) as const);
    const holderCount = found.number('count');
    if (type === 'none' && holderCount === 0) return { ...NONE, listeners };
    return { ...NONE, shape: 'permits', holders, holderCount, listeners, number: Number(available) };
  }

  /** A semaphore whose permits have no owner. */
  semaphore(name: string): Promise<StoredState> {
    return this.counter(name, semaphoreChannel(name));
  }

  latch(name: string): Promise<StoredState> {
    return this.counter(name, latchChannel(name));
  }

  /**
   * The names of locks that may be held, in batches. A name may come twice; one that is locked or released meanwhile may
   * come or not.
   */
  names(search: NameSearch): AsyncIterable<readonly FoundName[]> {
    return scanNames(this.commands, () => this.deadline(), search);
  }

  /** Writes a record beside a hold, or writes it again. */
  async keepRecord({ name, owner, text, lease }: RecordRequest): Promise<void> {
    const record = holderRecords(name) + owner;
    const run = (deadline: number) =>
      this.commands.run(scripts.inspection.keepRecord, { record }, { text, lease: Math.ceil(lease) }, deadline, name);
    await this.whenReady(record, run, name);
  }

  async dropRecord(name: string, owner: OwnerId): Promise<void> {
    const record = holderRecords(name) + owner;
    const run = (deadline: number) => this.commands.run(scripts.inspection.dropRecord, { record }, {}, deadline, name);
    await this.whenReady(record, run, name);
  }

  /** Tells the processes that hold a name that others have ended a hold of it. */
  async tellHolders(name: string): Promise<void> {
    const args = this.announcing(holdersChannel(name));
    await this.whenReady(name, (deadline) =>
      this.commands.run(scripts.inspection.tellHolders, { lock: name }, args, deadline, name),
    );
  }

  private async counter(name: string, channel: string): Promise<StoredState> {
    const args = this.announcing(channel);
    const [found, text, listeners] = await this.whenReady(name, (deadline) =>
      this.commands.run(scripts.inspection.counter, { counter: name }, args, deadline, name),
    );
    if (found === 'none') return { ...NONE, listeners };
    if (text === '') return { ...NONE, shape: 'foreign', listeners, problem: `the key is a ${found}` };
    return { ...NONE, shape: 'number', listeners, number: Number(text) };
  }

  private announcing(channel: string): Announcement {
    return announcementOn(this.commands, channel);
  }
}
