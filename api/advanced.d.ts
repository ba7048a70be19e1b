import type {
    AcquireOptions,
    Duration,
    Hold,
    LockConflictError,
    LockEvent,
    LockOptions,
    LockTimeoutError,
    LockUnavailableError,
    RedisLockOptions,
    WithLockOptions,
} from './index.js';
import type {
    ExecutionContext,
} from '@nestjs/common';
import type {
    ConnectionOptions,
} from 'node:tls';

export type AddressMap = Readonly<Record<string, ServerAddress>> | ((address: string) => ServerAddress | null);

export type Affected = 'all-locks' | 'its-slots' | 'its-vote';

export type AsJson<T> = 0 extends 1 & T ? T : T extends {
    toJSON(): infer J;
} ? AsJson<J> : T extends bigint | symbol | ((...args: any[]) => unknown) ? never : T extends Json ? T : T extends object ? {
    [K in keyof T]: AsJson<T[K]>;
} : T;

export type Backoff = () => Iterable<number>;

export interface BlockedLock {
    readonly lockName: string;
    readonly owner: string;
    readonly method?: string | undefined;
    readonly lease: number;
    readonly outcome: 'renewed-in-worker' | 'renewed' | 'held' | 'released' | 'lost';
}

export type CallerSignal = (...args: never[]) => AbortSignal | undefined;

export interface ClusterAddresses {
    readonly cluster: readonly ClusterSeed[];
    readonly redisOptions?: ServerOptions | undefined;
    readonly natMap?: AddressMap | undefined;
    readonly keyPrefix?: string | undefined;
}

export interface ClusterInput extends ClusterAddresses {
    readonly cluster: readonly ClusterSeed[];
}

export type ClusterSeed = string | {
    readonly host: string;
    readonly port?: number | string | undefined;
};

export type CommandOutcome = 'not-sent' | 'refused' | 'unknown';

export interface ConflictContext<A extends readonly unknown[] = readonly unknown[]> {
    readonly error: LockConflictError | LockTimeoutError;
    readonly args: A;
}

export type ConflictHandler<R = unknown> = {
    call(context: ConflictContext): R | PromiseLike<R>;
}['call'];

export interface ConnectionChoice {
    readonly connection?: string | undefined;
}

export type ConnectionInput = ServerInput | ClusterInput | GivenCluster;

export interface ConnectionStats {
    readonly connection: string;
    readonly held: number;
    readonly waiting: number;
    readonly watchdogLag: number;
    readonly templates: readonly TemplateStats[];
}

export interface DeadlockOptions {
    readonly deadlocks?: 'detect' | 'off' | undefined;
    readonly lockOrder?: OnInversion | 'off' | undefined;
}

export interface DeadlockStep {
    readonly method?: string;
    readonly holds: string;
    readonly owner: string;
    readonly waitsFor: string;
}

export interface DetachOptions {
    readonly lease?: Duration | undefined;
}

export type DriverName = 'ioredis' | 'node-redis';

export interface ErrorClass {
    readonly name: string;
    readonly prototype: Error;
}

export interface ErrorResponseSettings {
    readonly conflictStatus: number;
    readonly renewedLease: number;
}

export type EventListener<T extends LockEventType = LockEventType> = (event: EventOf<T>) => void;

export type EventOf<T extends LockEventType> = Extract<LockEvent, {
    readonly type: T;
}>;

// not exported
type Exclusive = KindChoice & {
    readonly mode?: 'exclusive' | undefined;
    readonly preference?: undefined;
};

export interface ExponentialBackoff {
    readonly initial?: Duration | undefined;
    readonly max?: Duration | undefined;
    readonly multiplier?: number | undefined;
}

export type Fencing = 'clock' | 'counter';

export type GivenClient = IoredisClient | NodeRedisClient;

export type GivenCluster = IoredisCluster | NodeRedisCluster;

export type HandlerKey = (context: ExecutionContext) => string | readonly string[];

export interface HandoverOptions {
    readonly max?: number | undefined;
    readonly ms?: Duration | undefined;
}

export interface HexadecimalId {
    toHexString(): string;
}

