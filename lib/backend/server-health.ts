import type { Affected } from '../events/outage.js';

/** Whether locks can be acquired on one server now. */
export interface ServerHealth {
  /** `host:port`, the path of a socket, `master "name" of Sentinels`, or `cluster` while its servers are unknown. */
  readonly server: string;
  /** What fails while it is down: all locks, the locks in its slots, or its vote for a RedLock. */
  readonly affects: Affected;
  /** Whether it answers commands, and grants locks. */
  readonly commands: 'up' | 'down';
  /** Whether it sends the messages that wake waiters; without them, waiters poll. `unused`: no caller waits for any. */
  readonly messages: 'up' | 'down' | 'unused';
  /** Why it is down, as a sentence without its full stop, and without a password. */
  readonly problem?: string;
}
