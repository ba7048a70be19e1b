import { OwnerIds } from '../../context/owner-ids.js';
import { isPassing, LockUnavailableError, wrongKeyType } from '../../errors.js';
import { idempotencyKeyOf } from '../../keys/redisson-keys.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import { scripts } from '../scripts/scripts.generated.js';
import type { ScriptExecutor } from './script-executor.js';
import type { GivenUp } from '../backend-listener.js';
import { enoughReplicas } from './replication/enough-replicas.js';
import type { Replicas } from './replication/replica-confirmation.js';
import { rejectOnceRefused, type RequestLimits, sendWithDeadline } from './deadline-request.js';
import { sendAgain } from './send-again.js';
import { OrphanReleaser } from './orphan-releaser.js';
import { writtenIdempotencyKey } from './written.js';

/**
 * How long the server keeps the key of a request of unknown outcome, and how long the background retry goes on, ms:
 * longer than outages last. Keys live that long only if their process or its connection fails within a minute, so they
 * are few.
 */
const REMEMBERED_MS = 24 * 3_600_000;
/** After this time no copy of a request can still arrive, ms: the server has been refusing it for that long. */
const COPIES_MS = 60_000;

/** One request, however often it is sent. */
class RequestIdentity {
  /** Server time after which its key may have expired, if the request may have been executed. */
  private until = Number.POSITIVE_INFINITY;

  constructor(
    readonly name: string,
    readonly idempotencyKey: string,
  ) {}

  /**
   * Compares by the server's clock, which goes on while this machine is suspended.
   * @throws LockUnavailableError if the server may have forgotten the key, and would execute the request once more.
   */
  checkKnown(notAfter: number): void {
    if (notAfter <= this.until) return;
    const why = 'The request is too old to be repeated without a second effect';
    throw new LockUnavailableError(why, 'unknown', true, { lockName: this.name });
  }

  /** Called when the request has failed, which the server executes until `notAfter`. */
  mayBeExecuted(notAfter: number): void {
    this.until = Math.min(this.until, notAfter + REMEMBERED_MS);
  }
}

/**
 * The keys of requests that must have one effect. The server stores a key together with the effect, and the key of an
 * answered request is deleted at once, unless a copy of the request may still arrive.
 */
class IdempotencyKeys {
  private readonly ids = new OwnerIds();

  constructor(
    private readonly commands: ScriptExecutor,
    private readonly scheduler: MonotonicScheduler,
  ) {}

  /** A new request about `name`. */
  next(name: string): RequestIdentity {
    return new RequestIdentity(name, idempotencyKeyOf(name, this.ids.next()));
  }

  /** How long the server keeps a key that is not deleted, ms from the effect of its request. */
  get timeToLive(): number {
    return 2 * this.commands.commandTimeout + REMEMBERED_MS;
  }

  /** Runs unawaited. If it fails, the key expires by its time to live. */
  discard(idempotencyKey: string): void {
    if (!this.commands.isConnected(idempotencyKey)) return;
    const deadline = this.scheduler.now() + this.commands.timeoutFor(Number.POSITIVE_INFINITY);
    this.commands.run(scripts.counter.forget, { marker: idempotencyKey }, {}, deadline).catch(() => {});
  }

  /** As {@link discard}, once no copy of the request can arrive any more. */
  discardLater(idempotencyKey: string): void {
    this.scheduler.schedule(COPIES_MS, () => this.discard(idempotencyKey));
  }
}

/** Fields that every such request sends beside its own arguments. */
export interface IdempotentRequest extends RequestLimits {
  /** Key that stores the answer, for when the request is executed again. */
  readonly idempotencyKey: string;
  /** Time to live of that key, ms from the effect of the request. */
  readonly keyTtl: number;
}

/** Reply of every script about a counter. */
export type CounterReply<Outcome extends string> = readonly [
  outcome: Outcome | 'late' | 'wrong-type',
  detail: string,
  now: number,
  count?: number,
];

