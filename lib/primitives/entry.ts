import { isPassing } from '../errors.js';
import { currentRegion, runInRegion } from '../scope/current-region.js';
import { Region } from '../scope/region.js';
import type { EndTurn, Turns } from '../scope/turns.js';
import type { SteadyScheduler } from '../time/steady-scheduler.js';
import { WaitLimit } from '../time/wait-limit.js';
import { type Asked, refusal } from '../waiting/refusal.js';
import { Grant } from './grant.js';
import { type Binding, Hold } from './hold.js';
import type { LockRequest } from './lock.options.js';
import type { LockKind } from './lock-kind.js';
import type { LockRuntime } from './lock-runtime.js';

/** Between two tries to re-enter where the server cannot be asked just now. */
const REJOIN_PAUSE_MS = 50;

/** A hold that work is to run under, until {@link leave}. */
export interface Entered {
  readonly hold: Hold;
  /** Runs `fn` as the owner; may be called several times. */
  readonly run: <T>(fn: () => T) => T;
  /** Ends the owner's region and releases the hold. Never rejects: what goes wrong is an event. */
  readonly leave: () => Promise<void>;
}

const entered = (hold: Hold, endTurn: EndTurn): Entered => {
  const region = new Region(hold, currentRegion());
  const leave = async (): Promise<void> => {
    region.close();
    await hold.releaseQuietly();
    endTurn();
  };
  let leaving: Promise<void> | undefined;
  return {
    hold,
    run: (fn) => {
      hold.assertHeld();
      return runInRegion(region, fn);
    },
    leave: () => {
      leaving ??= leave();
      return leaving;
    },
  };
};

/** What a caller asks for. */
export interface Terms {
  /** Milliseconds; `undefined` is the watchdog. */
  readonly lease: number | undefined;
  /** From when on, for how long, and until which signal the caller waits, whatever it is that it has to wait for. */
  readonly limit: WaitLimit;
}

type Request = Asked & Terms;

/** What was asked for, as of now. */
export const termsOf = ({ lease, wait, signal }: LockRequest, scheduler: SteadyScheduler): Terms => ({
  lease,
  limit: new WaitLimit(scheduler, wait, signal ? [signal] : []),
});

/**
 * How callers get in to one lock. The owner is whoever is running: inside a region that holds the lock, its owner,
 * without waiting; inside a scope, the scope's; outside both, always somebody new.
 */
export class Entry {
  /** What regions keep about the lock, they keep under this. */
  private readonly seat: string;

  constructor(
    private readonly runtime: LockRuntime,
    private readonly kind: LockKind,
    private readonly name: string,
    private readonly template: string | undefined,
  ) {
    this.seat = `${kind.family} ${name}`;
  }

  /** The grant that the running code may join: that of the innermost region or scope around it. */
  current(): Grant | undefined {
    return this.covering()?.grant;
  }

  /** A hold of its own, to be released by whoever gets it. */
  async acquire(terms: Terms): Promise<Hold> {
    const request = this.request(terms);
    const grant = this.current();
    const joined = grant && (await this.join(grant, request, 'loose'));
    if (joined) return joined;
    const scope = this.scope();
    return scope ? this.acquireInScope(scope, request, 'loose') : this.acquireAsNewOwner(request, 'loose');
  }

  /** A hold for work that runs under it. The work of one owner on one lock goes one at a time, in the order it came. */
  async enter(terms: Terms): Promise<Entered> {
    const request = this.request(terms);
    const covering = this.covering();
    if (covering && !covering.region.isScope) {
      // Counted in before its turn has come, so that the hold stays while a sibling queues, whoever ends first.
      const hold = await this.join(covering.grant, request, 'bound');
      if (hold) return this.enterInRegion(covering.region, hold, request);
    }
    const scope = this.scope();
    if (scope) return this.enterInScope(scope, request);
    return entered(await this.acquireAsNewOwner(request, 'bound'), () => {});
  }

