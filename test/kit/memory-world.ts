import type { LockBackend } from '../../lib/backend/lock-backend.js';
import type { Fencing } from '../../lib/backend/lock-operations.js';
import { deadlineTable, waiterTable } from '../../lib/backend/memory/fair-queue.js';
import { lockTable } from '../../lib/backend/memory/lock.js';
import { MemoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { MemoryStore } from '../../lib/backend/memory/memory-store.js';
import { waitingTable } from '../../lib/backend/memory/waiting-clients.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';
import { Client, type ClientOptions, Clients, openClient } from './client.js';
import { StallingClock } from './stalling-clock.js';
import { type Probe, type RawPlace, renewed, type World } from './world.js';
import { Time } from './time.js';
import { fairDeadlines, fairQueue, waitingClients } from '../../lib/keys/redisson-keys.js';

/** Clients that share one memory, as they would share a server, on a manual clock. */
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

  get clock(): StallingClock {
    return this.shared.clock;
  }

  async start(): Promise<void> {}

  async open(options: ClientOptions = {}): Promise<Client> {
    const { clock: scheduler } = this.shared;
    const { fencing } = parseModuleOptions({ ...options, backend: 'memory' });
    const backend = (): LockBackend => this.shared.connect(fencing);
    return this.clients.add(openClient({ ...options, backend: 'memory' }, { scheduler, backend }));
  }

  renewed(...names: readonly string[]): Promise<void> {
    return renewed(this, names);
  }

  async reset(): Promise<void> {
    await this.clients.close();
    this.shared = new SharedMemory();
  }

  async stop(): Promise<void> {}
}

class SharedMemory implements Probe {
  readonly clock = new StallingClock();
  readonly time = Time.on(this.clock);
  private readonly store = new MemoryStore(new MonotonicScheduler(this.clock, rethrow));
  private readonly locks = lockTable(this.store);
  private readonly channelNames = new Set<string>();
  private asked = 0;

  /** A backend for one client. */
  connect(fencing: Fencing): LockBackend {
    const backend = new MemoryBackend(this.store, fencing);
    return this.counted(backend);
  }

  async state(name: string): ReturnType<Probe['state']> {
    const held = this.locks.find(name);
    const owners = held ? { [held.owner]: held.count } : {};
    return { type: held ? 'hash' : 'none', owners, ttl: this.store.remaining(name) };
  }

  async names(): Promise<string[]> {
    return this.store.names();
  }

  async put(name: string, owner: string, ttl: number, count = 1): Promise<void> {
    this.locks.set(name, { owner, count }, ttl);
  }

  async remove(name: string): Promise<void> {
    this.store.delete(name);
  }

  async queue(name: string): Promise<readonly RawPlace[]> {
    const deadlines = deadlineTable(this.store).find(fairDeadlines(name));
    return (waiterTable(this.store).find(fairQueue(name)) ?? []).map((owner) => {
      const deadline = deadlines?.get(owner);
      return { owner, keptFor: deadline === undefined ? undefined : deadline - this.store.now() };
    });
  }

  async queueLength(name: string): Promise<number> {
    return waiterTable(this.store).find(fairQueue(name))?.length ?? 0;
  }

  async waitingClients(name: string): Promise<number> {
    return waitingTable(this.store).find(waitingClients(name))?.length ?? 0;
  }

  async enqueue(name: string, { owner, keptFor }: RawPlace): Promise<void> {
    const [waiters, deadlines] = [waiterTable(this.store), deadlineTable(this.store)];
    waiters.set(fairQueue(name), [...(waiters.find(fairQueue(name)) ?? []), owner]);
    if (keptFor === undefined) return;
    const others = deadlines.find(fairDeadlines(name)) ?? [];
    deadlines.set(fairDeadlines(name), new Map([...others, [owner, this.store.now() + keptFor]]));
  }

  async clear(): Promise<void> {
    for (const name of this.store.names()) this.store.delete(name);
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

  /** The backend with counters for transitions and queries, and a list of its channels. */
  private counted(backend: MemoryBackend): LockBackend {
    const counting = <T extends object>(transitions: T): T =>
      new Proxy(transitions, {
        get: (target, property) => {
          const member: unknown = Reflect.get(target, property);
          if (typeof member !== 'function' || ANSWERED_LOCALLY.has(property)) return member;
          return (...args: unknown[]): unknown => {
            this.asked += 1;
            return Reflect.apply(member, target, args);
          };
        },
      });
    const parts = Object.entries(backend).map(([part, transitions]: [string, object]) => [part, counting(transitions)]);
    return Object.assign(Object.create(backend) as MemoryBackend, Object.fromEntries(parts), {
      pubSub: {
        subscribe: (channel: string, listener: () => void) => {
          this.channelNames.add(channel);
          return backend.pubSub.subscribe(channel, listener);
        },
      },
    });
  }
}

/** Methods of a backend that ask no server. */
const ANSWERED_LOCALLY = new Set<string | symbol>(['canWait', 'grantChannel', 'entryOf', 'firstLease']);

const rethrow = (error: unknown): never => {
  throw error;
};