export interface CounterAnswer<Outcome extends string> {
  readonly outcome: Outcome;
  /** 0 if the script reports none. */
  readonly count: number;
}

type SendIdempotent<Outcome extends string> = (request: IdempotentRequest) => Promise<CounterReply<Outcome>>;

/** The caller's request, to report it if its outcome stays unknown. */
type RequestSummary = Pick<GivenUp, 'request' | 'count'>;

/** A request that is undone or repeated in the background. */
interface BackgroundRetry {
  readonly givenUp: Omit<GivenUp, 'error'>;
  /** Resolves with the server's time at which the outcome was certain. */
  readonly free: () => Promise<number>;
  readonly lease: number;
  readonly notAfter: number;
}

/** Outcomes of requests that changed something, which replicas may lack. */
const CHANGES: ReadonlySet<string> = new Set(['taken', 'set', 'added', 'deleted', 'released', 'counted']);

/**
 * Requests that change a number without an owner. Only the request itself can tell whether it was executed before: it
 * writes an idempotency key together with its effect, and has one effect and one answer as long as that key exists. The
 * key of an answered request is deleted at once, unless a copy of the request may still arrive.
 */
export class IdempotentRequests {
  private readonly keys: IdempotencyKeys;
  private readonly retries: OrphanReleaser<BackgroundRetry>;

  constructor(
    private readonly commands: ScriptExecutor,
    private readonly scheduler: MonotonicScheduler,
    onGivenUp: (what: GivenUp) => void = () => {},
    private readonly replicas?: Replicas,
  ) {
    this.keys = new IdempotencyKeys(commands, scheduler);
    this.retries = new OrphanReleaser<BackgroundRetry>(
      scheduler,
      ({ free }) => free(),
      ({ givenUp }, error) => onGivenUp({ ...givenUp, error }),
    );
  }

  /**
   * Takes something, in one attempt. If the outcome stays unknown, the attempt is undone in the background, until that
   * is confirmed after the instant from which the server refuses the attempt. It is undone as well if too few replicas
   * have it.
   */
  async acquireOnce<Outcome extends string>(
    name: string,
    asked: RequestSummary,
    send: SendIdempotent<Outcome | 'taken'>,
    undo: (idempotencyKey: string) => Promise<number>,
  ): Promise<CounterAnswer<Outcome | 'taken'>> {
    const turn = this.commands.turn(name);
    if (turn) await turn;
    const identity = this.keys.next(name);
    const { idempotencyKey } = identity;
    const orphan = { givenUp: { name, ...asked }, free: () => undo(idempotencyKey), lease: this.keys.timeToLive };
    const answer = await this.ask(identity, this.deadline(), send, (notAfter, error) =>
      this.retries.releaseInBackground({ ...orphan, notAfter }, error),
    );
    if (answer.outcome !== 'taken') return answer;
    await this.knownOutcome(identity, answer, 'it was undone', 'refused').catch(async (error: unknown) => {
      await undo(idempotencyKey).catch((why: unknown) =>
        this.retries.releaseInBackground({ ...orphan, notAfter: 0 }, why),
      );
      throw error;
    });
    this.keys.discard(idempotencyKey);
    return answer;
  }

  /**
   * Changes something, with a second attempt if the first fails, within one deadline. Rejects only once the server
   * refuses both attempts, so that they cannot overtake the caller's next request; or if too few replicas have the
   * change.
   */
  async change<Outcome extends string>(name: string, send: SendIdempotent<Outcome>): Promise<CounterAnswer<Outcome>> {
    const deadline = this.deadline();
    const identity = this.keys.next(name);
    const changing = this.retryOnce(identity, send, () => deadline).catch(async (error: unknown) => {
      if (isPassing(error)) this.keys.discardLater(identity.idempotencyKey);
      return rejectOnceRefused(this.scheduler, deadline, error);
    });
    const { answer, forget } = await changing;
    await this.knownOutcome(identity, answer, 'it remains, but a fail-over may lose it', 'unknown').finally(forget);
    return answer;
  }