export type HoldRelease = 'released' | 'still-held' | 'expired';

export interface HoldSummary {
    readonly name: string;
    readonly owner: string;
    readonly waited: number;
    readonly isHeld: boolean;
}

export interface HoldTrace extends OfLock {
    readonly owner: string | undefined;
    readonly wait?: WaitTrace | undefined;
    error?: unknown;
}

export interface HolderRecord {
    readonly host: string;
    readonly pid: number;
    readonly service?: string;
    readonly method?: string;
    readonly traceId?: string;
    readonly note?: string;
    readonly since: number;
    readonly keptUntil?: number;
}

export interface HolderRecordOptions {
    readonly service?: string | undefined;
    readonly traceId?: (() => string | undefined) | undefined;
}

export type HowReleased = 'released' | 'unconfirmed' | 'kept' | 'abandoned' | 'replaced' | 'detached' | 'converted';

export interface InspectedHolder {
    readonly owner: string;
    readonly mode: 'exclusive' | 'read' | 'write' | 'permit';
    readonly count: number;
    readonly remaining: number;
    readonly fields?: readonly string[];
    readonly record?: HolderRecord;
    readonly isThisProcess: boolean;
}

export type InspectedKind = LockKindName | 'countDownLatch' | 'multi';

export interface InspectedLock {
    readonly name: string;
    readonly kind: InspectedKind;
    readonly state: 'free' | 'held' | 'reserved' | 'foreign' | 'unknown';
    readonly holders: readonly InspectedHolder[];
    readonly holderCount: number;
    readonly waiting: InspectedWaiting;
    readonly fence?: bigint;
    readonly permits?: InspectedPermits;
    readonly count?: number;
    readonly members?: readonly InspectedLock[];
    readonly nodes?: readonly InspectedNode[];
    readonly problem?: string;
}

export interface InspectedNode {
    readonly node: string;
    readonly lock?: InspectedLock;
    readonly error?: unknown;
}

export interface InspectedPermits {
    readonly available: number;
    readonly inUse?: number;
    readonly total?: number;
}

export interface InspectedWaiting {
    readonly count: number;
    readonly order?: readonly {
        readonly owner: string;
    }[];
    readonly position?: number;
    readonly writers?: readonly {
        readonly owner: string;
    }[];
}

// not exported
export interface IoredisClient {
    readonly status: string;
    readonly isCluster: boolean;
    readonly options: ServerOptions;
    duplicate(override: object): object;
}

// not exported
export interface IoredisCluster {
    readonly isCluster: boolean;
    readonly options: {
        readonly keyPrefix?: string | undefined;
        readonly redisOptions?: ServerOptions | undefined;
        readonly natMap?: ServerOptions['natMap'];
        readonly useSRVRecords?: boolean | undefined;
    };
    nodes(role: 'all'): readonly {
        readonly options: ServerOptions;
    }[];
}

// not exported
type Json = string | number | boolean | null | undefined | {
    readonly [key: string]: Json;
} | readonly Json[];

export type KeyFunction<A extends readonly unknown[]> = (...args: A) => string | readonly string[];

export type KeyPart = string | number | bigint | boolean | Date | HexadecimalId;

// not exported
interface KindChoice {
    readonly kind?: KindName | undefined;
    readonly mode?: 'exclusive' | 'read' | 'write' | undefined;
    readonly preference?: 'writer' | undefined;
    readonly fair?: boolean | undefined;
    readonly fenced?: boolean | undefined;
    readonly limit?: number | undefined;
    readonly numbered?: boolean | undefined;
}

export type KindName = 'spin' | 'nonReentrant' | 'redLock';

export interface LeaderElectionOptions {
    onElected(signal: AbortSignal, hold: Hold): unknown;
    onDemoted?(reason: unknown): unknown;
}

// not exported
interface LeaseChoice {
    readonly lease?: Duration | undefined;
    readonly renew?: boolean | undefined;
    readonly maxHold?: Duration | undefined;
}

