import { formatValue } from '../validation/format-value.js';
import type { LockRuntime } from './lock-runtime.js';
import { DEFAULT_CONNECTION_NAME, refused } from '../locks/options/connection-choice.js';

/** The connections of one module, by name. Each has its own owners, watchdog and events. */
export class ConnectionRegistry<R extends LockRuntime = LockRuntime> {
  /** Every connection once. */
  readonly all: readonly R[];

  /**
   * @param base Serves callers that name no connection; it may also have a name, or refuse everything.
   * @param byName The named connections.
   */
  constructor(
    readonly base: R,
    readonly byName: ReadonlyMap<string, R> = new Map([[DEFAULT_CONNECTION_NAME, base]]),
  ) {
    this.all = [...new Set([base, ...byName.values()])];
  }

  /** @throws LockOptionsError that names the unknown connection and the known ones. */
  named(name: string): R {
    const found = this.byName.get(name);
    if (found) return found;
    const known = [...this.byName.keys()].map((each) => formatValue(each)).join(' or ');
    throw refused(known, name);
  }

  /** The connection of this name, or the one for callers that name none. */
  get(name: string | undefined): R {
    return name === undefined ? this.base : this.named(name);
  }
}