  /** As {@link change}, but a request that failed twice is retried in the background until its key expires. */
  async completeInBackground<Outcome extends string>(
    name: string,
    asked: RequestSummary,
    send: SendIdempotent<Outcome>,
  ): Promise<CounterAnswer<Outcome>> {
    const identity = this.keys.next(name);
    const so = 'it continues in the background';
    try {
      const { answer, forget } = await this.retryOnce(identity, send, () => this.deadline());
      await this.knownOutcome(identity, answer, so, 'unknown');
      forget();
      return answer;
    } catch (error) {
      const again = async (): Promise<number> => {
        const answer = await this.ask(identity, this.deadline(), send);
        await this.knownOutcome(identity, answer, so, 'unknown');
        this.keys.discardLater(identity.idempotencyKey);
        return Number.POSITIVE_INFINITY;
      };
      const givenUp = { name, ...asked };
      if (isPassing(error))
        this.retries.releaseInBackground({ givenUp, free: again, lease: REMEMBERED_MS, notAfter: 0 }, error);
      throw error;
    }
  }

  /** Resolves when no background retry is left, or after `ms`, and ends those that are. */
  finish(ms: number): Promise<void> {
    return this.retries.finish(ms);
  }

  /**
   * Resolves with the answer and a function that deletes the key. Call it once nothing more is asked about the request.
   */
  private async retryOnce<Outcome extends string>(
    identity: RequestIdentity,
    send: SendIdempotent<Outcome>,
    deadline: () => number,
  ): Promise<{ readonly answer: CounterAnswer<Outcome>; readonly forget: () => void }> {
    const { idempotencyKey } = identity;
    try {
      return { answer: await this.ask(identity, deadline(), send), forget: () => this.keys.discard(idempotencyKey) };
    } catch (first) {
      const end = deadline();
      if (this.scheduler.now() >= end) throw first;
      const answer = await sendAgain(first, () => this.ask(identity, end, send));
      return { answer, forget: () => this.keys.discardLater(idempotencyKey) };
    }
  }

  /** Resolves when enough replicas have the change, if replicas are required. */
  private async knownOutcome(
    { name, idempotencyKey }: RequestIdentity,
    { outcome }: CounterAnswer<string>,
    so: string,
    otherwise: LockUnavailableError['outcome'],
  ): Promise<void> {
    if (!this.replicas || !CHANGES.has(outcome)) return;
    const lacking = { name, what: `the change of "${name}"`, so, outcome: otherwise };
    await enoughReplicas(this.commands, this.replicas, writtenIdempotencyKey(idempotencyKey), lacking);
  }

  private ask<Outcome extends string>(
    identity: RequestIdentity,
    deadline: number,
    send: SendIdempotent<Outcome>,
    onUnknown?: (notAfter: number, error: unknown) => void,
  ): Promise<CounterAnswer<Outcome>> {
    const { name, idempotencyKey } = identity;
    const keyTtl = this.keys.timeToLive;
    return sendWithDeadline(this.commands, this.scheduler, {
      key: name,
      deadline,
      send: async (limits) => {
        identity.checkKnown(limits.notAfter);
        return send({ ...limits, idempotencyKey, keyTtl }).catch((error: unknown) => {
          identity.mayBeExecuted(limits.notAfter);
          throw error;
        });
      },
      read: ([outcome, detail, , count = 0]): CounterAnswer<Outcome> | undefined => {
        if (outcome === 'wrong-type') throw wrongKeyType(name, detail);
        return outcome === 'late' ? undefined : { outcome, count };
      },
      ...(onUnknown && { onUnknown }),
    });
  }

  private deadline(): number {
    return this.scheduler.now() + this.commands.timeoutFor(Number.POSITIVE_INFINITY);
  }
}
