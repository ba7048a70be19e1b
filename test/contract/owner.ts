import { AsyncResource } from 'node:async_hooks';
import type { LockService } from '../../lib/index.js';

/** An owner that lives as long as the test. All its work runs as this owner, like that of a Java thread. */
export class Owner {
  private inside = new AsyncResource('nobody');

  constructor(locks: LockService) {
    void locks.runInScope(() => {
      this.inside = new AsyncResource('owner');
      return new Promise<void>(() => {});
    });
  }

  run<T>(step: () => T): T {
    return this.inside.runInAsyncScope(step);
  }
}
