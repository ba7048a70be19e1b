export type AcquireOptions = LeaseOptions & {
    readonly wait?: Duration | undefined;
    readonly signal?: AbortSignal | undefined;
};

export type AddressMap = Readonly<Record<string, {
    readonly host: string;
    readonly port: number;
}>> | ((address: string) => {
    readonly host: string;
    readonly port: number;
} | null);

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
    readonly outcome: 'renewed' | 'held' | 'released' | 'lost';
}

export type CallerSignal = (...args: never[]) => AbortSignal | undefined;

// not exported
export type CheckHost<T> = T extends abstract new (...args: any) => unknown ? Refused<'a static method has no instance to lock through'> : unknown;

// not exported
export type CheckKey<K extends string, M extends Method, P = KeyPart | readonly KeyPart[]> = K extends `${string}$\{${string}` ? Refused<'write <0> for the first argument; ${ } is not replaced in a key template'> : K extends `${string}{${number}}${string}` | `${string}{${number}.${string}}${string}` ? Refused<'write <0> for the first argument; {0} is not replaced in a key template'> : CheckPlaceholders<Placeholders<K>, Parameters<M>, P>;

// not exported
export type CheckKeyFunction<A extends readonly unknown[], M extends Method> = CheckArguments<A, M, 'the key function does not take the arguments of this method'>;

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

export interface ClusterInput {
    readonly cluster: readonly ClusterSeed[];
    readonly redisOptions?: RedisOptions | undefined;
    readonly natMap?: AddressMap | undefined;
    readonly keyPrefix?: string | undefined;
}

export type ClusterSeed = string | {
    readonly host: string;
    readonly port?: number | undefined;
};

export type CommandOutcome = 'not-sent' | 'refused' | 'unknown';

export interface ConflictContext {
    readonly error: LockConflictError | LockTimeoutError;
    readonly args: readonly unknown[];
}

export type ConflictHandler<R = unknown> = (context: ConflictContext) => R | PromiseLike<R>;

export interface ConnectionChoice {
    readonly connection?: string | undefined;
}

export type ConnectionInput = ServerInput | ClusterInput | ClusterClient;

export interface ConnectionStats {
    readonly connection: string;
    readonly held: number;
    readonly waiting: number;
    readonly watchdogLag: number;
    readonly templates: readonly TemplateStats[];
}

export declare class CountDownLatch {
    readonly name: string;
    trySetCount(count: number, options?: SetCountOptions): Promise<boolean>;
    countDown(): Promise<void>;
    getCount(): Promise<number>;
    inspect(): Promise<InspectedLock>;
    delete(): Promise<boolean>;
    await(options?: WaitOptions): Promise<boolean>;
}

export declare const CurrentHold: () => MethodParameterDecorator;

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

export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

export interface ErrorClass {
    readonly name: string;
    readonly prototype: Error;
}

export interface ErrorResponseSettings {
    readonly conflictStatus: number;
    readonly watchdogTimeout: number;
}

export type EventListener<T extends LockEventType = LockEventType> = (event: EventOf<T>) => void;

export type EventOf<T extends LockEventType> = Extract<LockEvent, {
    readonly type: T;
}>;

export interface ExponentialBackoff {
    readonly initial?: Duration | undefined;
    readonly max?: Duration | undefined;
    readonly multiplier?: number | undefined;
}

export declare class FenceHeaderError extends LockError {
    readonly code = "LOCK_FENCE_HEADER";
}

export interface FencedHold extends Hold {
    readonly fence: bigint;
}

export interface FencedLock extends Lock<FencedHold> {
    currentToken(): Promise<bigint>;
}

export type Fencing = 'clock' | 'counter';

export type HandlerKey = (context: ExecutionContext) => string | readonly string[];

export interface HandoverOptions {
    readonly max?: number | undefined;
    readonly ms?: Duration | undefined;
}

export interface HexadecimalId {
    toHexString(): string;
}

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

export type HoldRelease = 'released' | 'still-held' | 'expired';

export interface HoldSummary {
    readonly name: string;
    readonly owner: string;
    readonly waitedMs: number;
    readonly isHeld: boolean;
}

export type HoldToken = string;

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
    readonly since: number;
    readonly keptUntil?: number;
}

