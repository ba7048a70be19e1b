import { formatValue } from '../validation/format-value.js';
import type { LockRuntime } from './lock-runtime.js';
import { DEFAULT_CONNECTION_NAME, refused } from '../locks/lock.options.js';

/** The connections of one module, by their names. Each has owners, a watchdog and events of its own. */
export class ConnectionRegistry<R extends LockRuntime = LockRuntime> {
  /** Each of them once. */
  readonly all: readonly R[];

  /**
   * @param base What serves callers that name no connection; it may be among the named ones, or refuse everything.
   * @param byName Those that can be named.
   */
  constructor(
    readonly base: R,
    readonly byName: ReadonlyMap<string, R> = new Map([[DEFAULT_CONNECTION_NAME, base]]),
  ) {
    this.all = [...new Set([base, ...byName.values()])];
  }

  /** @throws LockOptionsError naming the connection that there is not, and those that there are. */
  named(name: string): R {
    const found = this.byName.get(name);
    if (found) return found;
    const known = [...this.byName.keys()].map((each) => formatValue(each)).join(' or ');
    throw refused(known, name);
  }

  /** The same, or what serves callers that name none. */
  get(name: string | undefined): R {
    return name === undefined ? this.base : this.named(name);
  }
}
