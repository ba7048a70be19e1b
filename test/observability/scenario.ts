import { Injectable } from '@nestjs/common';
import {
  Locked,
  LockAbortedError,
  LockConflictError,
  type LockEvent,
  LockService,
  LockTimeoutError,
  LockUnavailableError,
} from 'nest-redis-lock';
import type { LockEventType } from 'nest-redis-lock/advanced';
import { waitingClients } from '../../lib/keys/redisson-keys.js';
import type { ManualClock } from '../../lib/testing/manual-clock.js';
import { caught } from '../kit/caught.js';
import { Gate } from '../kit/gate.js';
import type { RedisWorld } from '../kit/redis-world.js';
import { until } from '../kit/until.js';

/** Less than the deadline of a command, so that all replies come in time, ms. */
const STEP = 1000;

@Injectable()
export class Orders {
  @Locked('order:<0>')
  async pay(_id: string, work: () => unknown = () => {}): Promise<void> {
    await work();
  }

  @Locked('order:<0>', { wait: 0 })
  async tryToPay(_id: string): Promise<void> {}

  @Locked('order:<0>', { wait: 50 })
  async payWithin50Ms(_id: string): Promise<void> {}
}

/** The types of the events of locks; all others are about connections and servers. */
export const OBSERVED_TYPES = [
  'waiting',
  'acquired',
  're-entered',
  'renewed',
  'renewal-failed',
  'handed-over',
  'released',
  'timed-out',
  'cancelled',
  'conflict',
  'failed',
  'lost',
  'force-released',
] as const satisfies readonly LockEventType[];

/**
 * Everything that can happen to a lock, each a known number of times. The application under test has a manual clock, so
 * that durations are exact and no renewal comes unasked; the server and its other client have real time.
 */
export class Scenario {
  readonly events: LockEvent[] = [];

  constructor(
    private readonly world: RedisWorld,
    private readonly app: { readonly orders: Orders; readonly locks: LockService; readonly clock: ManualClock },
    private readonly peer: LockService,
  ) {
    app.locks.onEvent(OBSERVED_TYPES, (event) => void this.events.push(event));
  }

  /** @param whileWaiting Called while one caller holds a lock, and another one of the same process waits for it. */
  async run(whileWaiting: () => Promise<void>): Promise<void> {
    const { orders } = this.app;
    await orders.pay('free');
    await orders.pay('re-entered', () => orders.pay('re-entered'));
    await this.meetAnotherClient();
    await this.handOver(whileWaiting);
    await this.passOn();
    await this.renew();
    await this.failToRenew();
    await this.lose();
    await this.refused(() => expect(orders.tryToPay('refused')).rejects.toThrow(LockUnavailableError));
    await this.useOtherKinds();
  }

  private async meetAnotherClient(): Promise<void> {
    const { locks, orders, clock } = this.app;
    const hold = await this.peer.acquire('order:taken');
    await expect(orders.tryToPay('taken')).rejects.toThrow(LockConflictError);
    const timingOut = caught(orders.payWithin50Ms('taken'), LockTimeoutError);
    await this.untilSeen('waiting', 1);
    await clock.advance(50);
    await timingOut;
    const leaving = new AbortController();
    const cancelled = caught(locks.acquire('order:taken', { signal: leaving.signal }), LockAbortedError);
    await this.untilSeen('waiting', 2);
    leaving.abort();
    await cancelled;
    await locks.getLock('order:taken').forceRelease();
    await hold.release();
  }

  private async handOver(whileWaiting: () => Promise<void>): Promise<void> {
    const { orders } = this.app;
    const gate = new Gate();
    const first = orders.pay('popular', () => gate.pass());
    await gate.reached;
    // Its place on the server is withdrawn before its release, which would pass the lock on to that place.
    const second = orders.pay('popular', () => this.untilWaitingOnServer('order:popular', 0));
    await this.untilSeen('waiting', 3);
    await this.untilWaitingOnServer('order:popular');
    await whileWaiting();
    gate.open();
    await Promise.all([first, second]);
  }

  private async passOn(): Promise<void> {
    const gate = new Gate();
    const paying = this.app.orders.pay('wanted', () => gate.pass());
    await gate.reached;
    const waiting = this.peer.acquire('order:wanted');
    await this.untilWaitingOnServer('order:wanted');
    gate.open();
    await paying;
    await (await waiting).release();
  }

  private async untilWaitingOnServer(name: string, clients = 1): Promise<void> {
    await until(async () => (await this.world.admin.zcard(waitingClients(name))) === clients);
  }

  private async renew(): Promise<void> {
    await this.app.orders.pay('long', () => this.passUntilSeen('renewed', 1));
  }

  private async failToRenew(): Promise<void> {
    await this.app.orders.pay('long', () => this.refused(() => this.passUntilSeen('renewal-failed', 1)));
  }

  private async lose(): Promise<void> {
    await this.app.orders.pay('lost', async () => {
      await this.world.admin.del('order:lost');
      await this.passUntilSeen('lost', 1);
    });
  }

  private async useOtherKinds(): Promise<void> {
    const { locks } = this.app;
    await (await locks.getFairLock('seat').acquire()).release();
    const semaphore = locks.getSemaphore('printers');
    await semaphore.trySetPermits(1);
    await semaphore.acquire();
    await semaphore.release();
    const permits = locks.getPermitExpirableSemaphore('licences');
    await permits.trySetPermits(1);
    await permits.release(await permits.acquire());
  }

  /** Runs `work` while the server refuses to write. */
  private async refused(work: () => Promise<unknown>): Promise<void> {
    await this.world.admin.config('SET', 'min-replicas-to-write', 1);
    try {
      await work();
    } finally {
      await this.world.admin.config('SET', 'min-replicas-to-write', 0);
    }
  }

  private isSeen(type: LockEventType, times: number): boolean {
    return this.events.filter((event) => event.type === type).length >= times;
  }

  private untilSeen(type: LockEventType, times: number): Promise<void> {
    return until(() => this.isSeen(type, times), undefined, `${type} was seen ${times} times`);
  }

  /** Lets time pass until the watchdog has renewed what is held, or has found that it cannot. */
  private async passUntilSeen(type: LockEventType, times: number): Promise<void> {
    const { clock, locks } = this.app;
    await until(async () => {
      await clock.advance(STEP);
      // The reply comes after those to renewals, on the same connection.
      await locks.getLock('order:long').isLocked();
      return this.isSeen(type, times);
    });
  }
}
