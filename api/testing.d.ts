// not exported
export type AcquireOptions = LeaseOptions & {
    readonly wait?: Duration | undefined;
    readonly signal?: AbortSignal | undefined;
};

// not exported
export type AddressMap = Readonly<Record<string, {
    readonly host: string;
    readonly port: number;
}>> | ((address: string) => {
    readonly host: string;
    readonly port: number;
} | null);

// not exported
export type Affected = 'all-locks' | 'its-slots' | 'its-vote';

// not exported
export type AsJson<T> = 0 extends 1 & T ? T : T extends {
    toJSON(): infer J;
} ? AsJson<J> : T extends bigint | symbol | ((...args: any[]) => unknown) ? never : T extends Json ? T : T extends object ? {
    [K in keyof T]: AsJson<T[K]>;
} : T;

// not exported
export type Backoff = () => Iterable<number>;

// not exported
export interface BlockedLock {
    readonly lockName: string;
    readonly owner: string;
    readonly method?: string | undefined;
    readonly lease: number;
    readonly outcome: 'renewed' | 'held' | 'released' | 'lost';
}

// not exported
export interface ClusterClient {
    readonly isCluster: boolean;
    readonly options: {
        readonly keyPrefix?: string | undefined;
        readonly redisOptions?: RedisOptions | undefined;
        readonly natMap?: AddressMap | undefined;
        readonly useSRVRecords?: boolean | undefined;
    };
    nodes(role: 'all'): readonly {
        readonly options: RedisOptions;
    }[];
}

// not exported
export interface ClusterInput {
    readonly cluster: readonly ClusterSeed[];
    readonly redisOptions?: RedisOptions | undefined;
    readonly natMap?: AddressMap | undefined;
    readonly keyPrefix?: string | undefined;
}

// not exported
export type ClusterSeed = string | {
    readonly host: string;
    readonly port?: number | undefined;
};

// not exported
export type CommandOutcome = 'not-sent' | 'refused' | 'unknown';

// not exported
export interface ConflictContext {
    readonly error: LockConflictError | LockTimeoutError;
    readonly args: readonly unknown[];
}

// not exported
export type ConflictHandler<R = unknown> = (context: ConflictContext) => R | PromiseLike<R>;

// not exported
export interface ConnectionChoice {
    readonly connection?: string | undefined;
}

// not exported
export type ConnectionInput = ServerInput | ClusterInput | ClusterClient;

// not exported
export interface ConnectionStats {
    readonly connection: string;
    readonly held: number;
    readonly waiting: number;
    readonly watchdogLag: number;
    readonly templates: readonly TemplateStats[];
}

// not exported
export declare class CountDownLatch {
    readonly name: string;
    trySetCount(count: number, options?: SetCountOptions): Promise<boolean>;
    countDown(): Promise<void>;
    getCount(): Promise<number>;
    inspect(): Promise<InspectedLock>;
    delete(): Promise<boolean>;
    await(options?: WaitOptions): Promise<boolean>;
}

// not exported
export interface DeadlockOptions {
    readonly deadlocks?: 'detect' | 'off' | undefined;
    readonly lockOrder?: OnInversion | 'off' | undefined;
}

// not exported
export interface DeadlockStep {
    readonly method?: string;
    readonly holds: string;
    readonly owner: string;
    readonly waitsFor: string;
}

// not exported
export interface DetachOptions {
    readonly lease?: Duration | undefined;
}

// not exported
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

// not exported
export interface ErrorClass {
    readonly name: string;
    readonly prototype: Error;
}

// not exported
export type EventListener<T extends LockEventType = LockEventType> = (event: EventOf<T>) => void;

// not exported
export type EventOf<T extends LockEventType> = Extract<LockEvent, {
    readonly type: T;
}>;

export interface FakeLockCall {
    readonly name: string;
    readonly kind: 'plain' | 'fair' | 'fenced' | 'group' | 'read' | 'write' | 'limit' | 'semaphore' | 'permit';
}

export declare class FakeLocks extends LockService {
    constructor();
    get acquired(): readonly FakeLockCall[];
    get held(): readonly string[];
    lockedCalls(): readonly LockedCallRecord[];
    clear(): void;
    wire<T extends object>(instance: T): T;
}

