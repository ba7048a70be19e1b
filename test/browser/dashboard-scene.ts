import { LockService } from 'nest-redis-lock';
import { LockDashboardModule } from 'nest-redis-lock/dashboard';
import { until } from '../kit/until.js';
import { adapters, runtimeOf, serve, type Served } from '../nest/applications.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { Payments } from './payments.js';

const FIVE_MINUTES = 300_000;

/** A dashboard with something to see of everything: holders of several kinds, waiters, times and a loss. */
export class DashboardScene {
  private constructor(
    private readonly server: RedisServer,
    private readonly shop: Served,
    private readonly worker: Served,
    private readonly waiting: Promise<unknown>[] = [],
  ) {}

  static async open(): Promise<DashboardScene> {
    const server = await RedisServer.start();
    const [[, adapter] = []] = adapters;
    if (!adapter) throw new Error('There is no adapter');
    const options = { connection: server.url, keyPrefix: 'shop:' };
    const recorded = (service: string) => ({ ...options, holderRecords: { service } });
    const [shop, worker] = await Promise.all([
      serve(
        adapter,
        { imports: [LockDashboardModule.forRoot({ allowAnonymous: true, refresh: 200 })], providers: [Payments] },
        recorded('shop'),
      ),
      serve(adapter, { providers: [Payments] }, recorded('worker')),
    ]);
    const scene = new DashboardScene(server, shop, worker);
    scene.replayUse();
    await scene.holdLocks();
    await scene.loseLock();
    return scene;
  }

  get url(): string {
    return `${this.shop.url}/locks`;
  }

  async close(): Promise<void> {
    for (const { app } of [this.shop, this.worker]) app.get(Payments).gate.open();
    await Promise.all([this.shop.app.close(), this.worker.app.close()]);
    await Promise.allSettled(this.waiting);
    await this.server.stop();
  }

  private get locks(): LockService {
    return this.shop.app.get(LockService);
  }

  private get workerLocks(): LockService {
    return this.worker.app.get(LockService);
  }

  /** Reports what a busy shop would have done in the last five minutes. */
  private replayUse(): void {
    const { events } = runtimeOf(this.shop.app);
    const of = {
      connection: 'default',
      kind: 'reentrant',
      lockName: 'shop:order:1',
      template: 'order:<0>',
      method: '@Locked Payments.pay',
    } as const;
    const now = performance.now.bind(performance);
    // Nothing else runs before the clock is right again.
    try {
      for (let ago = FIVE_MINUTES; ago > 0; ago -= 500) {
        performance.now = () => now() - ago;
        const rush = Math.max(0, Math.sin(ago / 30_000)) ** 2;
        const waited = Math.round(rush * 900);
        events.emit({ ...of, type: 'acquired', owner: 'o', waited, isContended: waited > 100 });
        events.emit({ ...of, type: 'released', how: 'released', owner: 'o', heldFor: Math.round(120 + rush * 260) });
      }
    } finally {
      performance.now = now;
    }
  }

  private async holdLocks(): Promise<void> {
    const [here, there] = [this.shop.app.get(Payments), this.worker.app.get(Payments)];
    this.waiting.push(there.pay('4711'), here.pay('4712'));
    await Promise.all([here.gate.reached, there.gate.reached]);
    this.waiting.push(here.pay('4711'));
    await this.locks.getFairLock('stock:berlin').acquire();
    this.waiting.push(
      this.workerLocks.getFairLock('stock:berlin').acquire({ wait: '1h' }),
      this.locks.runInScope(() => this.locks.getFairLock('stock:berlin').acquire({ wait: '1h' })),
    );
    await this.locks.getReadWriteLock('prices').readLock().acquire();
    await this.workerLocks.getReadWriteLock('prices').readLock().acquire();
    for (const waiter of this.waiting) waiter.catch(() => undefined);
  }

  private async loseLock(): Promise<void> {
    const lost = new Promise<void>((resolve) => {
      const stop = this.locks.onEvent('lost', () => {
        stop();
        resolve();
      });
    });
    await this.locks.acquire('order:4709', { lease: '50ms' });
    await lost;
    await until(async () => (await this.snapshot()).losses.length > 0);
  }

  private async snapshot(): Promise<{ readonly losses: readonly unknown[] }> {
    const response = await fetch(`${this.url}/snapshot`);
    return (await response.json()) as { readonly losses: readonly unknown[] };
  }
}
