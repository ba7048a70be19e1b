import type { PermitId, PermitIds } from '../../../context/permit-ids.js';
import type { Renewal } from '../../lock-operations.js';
import type { Stopwatch } from '../../../time/scheduler.js';
import { MOST_PERMITS } from '../counters/counters.js';
import { wrongKeyType } from '../../../errors.js';
import { type Announcement, announcementOn, type ScriptExecutor } from '../../commands/script-executor.js';
import type { RequestLimits } from '../../commands/deadline-request.js';
import type { CounterReply, IdempotentRequest } from '../../commands/idempotent-requests.js';
import type { RenewReply } from '../lock/lock-scripts.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { permitDeadlines, semaphoreChannel } from '../../../keys/redisson-keys.js';

/** Request for as many permits as there are ids, or none. */
export interface PermitRequest {
  readonly name: string;
  /** At least one; new ids for every request, whatever the outcome of the last. */
  readonly ids: PermitIds;
  /** Milliseconds, counted by the server from the moment it grants; `Infinity`: until they are released. */
  readonly lease: number;
}

export type PermitOutcome =
  /** `sent`: started just before the command left; the lease is counted from there. `available`: what is left. */
  | { readonly outcome: 'acquired'; readonly sent: Stopwatch; readonly available: number }
  /** `remaining`: ms until the lease of a permit in use ends by itself; -1 if none does. */
  | {
      readonly outcome: 'busy';
      readonly available: number;
      /** Whether the number of permits was ever set. */
      readonly isSet: boolean;
      readonly remaining: number;
    };

/**
 * `expired`: the permit was returned now, after its lease was over. `not-held`: it was returned before, or never in
 * use.
 */
export type PermitRelease = 'released' | 'expired' | 'not-held';

export type PermitLeaseOutcome =
  /** `sent`: started just before the command left; the lease is counted from there. */
  { readonly outcome: 'held'; readonly sent: Stopwatch } | { readonly outcome: 'not-held' };

export interface PermitState {
  /** Whether the number of permits was ever set. */
  readonly isSet: boolean;
  /** Below zero while more permits are in use than there are in total. */
  readonly available: number;
  /** Permits in use. */
  readonly out: number;
}

interface AcquireAnswer {
  readonly outcome: 'acquired' | 'busy' | 'not-set' | 'late';
  readonly available: number;
  readonly remaining: number;
}

/** `now`: the server's time, ms. */
interface ReleaseAnswer {
  readonly outcome: PermitRelease;
  readonly now: number;
}

interface ReleaseAllAnswer {
  readonly outcome: 'released' | 'not-held';
  /** How many of the permits to be released are not in the pool. */
  readonly out: number;
  readonly now: number;
}

type Known<Outcome> = Exclude<Outcome, 'wrong-type' | 'wrong-deadlines'>;

const keysOf = (name: string): { permits: string; deadlines: string } => ({
  permits: name,
  deadlines: permitDeadlines(name),
});

/** The scripts have no infinity: a lease below zero means no lease. */
const spelled = (lease: number): number => (lease === Number.POSITIVE_INFINITY ? -1 : lease);

/**
 * The scripts of permits, on Redisson's data: string `name`, the number of available permits; zset `{name}:timeout`,
 * the permits in use, by deadline. One script per operation.
 */
export class PermitScripts {
  constructor(private readonly commands: ScriptExecutor) {}

  async acquire({ name, ids, lease }: PermitRequest, { notAfter, deadline }: RequestLimits): Promise<AcquireAnswer> {
    const args = { lease: spelled(lease), notAfter, ids, ...this.announcing(name) };
    const reply = await this.commands.run(scripts.permits.acquire, keysOf(name), args, deadline, name);
    const [outcome, found, , available, remaining] = reply;
    return { outcome: this.known(name, outcome, found), available, remaining };
  }

  async release(name: string, id: PermitId, deadline: number): Promise<ReleaseAnswer> {
    const args = { id, ...this.announcing(name) };
    const reply = await this.commands.run(scripts.permits.release, keysOf(name), args, deadline, name);
    const [outcome, found, now] = reply;
    return { outcome: this.known(name, outcome, found), now };
  }