// not exported
export interface FencedHold extends Hold {
    readonly fence: bigint;
}

// not exported
export interface FencedLock extends Lock<FencedHold> {
    currentToken(): Promise<bigint>;
}

// not exported
export type Fencing = 'clock' | 'counter';

// not exported
export interface GivenClient {
    readonly status: string;
    readonly isCluster: boolean;
    readonly options: {
        readonly keyPrefix?: string | undefined;
    };
    duplicate(override: object): object;
}

// not exported
export interface HandoverOptions {
    readonly max?: number | undefined;
    readonly ms?: Duration | undefined;
}

// not exported
export interface Hold extends AsyncDisposable {
    readonly name: string;
    readonly owner: string;
    readonly fence: bigint | undefined;
    readonly waitedMs: number;
    readonly isHeld: boolean;
    readonly isReleased: boolean;
    readonly remaining: number;
    readonly signal: AbortSignal;
    assertHeld(): void;
    extend(lease: Duration): Promise<void>;
    release(): Promise<HoldRelease>;
    abandon(): void;
    detach(options?: DetachOptions): Promise<HoldToken>;
    tryUpgrade(options?: UpgradeOptions): Promise<Hold | null>;
    downgrade(options?: UpgradeOptions): Promise<Hold>;
    run<T>(fn: () => T): T;
    toJSON(): HoldSummary;
    [Symbol.asyncDispose](): Promise<void>;
}

// not exported
export type HoldRelease = 'released' | 'still-held' | 'expired';

// not exported
export interface HoldSummary {
    readonly name: string;
    readonly owner: string;
    readonly waitedMs: number;
    readonly isHeld: boolean;
}

// not exported
export type HoldToken = string;

// not exported
export interface HolderRecord {
    readonly host: string;
    readonly pid: number;
    readonly service?: string;
    readonly method?: string;
    readonly traceId?: string;
    readonly since: number;
    readonly keptUntil?: number;
}

// not exported
export interface HolderRecordOptions {
    readonly service?: string | undefined;
    readonly traceId?: (() => string | undefined) | undefined;
}

// not exported
export type HowReleased = 'released' | 'unconfirmed' | 'kept' | 'abandoned' | 'detached' | 'converted';

// not exported
export interface InspectedHolder {
    readonly owner: string;
    readonly mode: 'exclusive' | 'read' | 'write' | 'permit';
    readonly count: number;
    readonly remaining: number;
    readonly fields?: readonly string[];
    readonly record?: HolderRecord;
    readonly isThisProcess: boolean;
}

// not exported
export type InspectedKind = LockKindName | 'countDownLatch' | 'multi';

// not exported
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

// not exported
export interface InspectedNode {
    readonly node: string;
    readonly lock?: InspectedLock;
    readonly error?: unknown;
}

// not exported
export interface InspectedPermits {
    readonly available: number;
    readonly inUse?: number;
    readonly total?: number;
}

// not exported
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
export type KindName = 'reentrant' | 'fair' | 'fenced' | 'spin' | 'nonReentrant' | 'redlock';