export type LeaseOptions = (LeaseChoice & {
    readonly renew?: undefined;
    readonly maxHold?: undefined;
}) | (LeaseChoice & {
    readonly lease: Duration;
    readonly renew: false;
    readonly maxHold?: undefined;
}) | (LeaseChoice & {
    readonly lease?: undefined;
    readonly renew?: true | undefined;
}) | (LeaseChoice & {
    readonly renew: true;
});

export type LifeCycleEvent = (OfLock & {
    readonly type: 'waiting';
}) | (OfOwner & {
    readonly type: 'acquired';
    readonly waited: number;
    readonly isContended: boolean;
}) | (OfOwner & {
    readonly type: 're-entered';
    readonly waited: number;
}) | (OfOwner & {
    readonly type: 'renewed';
    readonly heldFor: number;
    readonly lease: number;
}) | (OfOwner & {
    readonly type: 'handed-over';
    readonly heldFor: number;
    readonly via: 'process' | 'server';
}) | (OfOwner & {
    readonly type: 'released';
    readonly heldFor: number | undefined;
    readonly how: HowReleased;
}) | (OfLock & {
    readonly type: 'timed-out';
    readonly waited: number;
}) | (OfLock & {
    readonly type: 'conflict';
}) | (OfLock & {
    readonly type: 'cancelled';
    readonly waited: number;
}) | (OfLock & {
    readonly type: 'failed';
    readonly waited: number;
    readonly error: unknown;
}) | (OfLock & {
    readonly type: 'force-released';
});

export type LifeCycleType = LifeCycleEvent['type'];

// not exported
type Limited = Pick<KindChoice, 'fair' | 'numbered'> & {
    readonly limit: number;
} & {
    readonly [Name in NotWithLimit]?: undefined;
};

export interface ListOptions {
    readonly signal?: AbortSignal | undefined;
    readonly batch?: number | undefined;
}

export interface ListedLock extends InspectedLock {
    readonly name: string;
    readonly key: string;
}

export interface LockErrorContext {
    readonly lockName?: string | undefined;
    readonly template?: string | undefined;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
    readonly cause?: unknown;
}

export type LockEventType = LockEvent['type'];

export type LockHandlerOptions = LockedNeed & ConnectionChoice & Pick<AcquireOptions, 'wait'> & Pick<WithLockOptions, 'onConflict' | 'release'> & {
    readonly cancelOnDisconnect?: boolean | undefined;
    readonly releaseAfter?: ReleaseAfter | undefined;
};

export type LockKindName = 'reentrant' | 'fair' | 'fenced' | 'spin' | 'group' | 'read' | 'write' | 'redLock' | 'limit' | 'semaphore' | 'permitExpirableSemaphore';

export type LockKindOptions = Limited | (UnlimitedKinds & {
    readonly limit?: undefined;
    readonly numbered?: undefined;
});

export interface LockLogger {
    log(message: string): void;
    warn(message: string): void;
    error(message: string, stack?: string): void;
}

export type LockNotice = (Omit<OfHold, 'heldFor'> & {
    readonly type: 'lost';
    readonly heldFor?: number;
    readonly reason: string;
    readonly remedy: string;
}) | (OfHold & {
    readonly type: 'max-hold-reached';
    readonly maxHold: number;
}) | (OfHold & {
    readonly type: 'long-hold';
}) | (OfHold & {
    readonly type: 'forgotten';
    readonly acquiredAt: string | undefined;
}) | {
    readonly type: 'renewal-failed';
    readonly holds: number;
    readonly lockNames: readonly string[];
    readonly locks: readonly OfHold[];
    readonly error: unknown;
} | {
    readonly type: 'loop-blocked';
    readonly delay: number;
    readonly stack?: readonly string[] | undefined;
    readonly locks: readonly BlockedLock[];
} | {
    readonly type: 'worker-failed';
    readonly reason: string;
} | (Pick<OfHold, 'lockName' | 'owner'> & Partial<OfHold> & {
    readonly type: 'release-failed';
    readonly error: unknown;
}) | {
    readonly type: 'permits-release-failed';
    readonly lockName: string;
    readonly permits: number;
    readonly error: unknown;
} | {
    readonly type: 'given-up';
    readonly lockName: string;
    readonly request: 'acquire' | 'drain' | 'release' | 'count-down';
    readonly count: number | undefined;
    readonly error: unknown;
} | {
    readonly type: 'limits-differ';
    readonly lockName: string;
    readonly limit: number;
    readonly other: number;
} | (OfLock & {
    readonly type: 'deadlock';
    readonly waited: number;
    readonly cycle: readonly DeadlockStep[];
}) | {
    readonly type: 'lock-order-inverted';
    readonly connection: string;
    readonly first: string;
    readonly second: string;
    readonly method: string | undefined;
    readonly otherMethod: string | undefined;
} | {
    readonly type: 'election-failed';
    readonly lockName: string;
    readonly error: unknown;
} | {
    readonly type: 'result-not-shared';
    readonly lockName: string;
    readonly error: unknown;
} | {
    readonly type: 'clock-jumped';
    readonly ms: number;
} | ({
    readonly type: 'unavailable';
} & Outage) | ({
    readonly type: 'available';
} & Recovery) | {
    readonly type: 'unexpected';
    readonly error: unknown;
};

