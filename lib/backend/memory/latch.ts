import { latchChannel } from '../../keys/lock-name.js';
import type { LatchOperations } from '../latch-transitions.js';
import { MemoryCounter } from './counters.js';
import type { MemoryStore } from './memory-store.js';

/** The count-down latch in memory: the executable specification of `scripts/latch/*.lua`. */
export class MemoryLatch extends MemoryCounter implements LatchOperations {
  constructor(store: MemoryStore) {
    super(store, latchChannel, true);
  }

  async countDown(name: string): Promise<void> {
    const count = this.counters.get(name);
    if (count === undefined) return;
    if (count > 1) this.counters.set(name, count - 1);
    else this.store.delete(name);
    // A latch that was set to 0 is open already.
    if (count === 1) this.store.publish(this.channelOf(name));
  }
}
