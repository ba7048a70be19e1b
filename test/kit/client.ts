import type { LockBackend } from '../../lib/backend/lock-backend.js';
import type { LockEvent } from '../../lib/events/lock-events.js';
import { isPassing } from '../../lib/errors.js';
import { LockService, LockShutdownError, type RedisLockOptions } from '../../lib/standalone.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { createRuntime, type OwnedRuntime } from '../../lib/module/runtime.factory.js';
import { type MonotonicScheduler, type Scheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { defaultRelease } from './default-release.js';
import { ServedScheduler } from './served-scheduler.js';
import { until } from './until.js';

export type ClientOptions = Omit<RedisLockOptions, 'backend' | 'connection'>;

export interface ClientParts {
  readonly scheduler?: Scheduler | undefined;
  /** Replaces the backend of the options. */
  readonly backend?: ((scheduler: MonotonicScheduler) => LockBackend) | undefined;
}

/**
 * Resolves when commands can be sent, which may take long on a busy machine. Rejects with an error that is not
 * temporary.
 */
export const untilConnected = (locks: LockService): Promise<void> =>
  until(async () => {
    try {
      await locks.getLock('connecting').isLocked();
      return true;
    } catch (error) {
      if (isPassing(error)) return false;
      throw error;
    }
  });

/** A client with its own connections and owners, on a server shared with others. Redisson calls this an instance. */
export class Client {
  readonly locks: LockService;
  /** All events so far, but for jumps of a server's clock beside a clock that stands still again and again. */
  readonly events: LockEvent[] = [];

  constructor(
    readonly runtime: OwnedRuntime,
    scheduler: Scheduler,
  ) {
    this.locks = new LockService(runtime);
    const isSteady = !(scheduler instanceof ServedScheduler);
    runtime.events.on((event) => {
      if (isSteady || event.type !== 'clock-jumped') this.events.push(event);
    });
    // Many tests drop a hold that is to last, and garbage may be collected at any time.
    runtime.grants.whenCollected = () => {};
    runtime.open();
  }

  /**
   * Resolves when the client can send commands, so that the short lease of a test does not have to last for its
   * connections too.
   */
  connected(): Promise<void> {
    return untilConnected(this.locks);
  }

  /** Ends waits and renewals, as at the end of an application. Holds stay held. */
  async close(graceMs = 200): Promise<void> {
    this.runtime.shutdownController.abort(new LockShutdownError('The client was closed'));
    this.runtime.watchdog.stop();
    await this.runtime.close(graceMs);
  }
}

/** Opens a client with these options of the module. */
export const openClient = (
  options: RedisLockOptions,
  { scheduler = systemScheduler, backend }: ClientParts = {},
): Client => {
  const settings = parseModuleOptions({ ...defaultRelease, ...options });
  const inMemory = settings.target.kind === 'memory' ? memoryBackend : undefined;
  return new Client(
    createRuntime(settings, scheduler, backend ? (_, monotonic) => backend(monotonic) : inMemory),
    scheduler,
  );
};

/** The clients that a test opened. */
export class Clients {
  private readonly opened: Client[] = [];

  add(client: Client): Client {
    this.opened.push(client);
    return client;
  }

  /** Closes all clients. Fails if one of them reported an error that reached no caller. */
  async close(): Promise<void> {
    const closing = this.opened.splice(0);
    await Promise.all(closing.map((client) => client.close()));
    const unexpected = closing.flatMap(({ events }) => events).filter(({ type }) => type === 'unexpected');
    if (unexpected.length > 0)
      throw new Error('Something was thrown out of a task or a listener', { cause: unexpected });
  }
}
