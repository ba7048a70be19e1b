import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LockError } from '../../lib/errors.js';

/**
 * node-redis writes at the end of the turn in which it is asked to, by an Immediate that is gone with that turn; the write
 * sets the timer of its socket again, which ends within the time to connect.
 */
const WRITES = /#scheduleWrite \(|RedisSocket\.write \(/;

/** The types of resources that may live longer than the call that makes them. */
const LASTING: ReadonlySet<string> = new Set([
  'Timeout',
  'Immediate',
  'TCPWRAP',
  'PIPEWRAP',
  'TLSWRAP',
  'TCPCONNECTWRAP',
  'GETADDRINFOREQWRAP',
]);
const TIMERS_OF_TESTS = /test\/kit\/until/;
const MOST_COLLECTIONS = 20;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** A request of an application, as the store of its `AsyncLocalStorage`. */
interface AppRequest {
  readonly id: number;
}

/** The requests of an application that has an `AsyncLocalStorage` of its own, as nestjs-cls, loggers and tracers do. */
export class Requests {
  /** The timers and sockets that were made in the store of a request. */
  readonly leaks: string[] = [];
  private readonly storage = new AsyncLocalStorage<AppRequest>();
  private readonly made: WeakRef<AppRequest>[] = [];
  private readonly hook = createHook({
    init: (_, type) => {
      if (!LASTING.has(type) || !this.storage.getStore()) return;
      const { stack = '' } = new Error(type);
      if (!TIMERS_OF_TESTS.test(stack) && !WRITES.test(stack)) this.leaks.push(stack);
    },
  }).enable();

  /** The id of the request that the running code works for. */
  get current(): number | undefined {
    return this.storage.getStore()?.id;
  }

  /** Makes one call in a request of its own, which has ended when this resolves. An error of a lock is its result. */
  async call<T>(work: () => T | Promise<T>): Promise<T | LockError> {
    const request = { id: this.made.length + 1 };
    this.made.push(new WeakRef(request));
    const { id } = request;
    return this.storage.run(request, async () => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof LockError) return error;
        throw error;
      } finally {
        expect(this.current).toBe(id);
      }
    });
  }

  /** The ids of the requests that are still in memory after many collections of garbage. */
  async kept(): Promise<readonly number[]> {
    const kept = (): readonly number[] => this.made.flatMap((request) => request.deref()?.id ?? []);
    for (let times = 0; times < MOST_COLLECTIONS && kept().length > 0; times++) {
      await setImmediate();
      collect();
    }
    return kept();
  }

  /** Makes the running code that of a request, and all that it leads to. */
  enterForGood(): void {
    this.storage.enterWith({ id: 0 });
  }

  end(): void {
    this.hook.disable();
    this.storage.disable();
  }
}
