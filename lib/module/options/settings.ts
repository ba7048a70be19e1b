import type { Fences } from '../../backend/lock-operations.js';
import type { ConnectionInput } from '../../backend/redis/connection/connection-input.js';
import type { NameLimits } from '../../keys/lock-name.js';
import type { ReplicaSettings } from './replica.options.js';
import type { RedlockSettings } from './redlock.options.js';
import type { HandOverLimits } from '../../waiting/lock-attempts.js';

/** Where the locks of one connection live. */
export interface ConnectionTarget {
  /** `undefined` is this process's own memory. */
  readonly connection: ConnectionInput | undefined;
  /** Why there is no connection at all, where there is none: what everybody is told who uses it. */
  readonly absent: string | undefined;
  readonly keyPrefix: string;
  /** Whether somebody chose it, were it `''`: then there is nothing to warn of. */
  readonly isPrefixChosen: boolean;
}

/** What holds for one connection, checked and complete. Durations are ms. */
export interface ConnectionSettings extends ConnectionTarget {
  readonly redlock: RedlockSettings | undefined;
  readonly wait: number;
  readonly watchdogTimeout: number;
  readonly fairWaitTimeout: number;
  readonly commandTimeout: number;
  readonly safetyPoll: number;
  readonly names: NameLimits;
  /** How many names one call may lock. */
  readonly maxNames: number;
  readonly fences: Fences;
  readonly handOver: HandOverLimits;
  readonly maxQueue: number;
  /** `Infinity`: for ever. */
  readonly maxHold: number;
  readonly replicas: ReplicaSettings | undefined;
  /** 0: none. */
  readonly restartGuard: number;
  readonly probe: 'refuse' | 'warn' | false;
  readonly shardedPubSub: 'auto' | boolean;
}

/** The options of the module, read once, checked and complete. What is said of a connection is said of the default one. */
export interface LockSettings extends ConnectionSettings {
  /** The other connections, by their names. Beside their places and masters, everything holds for all of them. */
  readonly others: ReadonlyMap<string, ConnectionTarget>;
  readonly shutdownTimeout: number;
  readonly conflictStatus: 409 | 423;
}