export interface LockScript {
    readonly name: string;
    readonly text: string;
}

export interface LockStats {
    readonly held: number;
    readonly waiting: number;
    readonly watchdogLag: number;
    readonly connections: readonly ConnectionStats[];
}

// not exported
export type LockedNeed = (LockKindOptions & LeaseOptions & Pick<WithLockOptions, 'holdAtLeast'> & {
    readonly permits?: undefined;
}) | ({
    readonly [Name in NotWithPermits]?: undefined;
} & {
    readonly permits: number;
});

export type ManualLockOptions = LockOptions & OwnerChoice;

// not exported
declare const NOT_WITH_LIMIT: readonly [
    "kind",
    "mode",
    "preference",
    "fenced"
];

// not exported
declare const NOT_WITH_PERMITS: readonly [
    ...("fair" | "fenced" | "kind" | "lease" | "limit" | "maxHold" | "mode" | "numbered" | "preference" | "renew")[],
    "holdAtLeast"
];

// not exported
export interface NodeRedisClient {
    readonly isReady: boolean;
    readonly options: object;
    sendCommand(args: readonly string[]): Promise<unknown>;
    duplicate(overrides: object): object;
}

// not exported
export interface NodeRedisCluster {
    readonly masters: readonly {
        readonly address: string;
        readonly client?: NodeRedisClient | undefined;
    }[];
    readonly replicas: NodeRedisCluster['masters'];
    nodeClient(node: object): unknown;
    readonly _keyPrefix?: string | Uint8Array | undefined;
}

export interface NodeResult {
    readonly node: string;
    readonly outcome: string;
    readonly holder?: OwnerId;
    readonly error?: unknown;
}

export interface NonReentrantLockOptions {
    readonly fair?: boolean | undefined;
}

// not exported
type NotWithLimit = (typeof NOT_WITH_LIMIT)[number];

// not exported
type NotWithPermits = (typeof NOT_WITH_PERMITS)[number];

export interface OfHold extends OfLock {
    readonly owner: string;
    readonly heldFor: number;
}

export interface OfLock {
    readonly connection: string;
    readonly kind: LockKindName;
    readonly lockName: string;
    readonly template: string | undefined;
    readonly method: string | undefined;
}

// not exported
interface OfOwner extends OfLock {
    readonly owner: string | undefined;
}

export type OnConflict = 'throw' | 'skip' | 'replace' | ConflictHandler;

export type OnInversion = 'warn' | 'throw';

export interface Outage {
    readonly server: string;
    readonly reason: string;
    readonly affects: Affected;
    readonly error: LockUnavailableError;
}

export interface OwnerChoice {
    readonly owner?: string | undefined;
}

// not exported
export type OwnerId = string;

export interface PermitOptions extends WaitOptions {
    readonly lease?: Duration | undefined;
    readonly renew?: boolean | undefined;
}

export interface ReadWriteLockOptions {
    readonly preference?: 'writer' | undefined;
}

export interface Recovery {
    readonly server: string;
    readonly after: number;
    readonly isReplaced: boolean;
}

export interface RedLockOptions {
    readonly nodes: readonly ConnectionInput[];
    readonly nodeTimeout?: Duration | undefined;
    readonly quorum?: number | undefined;
}

