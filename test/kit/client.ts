import { LockService, LockShutdownError } from '../../lib/index.js';
import type { LockEvent } from '../../lib/events/lock-events.js';
import type { OwnedRuntime } from '../../lib/module/runtime.factory.js';

/** What Redisson calls an instance: connections and owners of its own, on a server shared with others. */
export class Client {
  readonly locks: LockService;
  /** Everything that happened beside the calls that returned. */
  readonly events: LockEvent[] = [];

  constructor(readonly runtime: OwnedRuntime) {
    this.locks = new LockService(runtime);
    runtime.events.on((event) => this.events.push(event));
    runtime.open();
  }

  /** As at the end of an application: waiters are sent away, nothing is renewed any more, what is held stays held. */
  async close(): Promise<void> {
    this.runtime.shutdownController.abort(new LockShutdownError('The client was closed'));
    this.runtime.watchdog.stop();
    await this.runtime.close(200);
  }
}

/** The clients that a test opened. */
export class Clients {
  private readonly opened: Client[] = [];

  add(client: Client): Client {
    this.opened.push(client);
    return client;
  }

  /** Closes them all; fails if one of them threw something where nobody waits for it. */
  async close(): Promise<void> {
    const closing = this.opened.splice(0);
    await Promise.all(closing.map((client) => client.close()));
    const unexpected = closing.flatMap(({ events }) => events).filter(({ type }) => type === 'unexpected');
    if (unexpected.length > 0)
      throw new Error('Something was thrown out of a task or a listener', { cause: unexpected });
  }
}
