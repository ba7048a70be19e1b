import type { LockBackend, LockTransitions } from '../../lib/backend/lock-backend.js';
import type { HeldLock } from '../../lib/backend/memory/lock.js';
import { MemoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { MemoryStore } from '../../lib/backend/memory/store.js';
import { parseModuleOptions } from '../../lib/redis-lock.options.js';
import { createRuntime } from '../../lib/redis-lock.runtime.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { SteadyScheduler } from '../../lib/time/steady-scheduler.js';
import type { ClientOptions, Probe, World } from './backends.js';
import { Client, Clients } from './client.js';
import { Time } from './time.js';

/** Clients that share one memory, as they would share a server, on a clock that the test moves. */
export class MemoryWorld implements World {
  readonly name = 'memory';
  private readonly clients = new Clients();
  private shared = new SharedMemory();

  get time(): Time {
    return this.shared.time;
  }

  get probe(): Probe {
    return this.shared;
  }

  get clock(): ManualClock {
    return this.shared.clock;
  }

  async start(): Promise<void> {}

  async open(options: ClientOptions = {}): Promise<Client> {
    const settings = parseModuleOptions({ ...options, backend: 'memory' });
    return this.clients.add(new Client(createRuntime(settings, this.shared.clock, () => this.shared.connect())));
  }

  async reset(): Promise<void> {
    await this.clients.close();
    this.shared = new SharedMemory();
  }

  async stop(): Promise<void> {}
}

class SharedMemory implements Probe {
  readonly clock = new ManualClock();
  readonly time = Time.on(this.clock);
  private readonly store = new MemoryStore<HeldLock>(new SteadyScheduler(this.clock, rethrow));
  private readonly channelNames = new Set<string>();
  private asked = 0;

  /** A backend of one client. */
  connect(): LockBackend {
    const backend = new MemoryBackend(this.store);
    return {
      lock: this.counted(backend.lock),
      wakeUps: {
        subscribe: (channel, listener) => {
          this.channelNames.add(channel);
          return backend.wakeUps.subscribe(channel, listener);
        },
      },
      open: () => backend.open(),
      close: () => backend.close(),
    };
  }

  async state(name: string): ReturnType<Probe['state']> {
    const held = this.store.get(name);
    const owners = held ? { [held.owner]: held.count } : {};
    return { type: held ? 'hash' : 'none', owners, ttl: this.store.remaining(name) };
  }

  async names(): Promise<string[]> {
    return this.store.names();
  }

  async put(name: string, owner: string, ttl: number, count = 1): Promise<void> {
    this.store.set(name, { owner, count }, ttl);
  }

  async remove(name: string): Promise<void> {
    this.store.delete(name);
  }

  async subscribers(channel: string): Promise<number> {
    return this.store.subscribers(channel);
  }

  async channels(): Promise<string[]> {
    return [...this.channelNames].filter((channel) => this.store.subscribers(channel) > 0);
  }

  async commands(): Promise<number> {
    return this.asked;
  }

  private counted(lock: LockTransitions): LockTransitions {
    const counting =
      <A extends unknown[], R>(transition: (...args: A) => R) =>
      (...args: A): R => {
        this.asked += 1;
        return transition(...args);
      };
    return {
      acquire: counting((request) => lock.acquire(request)),
      hold: counting((request) => lock.hold(request)),
      release: counting((request) => lock.release(request)),
      renew: counting((renewals) => lock.renew(renewals)),
      forceRelease: counting((name) => lock.forceRelease(name)),
      inspect: counting((name, owner) => lock.inspect(name, owner)),
    };
  }
}

const rethrow = (error: unknown): never => {
  throw error;
};
