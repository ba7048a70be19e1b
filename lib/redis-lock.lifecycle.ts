import {
  type BeforeApplicationShutdown,
  Inject,
  Logger,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryService, ModulesContainer } from '@nestjs/core';
import { LockOptionsError, LockShutdownError } from './errors.js';
import { LockedInterceptor } from './locked/locked.interceptor.js';
import { adopt } from './locked/locked.wiring.js';
import { logEvents } from './observability/logging.js';
import type { LockSettings } from './redis-lock.options.js';
import type { OwnedRuntime } from './redis-lock.runtime.js';
import { LOCK_RUNTIME, LOCK_SETTINGS } from './redis-lock.tokens.js';

/** The share of the shutdown time-out, and the most of it, ms, in which holders whose signals have aborted may let go. */
const GRACE = 1 / 5;
const LONGEST_GRACE_MS = 500;

/**
 * Starts and ends the module's part of an application. At shutdown nobody new gets in and waiters are sent away at once,
 * while Nest lets running requests finish; holders get most of the shutdown time-out, then their signals abort. What is
 * still held after that is never released under running code: its lease ends by itself. Our connections close last.
 */
export class RedisLockLifecycle implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('RedisLockModule');
  private readonly grace: number;
  /** When the shutdown time-out is over, by the scheduler. */
  private end = Number.POSITIVE_INFINITY;
  private draining: Promise<void> | undefined;

  constructor(
    @Inject(LOCK_RUNTIME) private readonly runtime: OwnedRuntime,
    @Inject(LOCK_SETTINGS) private readonly settings: Pick<LockSettings, 'shutdownTimeout'>,
    @Inject(LockedInterceptor) private readonly interceptor: LockedInterceptor,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
  ) {
    this.grace = Math.min(LONGEST_GRACE_MS, settings.shutdownTimeout * GRACE);
  }

  onModuleInit(): void {
    this.refuseDuplicates();
    logEvents(this.runtime.events, this.logger);
    this.wireForeignInstances();
    this.runtime.open();
  }

  beforeApplicationShutdown(): void {
    this.draining ??= this.drain();
  }

  async onApplicationShutdown(): Promise<void> {
    await (this.draining ??= this.drain());
    this.runtime.watchdog.stop();
    // A connection that does not answer takes a while to close, too.
    const left = this.end - this.runtime.scheduler.now() - this.grace / 2;
    await this.runtime.close(Math.min(LONGEST_GRACE_MS, Math.max(left, this.grace / 2)));
  }

  /** Resolves when nothing is held any more, or what is held has had its time. */
  private async drain(): Promise<void> {
    const { shutdownController, grants, scheduler } = this.runtime;
    const { shutdownTimeout } = this.settings;
    this.end = scheduler.now() + shutdownTimeout;
    const reason = new LockShutdownError('The application is shutting down; no lock is given any more');
    shutdownController.abort(reason);
    if (await this.emptyWithin(shutdownTimeout - 2 * this.grace)) return;
    for (const grant of grants) grant.abort(reason);
    if (await this.emptyWithin(this.grace)) return;
    this.logger.warn(`${grants.size} lock(s) are still held at shutdown and end by their lease`);
  }

  private emptyWithin(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.runtime.scheduler.schedule(ms, () => resolve(false), { keepAlive: true });
      void this.whenEmpty().then(() => {
        timer.cancel();
        resolve(true);
      });
    });
  }

  private async whenEmpty(): Promise<void> {
    const { acquisitions, grants, permitsInUse } = this.runtime;
    // What is on its way may still be granted, and what was granted too late is given back.
    await acquisitions.settled();
    await grants.whenEmpty();
    await permitsInUse.settled();
    await acquisitions.settled();
  }

  /** Two global modules would mean that the last one imported silently wins. */
  private refuseDuplicates(): void {
    const own = [...this.modules.values()].filter((module) => module.isGlobal && this.provides(module.providers));
    if (own.length < 2) return;
    throw new LockOptionsError('RedisLockModule.forRoot() is imported twice; import it once, or give isGlobal: false');
  }

  private provides(providers: ReadonlyMap<unknown, unknown>): boolean {
    return providers.has(LOCK_RUNTIME);
  }

  /** Nest sets no properties on what useFactory and useValue give. */
  private wireForeignInstances(): void {
    for (const { instance, isNotMetatype } of this.discovery.getProviders()) {
      const foreign: unknown = isNotMetatype ? instance : undefined;
      if (typeof foreign === 'object' && foreign !== null) adopt(foreign, this.interceptor);
    }
  }
}
