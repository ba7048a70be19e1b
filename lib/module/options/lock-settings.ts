import type { Fencing } from '../../backend/lock-operations.js';
import type { RedisTarget } from '../../backend/redis-target.js';
import type { RecordSettings } from '../../holds/recorded-grants.js';
import type { NameLimits } from '../../keys/lock-name.js';
import type { DeadlockSettings } from './deadlock.options.js';
import type { ReplicaSettings } from './replica.options.js';
import type { RedLockSettings } from './red-lock.options.js';
import type { RenewInSettings } from './renew-in.options.js';
import type { HandOverLimits } from '../../waiting/hand-over-attempts.js';

/** Where the locks of one connection are. */
export type ConnectionTarget =
  | { readonly kind: 'redis'; readonly servers: RedisTarget }
  /** In the memory of this process. */
  | { readonly kind: 'memory' }
  /** Nowhere: every use is refused with this reason. */
  | { readonly kind: 'none'; readonly reason: string };

/** Where the locks of one connection are, and the prefix of their names there. */
export interface PrefixedTarget {
  readonly target: ConnectionTarget;
  readonly keyPrefix: string;
  /** True if the prefix was set explicitly, even to `''`: then the start-up probe does not warn of a missing one. */
  readonly isPrefixChosen: boolean;
}

/** Validated, complete settings of one connection. Durations are ms. */
export interface ConnectionSettings extends PrefixedTarget, DeadlockSettings {
  readonly redLock: RedLockSettings | undefined;
  readonly wait: number;
  readonly releasesInBackground: boolean;
  readonly renewedLease: number;
  /** Absent: in the main thread only. */
  readonly renewIn: RenewInSettings | undefined;
  readonly fairWaitTimeout: number;
  readonly commandTimeout: number;
  readonly safetyPoll: number;
  readonly names: NameLimits;
  /** Most names that one call may lock. */
  readonly maxNames: number;
  readonly fencing: Fencing;
  readonly handOver: HandOverLimits;
  readonly maxQueue: number;
  /** `Infinity`: without limit. */
  readonly maxHold: number;
  readonly replicas: ReplicaSettings | undefined;
  /** 0: none. */
  readonly restartGuard: number;
  /** Absent: nothing is recorded beside locks. */
  readonly holderRecords: RecordSettings | undefined;
  readonly probe: 'refuse' | 'warn' | false;
  readonly shardedPubSub: 'auto' | boolean;
}

/** The module's options, parsed, validated and complete. Settings of a connection are those of the default one. */
export interface LockSettings extends ConnectionSettings {
  /** The other connections by name. They share all settings except target and masters. */
  readonly others: ReadonlyMap<string, PrefixedTarget>;
  readonly shutdownTimeout: number;
  readonly conflictStatus: 409 | 423;
}