  private async enterInRegion(region: Region, hold: Hold, request: Request): Promise<Entered> {
    const { callbacks } = this.runtime.seats.take(region, this.seat);
    const endTurn = await this.takeTurn(callbacks, request).catch(async (error: unknown) => {
      await hold.releaseQuietly();
      throw error;
    });
    const inTurn = entered(hold, endTurn);
    try {
      // Its lease begins with its turn, not with the queueing.
      await hold.refresh(request.lease);
      hold.assertHeld();
      return inTurn;
    } catch (error) {
      await inTurn.leave();
      throw error;
    }
  }

  private async enterInScope(scope: Region, request: Request): Promise<Entered> {
    const endTurn = await this.takeTurn(this.runtime.seats.take(scope, this.seat).callbacks, request);
    try {
      return entered(await this.acquireInScope(scope, request, 'bound'), endTurn);
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  private async acquireInScope(scope: Region, request: Request, binding: Binding): Promise<Hold> {
    const { seats } = this.runtime;
    const seat = seats.take(scope, this.seat);
    const endTurn = await this.takeTurn(seat.admissions, request);
    try {
      const joined = seat.usable ? await this.join(seat.usable, request, binding) : undefined;
      if (joined) return joined;
      const hold = await this.acquireAsNewOwner(request, binding, () => seats.tidy(scope, this.seat));
      seat.grant = hold.grant;
      return hold;
    } finally {
      endTurn();
    }
  }

  private async acquireAsNewOwner(request: Request, binding: Binding, onClosed?: () => void): Promise<Hold> {
    const { runtime, kind, name } = this;
    // Who has nothing yet gets nothing new while the application shuts down.
    const limit = request.limit.endedAlsoBy(runtime.shutdown);
    const lease = request.lease ?? runtime.watchdog.timeout;
    const acquired = await kind.acquisitions.acquire({ ...request, limit }, lease);
    const grant = new Grant(runtime, kind, name, acquired, onClosed);
    const hold = new Hold(grant, binding, limit.waited);
    grant.admitFirst(hold, request.lease);
    return hold;
  }

  /**
   * Re-enters; `undefined` when the grant ended before its turn came. Where the server cannot be asked just now, asks
   * again as long as the caller waits.
   */
  private async join(grant: Grant, request: Request, binding: Binding): Promise<Hold | undefined> {
    const { limit, lease } = request;
    for (;;) {
      const { ended } = limit;
      if (ended?.cause === 'aborted') throw refusal(request, ended, undefined);
      const hold = new Hold(grant, binding, limit.waited);
      try {
        return (await grant.join(hold, lease)) ? hold : undefined;
      } catch (error) {
        if (!isPassing(error) || limit.ended) throw error;
        // A refusal comes at once.
        await this.runtime.scheduler.pause(REJOIN_PAUSE_MS, { keepAlive: true });
      }
    }
  }

  private async takeTurn(turns: Turns, request: Request): Promise<EndTurn> {
    const turn = await turns.take(request.limit);
    if (typeof turn === 'function') return turn;
    throw refusal(request, turn, undefined);
  }

  private request(terms: Terms): Request {
    return { what: 'Lock', name: this.name, template: this.template, ...terms };
  }

  /** The innermost region or scope around the running code that holds the lock, and the grant it holds it by. */
  private covering(): { readonly region: Region; readonly grant: Grant } | undefined {
    for (const region of currentRegion()?.outwards() ?? []) {
      const grant = region.isScope ? this.runtime.seats.find(region, this.seat)?.usable : this.heldBy(region);
      if (grant?.isJoinable) return { region, grant };
    }
    return undefined;
  }

  private heldBy(region: Region): Grant | undefined {
    const { hold } = region;
    if (!(hold instanceof Hold)) return undefined;
    const { grant } = hold;
    const isOurs = grant.runtime === this.runtime && grant.name === this.name && grant.kind.family === this.kind.family;
    return isOurs ? grant : undefined;
  }

  private scope(): Region | undefined {
    return [...(currentRegion()?.outwards() ?? [])].find((region) => region.isScope);
  }
}