export interface HolderRecordOptions {
    readonly service?: string | undefined;
    readonly traceId?: (() => string | undefined) | undefined;
}

export type HowReleased = 'released' | 'unconfirmed' | 'kept' | 'abandoned' | 'detached' | 'converted';

export declare const InjectLocks: (connection?: string) => PropertyDecorator & ParameterDecorator;

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

export type KeyFunction<A extends readonly unknown[]> = (...args: A) => string | readonly string[];

export type KeyPart = string | number | bigint | boolean | Date | HexadecimalId;

export type KindName = 'reentrant' | 'fair' | 'fenced' | 'spin' | 'nonReentrant' | 'redlock';

export declare const LOCK_OPTIONS: unique symbol;

export declare class LeaderElection implements AsyncDisposable {
    get name(): string;
    get state(): CandidateState;
    get isLeader(): boolean;
    start(): void;
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

export interface LeaderElectionOptions {
    onElected(signal: AbortSignal, hold: Hold): unknown;
    onDemoted?(reason: unknown): unknown;
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

export type LimitOptions = AcquireOptions & LimitOrder & ConnectionChoice;

export interface LimitOrder {
    readonly fair?: boolean | undefined;
}

export interface ListOptions {
    readonly signal?: AbortSignal | undefined;
    readonly batch?: number | undefined;
}

export interface ListedLock extends InspectedLock {
    readonly name: string;
    readonly key: string;
}

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

export declare class LockAbortedError extends LockError {
    readonly code = "LOCK_ABORTED";
}

export declare class LockConflictError extends LockError {
    readonly code = "LOCK_CONFLICT";
}

export declare class LockDeadlockError extends LockError {
    readonly code = "LOCK_DEADLOCK";
}

export declare abstract class LockError extends Error {
    abstract readonly code: string;
    readonly lockName: string | undefined;
    readonly template: string | undefined;
    readonly details: Readonly<Record<string, unknown>>;
    constructor(message: string, context?: LockErrorContext);
}

export interface LockErrorContext {
    readonly lockName?: string | undefined;
    readonly template?: string | undefined;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
    readonly cause?: unknown;
}

export interface LockErrorResponse {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly retryAfter?: number;
}

export type LockEvent = LockNotice | LifeCycleEvent;

export type LockEventType = LockEvent['type'];

export declare class LockExceptionFilter implements ExceptionFilter<LockError> {
    constructor(host: HttpAdapterHost, settings: ErrorResponseSettings);
    catch(error: LockError, host: ArgumentsHost): Observable<never> | void;
    protected responseTo(error: LockError, _host: ArgumentsHost): LockErrorResponse;
}

export type LockHandlerOptions = LockedNeed & ConnectionChoice & Pick<AcquireOptions, 'wait'> & Pick<WithLockOptions, 'onConflict'> & {
    readonly cancelOnDisconnect?: boolean | undefined;
    readonly releaseAfter?: ReleaseAfter | undefined;
};

export declare class LockKeyTypeError extends LockError {
    readonly code = "LOCK_WRONG_KEY_TYPE";
}

export type LockKindName = 'reentrant' | 'fair' | 'fenced' | 'spin' | 'group' | 'read' | 'write' | 'redlock' | 'limit' | 'semaphore' | 'permitExpirableSemaphore';

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

export declare class LockLostError extends LockError {
    readonly code = "LOCK_LOST";
}

export declare class LockNameError extends LockError {
    readonly code = "LOCK_NAME";
}

export declare class LockNotWiredError extends LockError {
    readonly code = "LOCK_NOT_WIRED";
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

export type LockOptions = AcquireOptions & LockKindOptions & ConnectionChoice;

export declare class LockOptionsError extends LockError {
    readonly code = "LOCK_OPTIONS";
}

export declare class LockOrderError extends LockError {
    readonly code = "LOCK_ORDER";
}

export declare class LockOwnershipError extends LockError {
    readonly code = "LOCK_OWNERSHIP";
}

export declare class LockQueueFullError extends LockError {
    readonly code = "LOCK_QUEUE_FULL";
}

export interface LockScript {
    readonly name: string;
    readonly text: string;
}

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

export declare class LockShutdownError extends LockError {
    readonly code = "LOCK_SHUTDOWN";
}

export interface LockStats {
    readonly held: number;
    readonly waiting: number;
    readonly watchdogLag: number;
    readonly connections: readonly ConnectionStats[];
}

export declare class LockTimeoutError extends LockError {
    readonly code = "LOCK_TIMEOUT";
}

export declare class LockUnavailableError extends LockError {
    readonly outcome: CommandOutcome;
    readonly permanent: boolean;
    readonly code = "LOCK_UNAVAILABLE";
    constructor(message: string, outcome: CommandOutcome, permanent: boolean, context?: LockErrorContext);
}

export declare class LockUnsafeError extends LockError {
    readonly code = "LOCK_UNSAFE";
}

export declare function Locked<const K extends string, const O extends LockedOptions = LockedOptions>(key: K, options?: O): LockedByTemplate<K, O>;
export declare function Locked<A extends readonly unknown[], const O extends LockedOptions = LockedOptions>(key: (...args: A) => string | readonly string[], options?: O): LockedByFunction<A, O>;

// not exported
export interface LockedByFunction<A extends readonly unknown[], O = unknown> {
    <T extends object, M extends Method>(target: T & CheckHost<T>, name: string | symbol, descriptor: TypedPropertyDescriptor<M> & CheckReturn<M> & CheckKeyFunction<A, M> & CheckConflict<O, M> & CheckSignal<O, M>): void;
}

// not exported
export interface LockedByTemplate<K extends string, O = unknown> {
    <T extends object, M extends Method>(target: T & CheckHost<T>, name: string | symbol, descriptor: TypedPropertyDescriptor<M> & CheckReturn<M> & CheckKey<K, M> & CheckConflict<O, M> & CheckSignal<O, M>): void;
}

export declare const LockedHandler: (key: HandlerKey, options?: LockHandlerOptions) => ClassDecorator & MethodDecorator;

// not exported
export type LockedNeed = (LockKindOptions & LeaseOptions & Pick<WithLockOptions, 'holdAtLeast'> & {
    readonly permits?: undefined;
    readonly limit?: undefined;
}) | (NoKind & {
    readonly permits: number;
    readonly limit?: undefined;
    readonly holdAtLeast?: undefined;
    readonly lease?: undefined;
    readonly renew?: undefined;
    readonly maxHold?: undefined;
}) | (Omit<NoKind, 'fair'> & LimitOrder & LeaseOptions & Pick<WithLockOptions, 'holdAtLeast'> & {
    readonly limit: number;
    readonly permits?: undefined;
});

export type LockedOptions = LockHandlerOptions & {
    readonly signal?: CallerSignal | undefined;
    readonly returns?: Returns | undefined;
};

export interface Locks extends LockService, AsyncDisposable {
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

// not exported
export type Method = (...args: any[]) => unknown;

export interface MultiHold extends Hold {
    readonly members: readonly Hold[];
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

export type OnConflict = 'throw' | 'skip' | ConflictHandler;

export type OnInversion = 'warn' | 'throw';

export interface Outage {
    readonly server: string;
    readonly reason: string;
    readonly affects: Affected;
    readonly error: LockUnavailableError;
}

// not exported
export type OwnerId = string;

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

export interface PermitOptions extends WaitOptions {
    readonly lease?: Duration | undefined;
    readonly renew?: boolean | undefined;
}

export interface ReadWriteLock {
    readonly name: string;
    readLock(): Lock;
    writeLock(): Lock;
}

export interface ReadWriteLockOptions {
    readonly preference?: 'writer' | undefined;
}

export interface Recovery {
    readonly server: string;
    readonly after: number;
    readonly isReplaced: boolean;
}

export interface GivenClient {
    readonly status: string;
    readonly isCluster: boolean;
    readonly options: {
        readonly keyPrefix?: string | undefined;
    };
    duplicate(override: object): object;
}

export declare class RedisLockModule extends ConfigurableModuleClass {
    static forRoot(...given: [
        options?: RedisLockOptions & RedisLockModuleExtras
    ]): DynamicModule;
    static forRootAsync(options: ConfigurableModuleAsyncOptions<ReturnedLockOptions, 'createRedisLockOptions'> & Partial<RedisLockModuleExtras>): DynamicModule;
}

export interface RedisLockModuleExtras {
    isGlobal?: boolean;
    exceptionFilter?: boolean;
    connectionNames?: readonly string[];
}

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

export interface RedisLockOptionsFactory {
    createRedisLockOptions(): ReturnedLockOptions | Promise<ReturnedLockOptions>;
}

export interface RedlockOptions {
    readonly nodes: readonly ConnectionInput[];
    readonly nodeTimeout?: Duration | undefined;
    readonly quorum?: number | undefined;
}

// not exported
export interface Refused<Why extends string> {
    readonly '@Locked': Why;
}

export interface ReleaseAfter {
    (context: ReleaseContext): PromiseLike<unknown> | undefined | void;
    readonly keptFor?: ((context: ReleaseContext) => object | undefined) | undefined;
}

export interface ReleaseContext {
    readonly args: readonly unknown[];
}

export interface ReplicaOptions {
    readonly min: number;
    readonly timeout?: Duration | undefined;
    readonly aof?: boolean | undefined;
}

export type ReturnedLockOptions = RedisLockOptions & {
    readonly [Extra in keyof RedisLockModuleExtras]?: never;
};

export interface ScheduledTask {
    cancel(): void;
}

export interface Scheduler {
    now(): number;
    wallNow?(): number;
    schedule(ms: number, task: () => void, options?: {
        readonly keepAlive?: boolean;
    }): ScheduledTask;
}

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

export type SetCountOptions = TtlOptions;

export type SetPermitsOptions = TtlOptions;

// not exported
export interface SharedByFunction<A extends readonly unknown[]> {
    <T extends object, M extends Method>(target: T & CheckHost<T>, name: string | symbol, descriptor: TypedPropertyDescriptor<M> & CheckResult<M> & CheckKeyFunction<A, M>): void;
}

// not exported
export interface SharedByTemplate<K extends string> {
    <T extends object, M extends Method>(target: T & CheckHost<T>, name: string | symbol, descriptor: TypedPropertyDescriptor<M> & CheckResult<M> & CheckKey<K, M, KeyPart>): void;
}

export type SharedMethodOptions = SharedResultOptions & ConnectionChoice & LeaseOptions & Pick<AcquireOptions, 'wait'> & {
    readonly cancelOnDisconnect?: boolean | undefined;
};

export interface SharedResultOptions {
    readonly ttl?: Duration | undefined;
    readonly errors?: readonly ErrorClass[] | undefined;
}

export declare function SingleFlight<const K extends string>(key: K, options?: SharedMethodOptions): SharedByTemplate<K>;
export declare function SingleFlight<A extends readonly unknown[]>(key: (...args: A) => string, options?: SharedMethodOptions): SharedByFunction<A>;

export type SingleFlightOptions = SharedResultOptions & AcquireOptions & ConnectionChoice;

export declare class StaleFenceError extends LockError {
    readonly resource: string;
    readonly code = "LOCK_STALE_FENCE";
    constructor(resource: string, fence: bigint, lastFence: bigint);
    get fence(): bigint;
    get lastFence(): bigint;
}

export interface TemplateStats {
    readonly kind: LockKindName;
    readonly template: string | undefined;
    readonly held: number;
    readonly waiting: number;
}

export interface TtlOptions {
    readonly ttl?: Duration | undefined;
}

export interface UpgradeOptions {
    readonly lease?: Duration | undefined;
}

export declare const WATCHDOG_SCHEDULER: unique symbol;

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

export interface WithLockOptions<C extends OnConflict = OnConflict> {
    readonly holdAtLeast?: Duration | undefined;
    readonly onConflict?: C | undefined;
}

export declare const WrongKeyTypeError: typeof LockKeyTypeError;
export type WrongKeyTypeError = LockKeyTypeError;

// not exported
acquire(name: string, options?: LockOptions): Promise<Hold>;

// not exported
acquire(options?: PermitOptions): Promise<Permit>;

// not exported
acquire(permits?: number, options?: WaitOptions): Promise<void>;

// not exported
acquireMany(permits: number, options?: PermitOptions): Promise<Permit[]>;

// not exported
acquiredPermits(): Promise<number>;

// not exported
addPermits(delta: number): Promise<void>;

// not exported
addPermits(delta: number): Promise<void>;

// not exported
attach(token: HoldToken, options?: DetachOptions): Promise<Hold>;

// not exported
availablePermits(): Promise<number>;

// not exported
availablePermits(): Promise<number>;

// not exported
await(options?: WaitOptions): Promise<boolean>;

// not exported
catch(error: LockError, host: ArgumentsHost): Observable<never> | void;

// not exported
abstract readonly code: string;

// not exported
readonly code = "LOCK_ABORTED";

// not exported
readonly code = "LOCK_CONFLICT";

// not exported
readonly code = "LOCK_DEADLOCK";

// not exported
readonly code = "LOCK_FENCE_HEADER";

// not exported
readonly code = "LOCK_LOST";

// not exported
readonly code = "LOCK_NAME";

// not exported
readonly code = "LOCK_NOT_WIRED";

// not exported
readonly code = "LOCK_OPTIONS";

// not exported
readonly code = "LOCK_ORDER";

// not exported
readonly code = "LOCK_OWNERSHIP";

// not exported
readonly code = "LOCK_QUEUE_FULL";

// not exported
readonly code = "LOCK_SHUTDOWN";

// not exported
readonly code = "LOCK_STALE_FENCE";

// not exported
readonly code = "LOCK_TIMEOUT";

// not exported
readonly code = "LOCK_UNAVAILABLE";

// not exported
readonly code = "LOCK_UNSAFE";

// not exported
readonly code = "LOCK_WRONG_KEY_TYPE";

export declare const constantBackoff: (delay?: Duration) => Backoff;

// not exported
countDown(): Promise<void>;

export declare const createLocks: (options?: RedisLockOptions) => Promise<Locks>;

// not exported
currentHold(name?: string): Hold | undefined;

export declare const currentHold: (name?: string) => Hold | undefined;

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

export declare const exponentialBackoff: (options?: ExponentialBackoff) => Backoff;

// not exported
get fence(): bigint;

// not exported
forConnection(name: string): LockService;

// not exported
static forRoot(...given: [
    options?: RedisLockOptions & RedisLockModuleExtras
]): DynamicModule;

// not exported
static forRootAsync(options: ConfigurableModuleAsyncOptions<ReturnedLockOptions, 'createRedisLockOptions'> & Partial<RedisLockModuleExtras>): DynamicModule;

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

export declare const getLocksToken: (connection?: string) => InjectionToken<LockService>;

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
inspect(): Promise<InspectedLock>;

// not exported
inspect(): Promise<InspectedLock>;

// not exported
inspect(): Promise<InspectedLock>;

// not exported
get isLeader(): boolean;

// not exported
get lastFence(): bigint;

// not exported
leaseTime(permit: string | Permit): Promise<number>;

// not exported
list(pattern?: string, options?: ListOptions): AsyncIterable<ListedLock>;

export declare const lockHandler: (key: HandlerKey, options?: LockHandlerOptions) => Type<NestInterceptor>;

// not exported
readonly lockName: string | undefined;

export declare function lockName(literals: TemplateStringsArray, ...values: readonly KeyPart[]): string;

export declare const lockScripts: readonly LockScript[];

// not exported
get name(): string;

// not exported
readonly name: string;

// not exported
readonly name: string;

// not exported
readonly name: string;

// not exported
onEvent(listener: EventListener<LockNotice['type']>): () => void;
onEvent<T extends LockEventType>(types: T | readonly T[] | 'all', listener: EventListener<T>): () => void;

// not exported
readonly outcome: CommandOutcome;

// not exported
readonly permanent: boolean;

// not exported
permits(): Promise<number>;

// not exported
release(permits: string | Permit | readonly (string | Permit)[]): Promise<void>;

// not exported
release(permits?: number): Promise<void>;

// not exported
releaseHolder(name: string, owner: string): Promise<boolean>;

// not exported
releaseIfExists(permits?: number): Promise<boolean>;

// not exported
readonly resource: string;

// not exported
protected responseTo(error: LockError, _host: ArgumentsHost): LockErrorResponse;

// not exported
runInScope<T>(fn: () => T | Promise<T>): Promise<T>;

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
