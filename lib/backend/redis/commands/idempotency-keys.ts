import { OwnerIds } from '../../../context/owner-ids.js';
import { LockUnavailableError } from '../../../errors.js';
import { idempotencyKeyOf } from '../../../keys/redisson-keys.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import { scripts } from '../scripts/scripts.generated.js';
import type { ScriptExecutor } from './script-executor.js';

/**
 * How long the server keeps the key of a request of unknown outcome, and how long the background retry goes on, ms:
 * longer than outages last. Keys live that long only if their process or its connection fails within a minute, so they
 * are few.
 */
export const REMEMBERED_MS = 24 * 3_600_000;
/** After this time no copy of a request can still arrive, ms: the server has been refusing it for that long. */
const COPIES_MS = 60_000;

/** One request, however often it is sent. */
export class RequestIdentity {
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
export class IdempotencyKeys {
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