// not exported
export declare class LeaderElection implements AsyncDisposable {
    get name(): string;
    get state(): CandidateState;
    get isLeader(): boolean;
    start(): void;
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

// not exported
export interface LeaderElectionOptions {
    onElected(signal: AbortSignal, hold: Hold): unknown;
    onDemoted?(reason: unknown): unknown;
}

export declare class LeakedLocksError extends Error {
    readonly holders: readonly TestHolder[];
    readonly waiters: readonly TestWaiter[];
    readonly name = "LeakedLocksError";
    constructor(holders: readonly TestHolder[], waiters: readonly TestWaiter[]);
}

// not exported
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

// not exported
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

// not exported
export type LimitOptions = AcquireOptions & LimitOrder & ConnectionChoice;

// not exported
export interface LimitOrder {
    readonly fair?: boolean | undefined;
}

// not exported
export interface ListOptions {
    readonly signal?: AbortSignal | undefined;
    readonly batch?: number | undefined;
}

// not exported
export interface ListedLock extends InspectedLock {
    readonly name: string;
    readonly key: string;
}

// not exported
export interface Lock<H extends Hold = Hold> {
    readonly name: string;
    acquire(options?: AcquireOptions): Promise<H>;
    tryAcquire(options?: AcquireOptions): Promise<H | null>;
    withLock<T>(fn: (hold: H) => T | Promise<T>): Promise<T>;
    withLock<T>(options: AcquireOptions & WithLockOptions<'throw'>, fn: (hold: H) => T | Promise<T>): Promise<T>;
    withLock<T>(options: AcquireOptions & WithLockOptions<'throw' | 'skip'>, fn: (hold: H) => T | Promise<T>): Promise<T | undefined>;
    withLock<T, R>(options: AcquireOptions & WithLockOptions<ConflictHandler<R>>, fn: (hold: H) => T | Promise<T>): Promise<T | R>;
    withLock(options: AcquireOptions & WithLockOptions, fn: (hold: H) => unknown): Promise<unknown>;
    release(): Promise<void>;
    forceRelease(): Promise<boolean>;
    isLocked(): Promise<boolean>;
    isHeldByCurrentScope(): Promise<boolean>;
    holdCount(): Promise<number>;
    remainingLease(): Promise<number>;
    inspect(): Promise<InspectedLock>;
}

// not exported
export declare class LockConflictError extends LockError {
    readonly code = "LOCK_CONFLICT";
}

export interface LockDeclaration {
    readonly decorator: string;
    readonly key: unknown;
    readonly options: object;
}

// not exported
export declare abstract class LockError extends Error {
    abstract readonly code: string;
    readonly lockName: string | undefined;
    readonly template: string | undefined;
    readonly details: Readonly<Record<string, unknown>>;
    constructor(message: string, context?: LockErrorContext);
}

// not exported
export interface LockErrorContext {
    readonly lockName?: string | undefined;
    readonly template?: string | undefined;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
    readonly cause?: unknown;
}

// not exported
export type LockEvent = LockNotice | LifeCycleEvent;

// not exported
export type LockEventType = LockEvent['type'];

// not exported
export type LockKindName = 'reentrant' | 'fair' | 'fenced' | 'spin' | 'group' | 'read' | 'write' | 'redlock' | 'limit' | 'semaphore' | 'permitExpirableSemaphore';

// not exported
export type LockKindOptions = (WithoutKind & Exclusive & Unfenced) | (WithoutKind & Exclusive & Unfair) | (WithoutKind & Unfair & Unfenced & {
    readonly preference?: undefined;
}) | (WithoutKind & Unfair & Unfenced & {
    readonly mode: 'read' | 'write';
}) | (Exclusive & {
    readonly fair?: undefined;
    readonly fenced?: undefined;
}) | (Exclusive & Unfair & Unfenced & {
    readonly kind: Exclude<KindName, 'fair' | 'fenced'>;
}) | (Exclusive & Unfenced & {
    readonly kind: 'fair';
    readonly fair: true;
}) | (Exclusive & Unfair & {
    readonly kind: 'fenced';
    readonly fenced: true;
}) | (Exclusive & Unfenced & {
    readonly kind: 'nonReentrant';
});

// not exported
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
    readonly locks: readonly BlockedLock[];
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

// not exported
export type LockOptions = AcquireOptions & LockKindOptions & ConnectionChoice;

// not exported
export declare class LockService {
    constructor(services: never);
    forConnection(name: string): LockService;
    withLock<T>(name: string, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
    withLock<T>(name: string, options: LockOptions & WithLockOptions<'throw'>, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
    withLock<T>(name: string, options: LockOptions & WithLockOptions<'throw' | 'skip'>, fn: (hold: Hold) => T | Promise<T>): Promise<T | undefined>;
    withLock<T, R>(name: string, options: LockOptions & WithLockOptions<ConflictHandler<R>>, fn: (hold: Hold) => T | Promise<T>): Promise<T | R>;
    withLock(name: string, options: LockOptions & WithLockOptions, fn: (hold: Hold) => unknown): Promise<unknown>;
    withLimit<T>(name: string, limit: number, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
    withLimit<T>(name: string, limit: number, options: LimitOptions & WithLockOptions<'throw'>, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
    withLimit<T>(name: string, limit: number, options: LimitOptions & WithLockOptions<'throw' | 'skip'>, fn: (hold: Hold) => T | Promise<T>): Promise<T | undefined>;
    withLimit<T, R>(name: string, limit: number, options: LimitOptions & WithLockOptions<ConflictHandler<R>>, fn: (hold: Hold) => T | Promise<T>): Promise<T | R>;
    withLimit(name: string, limit: number, options: LimitOptions & WithLockOptions, fn: (hold: Hold) => unknown): Promise<unknown>;
    singleFlight<T>(name: string, fn: (hold: Hold) => T | Promise<T>): Promise<AsJson<T>>;
    singleFlight<T>(name: string, options: SingleFlightOptions, fn: (hold: Hold) => T | Promise<T>): Promise<AsJson<T>>;
    acquire(name: string, options?: LockOptions): Promise<Hold>;
    tryAcquire(name: string, options?: LockOptions): Promise<Hold | null>;
    attach(token: HoldToken, options?: DetachOptions): Promise<Hold>;
    runInScope<T>(fn: () => T | Promise<T>): Promise<T>;
    getLock(name: string): Lock;
    getFairLock(name: string): Lock;
    getNonReentrantLock(name: string, options?: NonReentrantLockOptions): Lock;
    getFencedLock(name: string): FencedLock;
    getSpinLock(name: string, backoff?: Backoff): Lock;
    getGroupLock(group: string, values: readonly string[]): Lock;
    getMultiLock(...locks: readonly (string | Lock)[]): Lock<MultiHold>;
    getRedLock(name: string): Lock;
    getRedLock(...locks: readonly Lock[]): Lock<MultiHold>;
    getReadWriteLock(name: string, options?: ReadWriteLockOptions): ReadWriteLock;
    getSemaphore(name: string): Semaphore;
    getPermitExpirableSemaphore(name: string): PermitExpirableSemaphore;
    getLeaderElection(name: string, options: LeaderElectionOptions): LeaderElection;
    getCountDownLatch(name: string): CountDownLatch;
    currentHold(name?: string): Hold | undefined;
    stats(): LockStats;
    list(pattern?: string, options?: ListOptions): AsyncIterable<ListedLock>;
    releaseHolder(name: string, owner: string): Promise<boolean>;
    onEvent(listener: EventListener<LockNotice['type']>): () => void;
    onEvent<T extends LockEventType>(types: T | readonly T[] | 'all', listener: EventListener<T>): () => void;
}

// not exported
export interface LockStats {
    readonly held: number;
    readonly waiting: number;
    readonly watchdogLag: number;
    readonly connections: readonly ConnectionStats[];
}

export declare class LockTesting {
    readonly clock: Scheduler;
    constructor(options?: LockTestingOptions);
    get providers(): readonly LockTestingProvider[];
    override<B extends ProviderOverrides>(builder: B): B;
    holdElsewhere(name: string, options?: LockOptions): Promise<Hold>;
    loseLock(name: string, connection?: string): Promise<void>;
    failNextRenewal(times?: number): void;
    advance(duration: Duration): Promise<void>;
    holders(): Promise<readonly TestHolder[]>;
    waiters(): Promise<readonly TestWaiter[]>;
    expectNoLeakedLocks(): Promise<void>;
    lockedCalls(): readonly LockedCallRecord[];
}

export declare class LockTestingModule {
    static forRoot(options?: RedisLockOptions & RedisLockModuleExtras, testing?: LockTesting | LockTestingOptions): DynamicModule;
}

export interface LockTestingOptions {
    readonly clock?: ManualClock | 'timers' | undefined;
}

export interface LockTestingProvider {
    readonly provide: InjectionToken;
    readonly inject: unknown[];
    readonly useFactory: (...given: never[]) => unknown;
}

// not exported
export declare class LockTimeoutError extends LockError {
    readonly code = "LOCK_TIMEOUT";
}

// not exported
export declare class LockUnavailableError extends LockError {
    readonly outcome: CommandOutcome;
    readonly permanent: boolean;
    readonly code = "LOCK_UNAVAILABLE";
    constructor(message: string, outcome: CommandOutcome, permanent: boolean, context?: LockErrorContext);
}

export interface LockedCallRecord {
    readonly decorator: string;
    readonly method: string;
    readonly names: readonly string[];
    readonly connection: string | undefined;
}

export declare class ManualClock implements Scheduler {
    now(): number;
    get pending(): number;
    schedule(ms: number, task: () => void): ScheduledTask;
    advance(ms: number): Promise<void>;
}

// not exported
export interface MultiHold extends Hold {
    readonly members: readonly Hold[];
}

// not exported
export interface NonReentrantLockOptions {
    readonly fair?: boolean | undefined;
}

// not exported
export interface OfHold extends OfLock {
    readonly owner: string;
    readonly heldFor: number;
}

// not exported
export interface OfLock {
    readonly connection: string;
    readonly kind: LockKindName;
    readonly lockName: string;
    readonly template: string | undefined;
    readonly method: string | undefined;
}

// not exported
export type OnConflict = 'throw' | 'skip' | ConflictHandler;

// not exported
export type OnInversion = 'warn' | 'throw';

// not exported
export interface Outage {
    readonly server: string;
    readonly reason: string;
    readonly affects: Affected;
    readonly error: LockUnavailableError;
}

// not exported
export interface Permit extends AsyncDisposable {
    readonly id: string;
    readonly name: string;
    readonly isHeld: boolean;
    readonly isReleased: boolean;
    readonly remaining: number;
    readonly signal: AbortSignal;
    assertHeld(): void;
    release(): Promise<'released' | 'expired'>;
    toString(): string;
    toJSON(): string;
    [Symbol.asyncDispose](): Promise<void>;
}

// not exported
export declare class PermitExpirableSemaphore {
    readonly name: string;
    acquire(options?: PermitOptions): Promise<Permit>;
    acquireMany(permits: number, options?: PermitOptions): Promise<Permit[]>;
    tryAcquire(options?: PermitOptions): Promise<Permit | null>;
    tryAcquireMany(permits: number, options?: PermitOptions): Promise<Permit[] | null>;
    release(permits: string | Permit | readonly (string | Permit)[]): Promise<void>;
    tryRelease(permits: string | Permit | readonly (string | Permit)[]): Promise<boolean>;
    updateLeaseTime(permit: string | Permit, lease?: Duration): Promise<boolean>;
    leaseTime(permit: string | Permit): Promise<number>;
    trySetPermits(permits: number): Promise<boolean>;
    setPermits(permits: number): Promise<void>;
    addPermits(delta: number): Promise<void>;
    availablePermits(): Promise<number>;
    acquiredPermits(): Promise<number>;
    permits(): Promise<number>;
    inspect(): Promise<InspectedLock>;
    delete(): Promise<boolean>;
    withPermit<T>(fn: (permit: Permit) => T | Promise<T>): Promise<T>;
    withPermit<T>(options: PermitOptions, fn: (permit: Permit) => T | Promise<T>): Promise<T>;
}

// not exported
export interface PermitOptions extends WaitOptions {
    readonly lease?: Duration | undefined;
    readonly renew?: boolean | undefined;
}

export interface ProviderOverrides {
    overrideProvider(token: unknown): {
        useFactory(options: {
            factory: (...given: never[]) => unknown;
            inject: unknown[];
        }): unknown;
    };
}

// not exported
export interface ReadWriteLock {
    readonly name: string;
    readLock(): Lock;
    writeLock(): Lock;
}

// not exported
export interface ReadWriteLockOptions {
    readonly preference?: 'writer' | undefined;
}

// not exported
export interface Recovery {
    readonly server: string;
    readonly after: number;
    readonly isReplaced: boolean;
}

// not exported
export interface RedisLockModuleExtras {
    isGlobal?: boolean;
    exceptionFilter?: boolean;
    connectionNames?: readonly string[];
}

// not exported
export interface RedisLockOptions extends DeadlockOptions {
    readonly backend?: 'redis' | 'memory' | undefined;
    readonly connection?: ConnectionInput;
    readonly connections?: Readonly<Record<string, ConnectionInput>>;
    readonly redlock?: RedlockOptions | undefined;
    readonly keyPrefix?: string | undefined;
    readonly wait?: Duration | undefined;
    readonly watchdogTimeout?: Duration | undefined;
    readonly fairWaitTimeout?: Duration | undefined;
    readonly commandTimeout?: Duration | undefined;
    readonly shutdownTimeout?: Duration | undefined;
    readonly safetyPoll?: Duration | undefined;
    readonly maxNameBytes?: number | undefined;
    readonly maxNames?: number | undefined;
    readonly allowControlCharacters?: boolean | undefined;
    readonly fencing?: Fencing | undefined;
    readonly fences?: Fencing | undefined;
    readonly handover?: HandoverOptions | false | undefined;
    readonly maxQueue?: number | undefined;
    readonly maxHold?: Duration | undefined;
    readonly replicas?: ReplicaOptions | undefined;
    readonly restartGuard?: Duration | boolean | undefined;
    readonly holderRecords?: HolderRecordOptions | boolean | undefined;
    readonly probe?: 'refuse' | 'warn' | false | undefined;
    readonly shardedPubSub?: 'auto' | boolean | undefined;
    readonly conflictStatus?: 409 | 423 | undefined;
}

// not exported
export interface RedlockOptions {
    readonly nodes: readonly ConnectionInput[];
    readonly nodeTimeout?: Duration | undefined;
    readonly quorum?: number | undefined;
}

// not exported
export interface ReplicaOptions {
    readonly min: number;
    readonly timeout?: Duration | undefined;
    readonly aof?: boolean | undefined;
}

// not exported
export interface ScheduledTask {
    cancel(): void;
}

// not exported
export interface Scheduler {
    now(): number;
    wallNow?(): number;
    schedule(ms: number, task: () => void, options?: {
        readonly keepAlive?: boolean;
    }): ScheduledTask;
}

// not exported
export declare class Semaphore {
    readonly name: string;
    trySetPermits(permits: number, options?: SetPermitsOptions): Promise<boolean>;
    acquire(permits?: number, options?: WaitOptions): Promise<void>;
    tryAcquire(permits?: number, options?: WaitOptions): Promise<boolean>;
    release(permits?: number): Promise<void>;
    releaseIfExists(permits?: number): Promise<boolean>;
    drainPermits(): Promise<number>;
    addPermits(delta: number): Promise<void>;
    availablePermits(): Promise<number>;
    inspect(): Promise<InspectedLock>;
    delete(): Promise<boolean>;
    withPermits<T>(permits: number, fn: () => T | Promise<T>): Promise<T>;
    withPermits<T>(permits: number, options: WaitOptions, fn: () => T | Promise<T>): Promise<T>;
}

// not exported
export type ServerInput = string | RedisOptions | GivenClient;

// not exported
export type SetCountOptions = TtlOptions;

// not exported
export type SetPermitsOptions = TtlOptions;

// not exported
export interface SharedResultOptions {
    readonly ttl?: Duration | undefined;
    readonly errors?: readonly ErrorClass[] | undefined;
}

export type Side = 'application' | 'elsewhere';

// not exported
export type SingleFlightOptions = SharedResultOptions & AcquireOptions & ConnectionChoice;

// not exported
export interface TemplateStats {
    readonly kind: LockKindName;
    readonly template: string | undefined;
    readonly held: number;
    readonly waiting: number;
}

export interface TestHolder {
    readonly name: string;
    readonly side: Side;
    readonly connection: string;
    readonly kind: 'exclusive' | 'read' | 'write' | 'quorum' | 'group' | 'limit' | 'permit';
    readonly owner: string;
    readonly method: string | undefined;
}

export interface TestWaiter {
    readonly name: string;
    readonly side: Side;
    readonly connection: string;
    readonly what: string;
}

// not exported
export interface TtlOptions {
    readonly ttl?: Duration | undefined;
}

// not exported
export interface UpgradeOptions {
    readonly lease?: Duration | undefined;
}

// not exported
export interface WaitOptions {
    readonly wait?: Duration | undefined;
    readonly signal?: AbortSignal | undefined;
}

// not exported
export interface WithLockOptions<C extends OnConflict = OnConflict> {
    readonly holdAtLeast?: Duration | undefined;
    readonly onConflict?: C | undefined;
}

// not exported
acquire(name: string, options?: LockOptions): Promise<Hold>;

// not exported
acquire(options?: PermitOptions): Promise<Permit>;

// not exported
acquire(permits?: number, options?: WaitOptions): Promise<void>;

// not exported
acquireMany(permits: number, options?: PermitOptions): Promise<Permit[]>;

// not exported
get acquired(): readonly FakeLockCall[];

// not exported
acquiredPermits(): Promise<number>;

// not exported
addPermits(delta: number): Promise<void>;

// not exported
addPermits(delta: number): Promise<void>;

// not exported
advance(duration: Duration): Promise<void>;

// not exported
advance(ms: number): Promise<void>;

// not exported
attach(token: HoldToken, options?: DetachOptions): Promise<Hold>;

// not exported
availablePermits(): Promise<number>;

// not exported
availablePermits(): Promise<number>;

// not exported
await(options?: WaitOptions): Promise<boolean>;

// not exported
clear(): void;

// not exported
readonly clock: Scheduler;

// not exported
abstract readonly code: string;

// not exported
readonly code = "LOCK_CONFLICT";

// not exported
readonly code = "LOCK_TIMEOUT";

// not exported
readonly code = "LOCK_UNAVAILABLE";

// not exported
countDown(): Promise<void>;

// not exported
currentHold(name?: string): Hold | undefined;

// not exported
delete(): Promise<boolean>;

// not exported
delete(): Promise<boolean>;

// not exported
delete(): Promise<boolean>;

// not exported
readonly details: Readonly<Record<string, unknown>>;

// not exported
drainPermits(): Promise<number>;

// not exported
expectNoLeakedLocks(): Promise<void>;

// not exported
failNextRenewal(times?: number): void;

// not exported
forConnection(name: string): LockService;

// not exported
static forRoot(options?: RedisLockOptions & RedisLockModuleExtras, testing?: LockTesting | LockTestingOptions): DynamicModule;

// not exported
getCount(): Promise<number>;

// not exported
getCountDownLatch(name: string): CountDownLatch;

// not exported
getFairLock(name: string): Lock;

// not exported
getFencedLock(name: string): FencedLock;

// not exported
getGroupLock(group: string, values: readonly string[]): Lock;

// not exported
getLeaderElection(name: string, options: LeaderElectionOptions): LeaderElection;

// not exported
getLock(name: string): Lock;

// not exported
getMultiLock(...locks: readonly (string | Lock)[]): Lock<MultiHold>;

// not exported
getNonReentrantLock(name: string, options?: NonReentrantLockOptions): Lock;

// not exported
getPermitExpirableSemaphore(name: string): PermitExpirableSemaphore;

// not exported
getReadWriteLock(name: string, options?: ReadWriteLockOptions): ReadWriteLock;

// not exported
getRedLock(name: string): Lock;
getRedLock(...locks: readonly Lock[]): Lock<MultiHold>;

// not exported
getSemaphore(name: string): Semaphore;

// not exported
getSpinLock(name: string, backoff?: Backoff): Lock;

// not exported
get held(): readonly string[];

// not exported
holdElsewhere(name: string, options?: LockOptions): Promise<Hold>;

// not exported
holders(): Promise<readonly TestHolder[]>;

// not exported
readonly holders: readonly TestHolder[];

// not exported
inspect(): Promise<InspectedLock>;

// not exported
inspect(): Promise<InspectedLock>;

// not exported
inspect(): Promise<InspectedLock>;

// not exported
get isLeader(): boolean;

// not exported
leaseTime(permit: string | Permit): Promise<number>;

// not exported
list(pattern?: string, options?: ListOptions): AsyncIterable<ListedLock>;

// not exported
readonly lockName: string | undefined;

// not exported
lockedCalls(): readonly LockedCallRecord[];

// not exported
lockedCalls(): readonly LockedCallRecord[];

export declare const lockedOptions: (method: (...args: never[]) => unknown) => LockDeclaration;

// not exported
loseLock(name: string, connection?: string): Promise<void>;

// not exported
get name(): string;

// not exported
readonly name = "LeakedLocksError";

// not exported
readonly name: string;

// not exported
readonly name: string;

// not exported
readonly name: string;

// not exported
now(): number;

// not exported
onEvent(listener: EventListener<LockNotice['type']>): () => void;
onEvent<T extends LockEventType>(types: T | readonly T[] | 'all', listener: EventListener<T>): () => void;

// not exported
readonly outcome: CommandOutcome;

// not exported
override<B extends ProviderOverrides>(builder: B): B;

// not exported
get pending(): number;

// not exported
readonly permanent: boolean;

// not exported
permits(): Promise<number>;

// not exported
get providers(): readonly LockTestingProvider[];

// not exported
release(permits: string | Permit | readonly (string | Permit)[]): Promise<void>;

// not exported
release(permits?: number): Promise<void>;

// not exported
releaseHolder(name: string, owner: string): Promise<boolean>;

// not exported
releaseIfExists(permits?: number): Promise<boolean>;

// not exported
runInScope<T>(fn: () => T | Promise<T>): Promise<T>;

// not exported
schedule(ms: number, task: () => void): ScheduledTask;

// not exported
setPermits(permits: number): Promise<void>;

// not exported
singleFlight<T>(name: string, fn: (hold: Hold) => T | Promise<T>): Promise<AsJson<T>>;
singleFlight<T>(name: string, options: SingleFlightOptions, fn: (hold: Hold) => T | Promise<T>): Promise<AsJson<T>>;

// not exported
start(): void;

// not exported
get state(): CandidateState;

// not exported
stats(): LockStats;

// not exported
stop(): Promise<void>;

// not exported
readonly template: string | undefined;

// not exported
tryAcquire(name: string, options?: LockOptions): Promise<Hold | null>;

// not exported
tryAcquire(options?: PermitOptions): Promise<Permit | null>;

// not exported
tryAcquire(permits?: number, options?: WaitOptions): Promise<boolean>;

// not exported
tryAcquireMany(permits: number, options?: PermitOptions): Promise<Permit[] | null>;

// not exported
tryRelease(permits: string | Permit | readonly (string | Permit)[]): Promise<boolean>;

// not exported
trySetCount(count: number, options?: SetCountOptions): Promise<boolean>;

// not exported
trySetPermits(permits: number, options?: SetPermitsOptions): Promise<boolean>;

// not exported
trySetPermits(permits: number): Promise<boolean>;

// not exported
updateLeaseTime(permit: string | Permit, lease?: Duration): Promise<boolean>;

// not exported
readonly waiters: readonly TestWaiter[];

// not exported
waiters(): Promise<readonly TestWaiter[]>;

// not exported
wire<T extends object>(instance: T): T;

// not exported
withLimit<T>(name: string, limit: number, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
withLimit<T>(name: string, limit: number, options: LimitOptions & WithLockOptions<'throw'>, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
withLimit<T>(name: string, limit: number, options: LimitOptions & WithLockOptions<'throw' | 'skip'>, fn: (hold: Hold) => T | Promise<T>): Promise<T | undefined>;
withLimit<T, R>(name: string, limit: number, options: LimitOptions & WithLockOptions<ConflictHandler<R>>, fn: (hold: Hold) => T | Promise<T>): Promise<T | R>;
withLimit(name: string, limit: number, options: LimitOptions & WithLockOptions, fn: (hold: Hold) => unknown): Promise<unknown>;

// not exported
withLock<T>(name: string, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
withLock<T>(name: string, options: LockOptions & WithLockOptions<'throw'>, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
withLock<T>(name: string, options: LockOptions & WithLockOptions<'throw' | 'skip'>, fn: (hold: Hold) => T | Promise<T>): Promise<T | undefined>;
withLock<T, R>(name: string, options: LockOptions & WithLockOptions<ConflictHandler<R>>, fn: (hold: Hold) => T | Promise<T>): Promise<T | R>;
withLock(name: string, options: LockOptions & WithLockOptions, fn: (hold: Hold) => unknown): Promise<unknown>;

// not exported
withPermit<T>(fn: (permit: Permit) => T | Promise<T>): Promise<T>;
withPermit<T>(options: PermitOptions, fn: (permit: Permit) => T | Promise<T>): Promise<T>;

// not exported
withPermits<T>(permits: number, fn: () => T | Promise<T>): Promise<T>;
withPermits<T>(permits: number, options: WaitOptions, fn: () => T | Promise<T>): Promise<T>;
