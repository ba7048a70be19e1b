import { LockUnavailableError } from '../errors.js';
import { currentRegion, runInRegion } from '../scope/current-region.js';
import { Region } from '../scope/region.js';
import type { EndTurn, Turns } from '../scope/turns.js';
import { WaitLimit } from '../time/wait-limit.js';
import { type Asked, refusal } from '../waiting/refusal.js';
import { Grant } from './grant.js';
import { type Binding, Hold } from './hold.js';
import type { LockRequest } from './lock.options.js';
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
  return {
    hold,
    run: (fn) => {
      hold.assertHeld();
      return runInRegion(region, fn);
    },
    leave: async () => {
      region.close();
      await hold.releaseQuietly();
      endTurn();
    },
  };
};

/**
 * How callers get in to one lock. The owner is whoever is running: inside a region that holds the lock, its owner,
 * without waiting; inside a scope, the scope's; outside both, always somebody new.
 */
export class Entry {
  constructor(
    private readonly runtime: LockRuntime,
    private readonly name: string,
    private readonly channel: string,
    private readonly template: string | undefined,
  ) {}

  /** The grant that the running code may join: that of the innermost region or scope around it. */
  current(): Grant | undefined {
    return this.covering()?.grant;
  }

  /** A hold of its own, to be released by whoever gets it. */
  async acquire(request: LockRequest): Promise<Hold> {
    const covering = this.covering();
    if (covering) return this.join(covering.grant, request, 'loose');
    const scope = this.scope();
    return scope ? this.acquireInScope(scope, request, 'loose') : this.acquireAsNewOwner(request, 'loose');
  }

  /** A hold for work that runs under it. The work of one owner on one lock goes one at a time, in the order it came. */
  async enter(request: LockRequest): Promise<Entered> {
    const covering = this.covering();
    if (covering && !covering.region.isScope) return this.enterInRegion(covering.region, covering.grant, request);
    const scope = this.scope();
    if (scope) return this.enterInScope(scope, request);
    return entered(await this.acquireAsNewOwner(request, 'bound'), () => {});
  }

  private async enterInRegion(region: Region, grant: Grant, request: LockRequest): Promise<Entered> {
    // Counted in before its turn has come, so that the hold stays while a sibling queues, whoever ends first.
    const hold = await this.join(grant, request, 'bound');
    try {
      const seat = this.runtime.seats.take(region, this.name);
      const endTurn = await this.takeTurn(seat.callbacks, this.asked(request, []));
      return entered(hold, endTurn);
    } catch (error) {
      await hold.releaseQuietly();
      throw error;
    }
  }

  private async enterInScope(scope: Region, request: LockRequest): Promise<Entered> {
    const seat = this.runtime.seats.take(scope, this.name);
    const endTurn = await this.takeTurn(seat.callbacks, this.asked(request, [this.runtime.shutdown]));
    try {
      return entered(await this.acquireInScope(scope, request, 'bound'), endTurn);
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  private async acquireInScope(scope: Region, request: LockRequest, binding: Binding): Promise<Hold> {
    const seat = this.runtime.seats.take(scope, this.name);
    const endTurn = await this.takeTurn(seat.admissions, this.asked(request, [this.runtime.shutdown]));
    try {
      if (seat.grant?.isOpen) return await this.join(seat.grant, request, binding);
      const hold = await this.acquireAsNewOwner(request, binding, () => this.runtime.seats.tidy(scope, this.name));
      seat.grant = hold.grant;
      return hold;
    } finally {
      endTurn();
    }
  }

  private async acquireAsNewOwner(request: LockRequest, binding: Binding, onRetired?: () => void): Promise<Hold> {
    const { runtime, name, channel } = this;
    const asked = this.asked(request, [runtime.shutdown]);
    const acquired = await runtime.acquisitions.acquire(asked, channel, request.lease ?? runtime.watchdog.timeout);
    const grant = new Grant(runtime, name, acquired, onRetired);
    const hold = new Hold(grant, binding, asked.limit.waited);
    grant.admitFirst(hold, request.lease);
    return hold;
  }

  /** Re-enters. Where the server cannot be asked just now, asks again as long as the caller waits. */
  private async join(grant: Grant, request: LockRequest, binding: Binding): Promise<Hold> {
    const { limit } = this.asked(request, []);
    for (;;) {
      const hold = new Hold(grant, binding, limit.waited);
      try {
        await grant.join(hold, request.lease);
        return hold;
      } catch (error) {
        const passing = error instanceof LockUnavailableError && !error.permanent;
        if (!passing || limit.ended) throw error;
        // A refusal comes at once, and a connection that was closed fails without a turn of the event loop.
        await this.pause(REJOIN_PAUSE_MS);
      }
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.runtime.scheduler.schedule(ms, resolve, { keepAlive: true }));
  }

  private async takeTurn(turns: Turns, asked: Asked): Promise<EndTurn> {
    const turn = await turns.take(asked.limit);
    if (typeof turn === 'function') return turn;
    throw refusal(asked, turn, undefined);
  }

  private asked(request: LockRequest, alsoEndedBy: readonly AbortSignal[]): Asked {
    const signals = request.signal ? [request.signal, ...alsoEndedBy] : alsoEndedBy;
    return {
      name: this.name,
      template: this.template,
      limit: new WaitLimit(this.runtime.scheduler, request.wait, signals),
    };
  }

  /** The innermost region or scope around the running code that holds the lock, and the grant it holds it by. */
  private covering(): { readonly region: Region; readonly grant: Grant } | undefined {
    for (const region of currentRegion()?.outwards() ?? []) {
      const grant = region.isScope ? this.runtime.seats.find(region, this.name)?.grant : this.heldBy(region);
      if (grant?.isOpen) return { region, grant };
    }
    return undefined;
  }

  private heldBy(region: Region): Grant | undefined {
    const { hold } = region;
    if (!(hold instanceof Hold)) return undefined;
    return hold.grant.runtime === this.runtime && hold.grant.name === this.name ? hold.grant : undefined;
  }

  private scope(): Region | undefined {
    return [...(currentRegion()?.outwards() ?? [])].find((region) => region.isScope);
  }
}
