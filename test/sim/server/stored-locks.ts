import type { Keyspace } from '../../../lib/backend/memory/keyspace.js';
import type { OwnerId } from '../../../lib/context/owner-ids.js';
import {
  fairDeadlines,
  fairQueue,
  limitPermits,
  permitDeadlines,
  readTimeout,
  waitingClients,
  waitingWriters,
} from '../../../lib/keys/redisson-keys.js';

/** Redisson's deadline of permits without a lease, and any later one. */
const NO_DEADLINE = 922337203685477;
/** Milliseconds that are left of something that is not there. */
const GONE = -2;

/** Reads what a server has stored of locks, without a script. */
export class StoredLocks {
  constructor(private readonly keyspace: Keyspace) {}

  private get now(): number {
    return this.keyspace.now();
  }

  remaining(key: string): number {
    return Number(this.keyspace.call(['PTTL', key]));
  }

  isThere(key: string): boolean {
    return this.keyspace.entry(key) !== undefined;
  }

  /** The owner of a lock of a kind that excludes all others. */
  holderOf(name: string): OwnerId | undefined {
    const { mode, ...holds } = this.hash(name);
    return mode === undefined ? Object.keys(holds)[0] : undefined;
  }

  /** The owners of a lock of any kind. */
  holdersOf(name: string): readonly OwnerId[] {
    const { mode: _, ...holds } = this.hash(name);
    return Object.keys(holds).map((field) => field.replace(/:write$/, ''));
  }

  isWritten(name: string): boolean {
    return this.hash(name)['mode'] === 'write';
  }

  /** Milliseconds for which the owner still has a half of a read-write lock. */
  remainingOfHalf(half: 'read' | 'write', name: string, owner: OwnerId): number {
    const holds = this.hash(name);
    if (half === 'write') return `${owner}:write` in holds ? this.remaining(name) : GONE;
    const reads = Array.from({ length: Number(holds[owner] ?? 0) }, (_, index) => readTimeout(name, owner, index + 1));
    return Math.max(GONE, ...reads.map((key) => this.remaining(key)));
  }

  /** The owners with places in the queue of a fair lock that have not ended, in order. */
  fairWaiters(name: string): readonly OwnerId[] {
    const deadlines = this.scores(fairDeadlines(name));
    const all = [this.keyspace.find(fairQueue(name), 'list') ?? []].flat();
    return all.filter((owner) => (deadlines.get(owner) ?? Infinity) > this.now);
  }

  /** The owners of the entries that wait for a lock, in order of arrival. */
  waitingFor(name: string): readonly OwnerId[] {
    return [...this.scores(waitingClients(name)).keys()].map((entry) => entry.split(' ')[0] ?? '');
  }

  /** Announced writers, and until when each is one. */
  waitingWriters(name: string): ReadonlyMap<OwnerId, number> {
    return this.scores(waitingWriters(name));
  }

  /** The owners of permits of a limit, and until when each has one. */
  permitsOf(name: string): ReadonlyMap<OwnerId, number> {
    const members = [...this.scores(limitPermits(name))];
    return new Map(members.filter(([member, score]) => score > 0 && member.includes(':') && !member.includes(' ')));
  }

  /** Whether an owner waits for a permit of a limit, by the key of that. */
  hasPlace(key: string, owner: OwnerId): boolean {
    return this.scores(key).has(`place ${owner}`);
  }

  /** The number of permits or counts; `undefined`: there is none. */
  count(name: string): number | undefined {
    const text = this.keyspace.find(name, 'string');
    return text === undefined ? undefined : Number(text);
  }

  /** The ids of permits in use, and until when each is. */
  permitDeadlines(name: string): ReadonlyMap<string, number> {
    const hex = (id: string): string => Buffer.from(id, 'latin1').toString('hex');
    const until = (deadline: number): number => (deadline < NO_DEADLINE ? deadline : Infinity);
    return new Map([...this.scores(permitDeadlines(name))].map(([id, deadline]) => [hex(id), until(deadline)]));
  }

  private hash(name: string): Readonly<Record<string, string>> {
    return this.keyspace.entry(name)?.type === 'hash' ? Object.fromEntries(this.keyspace.find(name, 'hash') ?? []) : {};
  }

  private scores(key: string): ReadonlyMap<string, number> {
    const set = this.keyspace.find(key, 'zset');
    return new Map(set?.members.map((member) => [member, set.score(member) ?? 0]));
  }
}