  async releaseAll(name: string, ids: PermitIds, deadline: number): Promise<ReleaseAllAnswer> {
    const args = { ids, ...this.announcing(name) };
    const reply = await this.commands.run(scripts.permits.releaseAll, keysOf(name), args, deadline, name);
    const [outcome, found, now, out] = reply;
    return { outcome: this.known(name, outcome, found), out, now };
  }

  async updateLease(
    name: string,
    id: PermitId,
    lease: number,
    { notAfter, deadline }: RequestLimits,
  ): Promise<'held' | 'not-held' | 'late'> {
    const args = { id, lease: spelled(lease), notAfter, ...this.announcing(name) };
    const reply = await this.commands.run(scripts.permits.updateLease, keysOf(name), args, deadline, name);
    const [outcome, found] = reply;
    return this.known(name, outcome, found);
  }

  keyOf(name: string): string {
    return permitDeadlines(name);
  }

  /** The owner of a renewal is the permit's id. */
  renew(renewals: readonly Renewal[], { notAfter, deadline }: RequestLimits): Promise<RenewReply> {
    const sets = renewals.map(({ name }) => this.keyOf(name));
    const holders = renewals.flatMap(({ owner, lease }) => [owner, String(lease)]);
    return this.commands.run(scripts.permits.renew, { sets }, { notAfter, holders }, deadline);
  }

  async lease(name: string, id: PermitId, deadline: number): Promise<number | undefined> {
    const args = { id, ...this.announcing(name) };
    const reply = await this.commands.run(scripts.permits.lease, keysOf(name), args, deadline, name);
    const [outcome, found, remaining] = reply;
    if (this.known(name, outcome, found) === 'not-held') return undefined;
    return remaining < 0 ? Number.POSITIVE_INFINITY : remaining;
  }

  async inspect(name: string, deadline: number): Promise<PermitState> {
    const reply = await this.commands.run(scripts.permits.inspect, keysOf(name), this.announcing(name), deadline, name);
    const [outcome, found, available, out] = reply;
    return { isSet: this.known(name, outcome, found) === 'set', available, out };
  }

  async set(name: string, total: number, { notAfter, deadline }: RequestLimits): Promise<'set' | 'late'> {
    const args = { total, notAfter, ...this.announcing(name) };
    const [outcome, found] = await this.commands.run(scripts.permits.set, keysOf(name), args, deadline, name);
    return this.known(name, outcome, found);
  }

  async add(name: string, delta: number, request: IdempotentRequest): Promise<CounterReply<'added' | 'too-many'>> {
    const { idempotencyKey, keyTtl, notAfter, deadline } = request;
    const args = { delta, most: MOST_PERMITS, keep: keyTtl, notAfter, ...this.announcing(name) };
    const keys = { ...keysOf(name), marker: idempotencyKey };
    const [outcome, found, now, available] = await this.commands.run(scripts.permits.add, keys, args, deadline, name);
    return [this.known(name, outcome, found), found, now, available];
  }

  async delete(name: string, request: IdempotentRequest): Promise<CounterReply<'deleted' | 'none'>> {
    const { idempotencyKey, keyTtl, notAfter, deadline } = request;
    const keys = { ...keysOf(name), marker: idempotencyKey };
    const reply = await this.commands.run(scripts.permits.delete, keys, { keep: keyTtl, notAfter }, deadline, name);
    const [outcome, found, now] = reply;
    return [this.known(name, outcome, found), found, now];
  }

  private announcing(name: string): Announcement {
    return announcementOn(this.commands, semaphoreChannel(name));
  }

  /**
   * The outcome, unless it is that a key holds another type.
   * @throws LockKeyTypeError if it does.
   */
  private known<Outcome extends string>(name: string, outcome: Outcome, found: string): Known<Outcome> {
    if (outcome === 'wrong-type') throw wrongKeyType(name, found);
    if (outcome === 'wrong-deadlines') throw wrongKeyType(permitDeadlines(name), found);
    return outcome as Known<Outcome>;
  }
}