export interface RedisLockModuleExtras {
    isGlobal?: boolean;
    exceptionFilter?: boolean;
    connectionNames?: readonly string[];
}

export interface RedisLockOptionsFactory {
    createRedisLockOptions(): ReturnedLockOptions | Promise<ReturnedLockOptions>;
}

export interface ReleaseAfter {
    (context: ReleaseContext): PromiseLike<unknown> | undefined | void;
    readonly keptFor?: ((context: ReleaseContext) => object | undefined) | undefined;
}

export interface ReleaseContext {
    readonly args: readonly unknown[];
}

export interface RenewInWorker {
    readonly worker: Duration;
}

export interface ReplicaOptions {
    readonly min: number;
    readonly timeout?: Duration | undefined;
    readonly aof?: boolean | undefined;
}

export type ReturnedLockOptions = RedisLockOptions & {
    readonly [Extra in keyof RedisLockModuleExtras]?: never;
};

export interface SentinelAddress {
    readonly host?: string | undefined;
    readonly port?: number | string | undefined;
}

export interface ServerAddress {
    readonly host: string;
    readonly port: number;
}

// not exported
export type ServerInput = string | ServerOptions | GivenClient;

export interface ServerOptions {
    readonly host?: string | undefined;
    readonly port?: number | string | undefined;
    readonly path?: string | undefined;
    readonly family?: number | undefined;
    readonly username?: string | null | undefined;
    readonly password?: string | null | undefined;
    readonly db?: number | string | undefined;
    readonly tls?: ConnectionOptions | true | undefined;
    readonly keyPrefix?: string | undefined;
    readonly sentinels?: readonly SentinelAddress[] | undefined;
    readonly name?: string | undefined;
    readonly sentinelUsername?: string | null | undefined;
    readonly sentinelPassword?: string | null | undefined;
    readonly sentinelTLS?: ConnectionOptions | undefined;
    readonly enableTLSForSentinelMode?: boolean | undefined;
    readonly natMap?: AddressMap | null | undefined;
}

export type SetCountOptions = TtlOptions;

export type SetPermitsOptions = TtlOptions;

export interface SharedResultOptions {
    readonly ttl?: Duration | undefined;
    readonly errors?: readonly ErrorClass[] | undefined;
}

export type SingleFlightMethodOptions = SharedResultOptions & ConnectionChoice & LeaseOptions & Pick<AcquireOptions, 'wait'> & {
    readonly cancelOnDisconnect?: boolean | undefined;
};

export type SingleFlightOptions = SharedResultOptions & AcquireOptions & ConnectionChoice;

export interface TemplateStats {
    readonly kind: LockKindName;
    readonly template: string | undefined;
    readonly held: number;
    readonly waiting: number;
}

export interface TtlOptions {
    readonly ttl?: Duration | undefined;
}

// not exported
type Unfair = {
    readonly fair?: false | undefined;
};

// not exported
type Unfenced = {
    readonly fenced?: false | undefined;
};

// not exported
type UnlimitedKinds = (Exclusive & Unfenced & {
    readonly kind?: 'nonReentrant' | undefined;
}) | (Exclusive & Unfair & Unfenced) | (Exclusive & Unfair & {
    readonly kind?: undefined;
}) | (KindChoice & Unfair & Unfenced & {
    readonly kind?: undefined;
    readonly preference?: undefined;
}) | (KindChoice & Unfair & Unfenced & {
    readonly kind?: undefined;
    readonly mode: 'read' | 'write';
});

export interface UpgradeOptions {
    readonly lease?: Duration | undefined;
}

export interface WaitOptions {
    readonly wait?: Duration | undefined;
    readonly signal?: AbortSignal | undefined;
}

export interface WaitTrace extends OfLock {
    isContended: boolean;
    owner?: string | undefined;
    isReentry?: boolean;
    error?: unknown;
}

export declare const constantBackoff: (delay?: Duration) => Backoff;

export declare const exponentialBackoff: (options?: ExponentialBackoff) => Backoff;

export declare const lockScripts: readonly LockScript[];
