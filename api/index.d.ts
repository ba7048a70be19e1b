import type {
    AsJson,
    Backoff,
    CallerSignal,
    CommandOutcome,
    ConflictHandler,
    ConnectionChoice,
    ConnectionInput,
    DeadlockOptions,
    DetachOptions,
    DriverName,
    ErrorResponseSettings,
    EventListener,
    Fencing,
    HandlerKey,
    HandoverOptions,
    HoldRelease,
    HoldSummary,
    HolderRecordOptions,
    InspectedLock,
    KeyPart,
    KindName,
    LeaderElectionOptions,
    LeaseOptions,
    LifeCycleEvent,
    ListOptions,
    ListedLock,
    LockErrorContext,
    LockEventType,
    LockHandlerOptions,
    LockKindOptions,
    LockLogger,
    LockNotice,
    LockStats,
    ManualLockOptions,
    NonReentrantLockOptions,
    NotWithLimit,
    NotWithPermits,
    OnConflict,
    PermitOptions,
    ReadWriteLockOptions,
    RedLockOptions,
    RedisLockModuleExtras,
    RenewInWorker,
    ReplicaOptions,
    ReturnedLockOptions,
    SetCountOptions,
    SetPermitsOptions,
    SingleFlightMethodOptions,
    SingleFlightOptions,
    UpgradeOptions,
    WaitOptions,
} from './advanced.js';
import type {
    RedisDriver,
} from './driver-kit.js';
import type {
    ArgumentsHost,
    ConfigurableModuleAsyncOptions,
    DynamicModule,
    ExceptionFilter,
    InjectionToken,
    NestInterceptor,
    Type,
} from '@nestjs/common';
import type {
    HttpAdapterHost,
} from '@nestjs/core';
import type {
    Observable,
} from 'rxjs';

export type AcquireOptions = LeaseOptions & {
    readonly wait?: Duration | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly note?: string | undefined;
};

// not exported
export type Beside<One extends string, Others extends string> = Others extends unknown ? Readonly<Record<One | Others, string | number | boolean>> : never;

// not exported
type CandidateState = 'idle' | 'candidate' | 'leader' | 'stepping-down';

// not exported
type CheckAbsence<M extends Method> = ReturnType<M> extends PromiseLike<infer T> ? undefined extends T ? unknown : [
    T
] extends [
    void
] ? unknown : Refused<'the method must allow undefined, which it returns where another process leads'> : Refused<'the method must return a Promise'>;

// not exported
type CheckArguments<A extends readonly unknown[], M extends Method, Why extends string> = Parameters<M> extends readonly [
    ...A,
    ...any[]
] ? unknown : Parameters<M> extends A ? unknown : Refused<Why>;

// not exported
type CheckConflict<O, M extends Method> = IsAny<ReturnType<M>> extends true ? unknown : O extends {
    readonly onConflict: 'skip';
} ? IsInstead<undefined, ReturnType<M>> extends true ? unknown : Refused<'onConflict: "skip" returns undefined, which the method does not'> : O extends {
    readonly onConflict: (...args: infer C) => infer V;
} ? IsInstead<Awaited<V>, ReturnType<M>> extends true ? CheckConflictArguments<C[0], M> : Refused<'onConflict returns what the method does not'> : unknown;

// not exported
type CheckConflictArguments<C, M extends Method> = C extends {
    readonly args: infer A extends readonly unknown[];
} ? readonly unknown[] extends A ? unknown : CheckArguments<A, M, 'onConflict does not take the arguments of this method'> : unknown;

// not exported
export type CheckContradictions<O, All extends readonly Contradiction[]> = O extends unknown ? All extends readonly [
    infer First extends Contradiction,
    ...infer More extends readonly Contradiction[]
] ? [
    HasAll<O, First[0]>
] extends [
    never
] ? CheckContradictions<O, More> : Refused<First[1]> : unknown : never;

// not exported
export type CheckHandlerTemplate<K extends string> = string extends K ? unknown : CheckPaths<Placeholders<K>>;

// not exported
export type CheckHost<T> = T extends abstract new (...args: any) => unknown ? Refused<'a static method has no instance to lock through'> : unknown;

// not exported
export type CheckKey<K extends string, M extends Method, P = KeyPart | readonly KeyPart[]> = K extends `${string}$\{${string}` ? Refused<'write <0> for the first argument; ${ } is not replaced in a key template'> : K extends `${string}{${number}}${string}` | `${string}{${number}.${string}}${string}` ? Refused<'write <0> for the first argument; {0} is not replaced in a key template'> : CheckPlaceholders<Placeholders<K>, Parameters<M>, P>;

// not exported
export type CheckKeyFunction<A extends readonly unknown[], M extends Method> = CheckArguments<A, M, 'the key function does not take the arguments of this method'>;

// not exported
export type CheckLockOptions<O, T = LockOptions> = CheckNames<O, T> & CheckContradictions<O, [
    ...OwnerContradictions,
    ...ReplaceContradictions,
    ...KindContradictions,
    ...LeaseContradictions,
    ...NoteContradictions
]>;

// not exported
export type CheckNames<O, T> = string extends keyof O ? unknown : Exclude<keyof O, keyof T> extends infer Other extends keyof O & string ? [
    Other
] extends [
    never
] ? unknown : Refused<`there is no option "${Other}"`> : unknown;

// not exported
export type CheckOptions<O, T = LockedOptions> = CheckNames<O, T> & CheckContradictions<O, [
    ...NeedContradictions,
    ...ReplaceContradictions,
    ...KindContradictions,
    ...LeaseContradictions
]>;

// not exported
type CheckPart<V, Path extends string, P> = [
    V
] extends [
    P
] ? unknown : Refused<`<${Path}> names no text, number, boolean, date or ObjectId among the arguments; a key function may make text of it`>;

// not exported
type CheckPaths<Paths extends readonly string[]> = Paths extends [
    infer Path extends string,
    ...infer Others extends string[]
] ? Path extends RequestPart | `${RequestPart}.${string}` ? CheckPaths<Others> : Refused<`<${Path}> names no part of a request: params, query, body, headers, user, args or data`> : unknown;

// not exported
type CheckPlaceholders<Paths extends readonly string[], A, P> = Paths extends [
    infer Path extends string,
    ...infer Others extends string[]
] ? CheckPart<ValueAt<A, Path>, Path, P> & CheckPlaceholders<Others, A, P> : unknown;

// not exported
type CheckResult<M extends Method> = IsAny<ReturnType<M>> extends true ? unknown : ReturnType<M> extends PromiseLike<infer T> ? [
    T,
    void
] extends [
    void,
    T
] ? unknown : [
    T
] extends [
    AsJson<T>
] ? unknown : Refused<'the result is shared as JSON, which cannot say all of it'> : Refused<'the method must return a Promise'>;

// not exported
type CheckReturn<M extends Method> = IsAny<ReturnType<M>> extends true ? unknown : ReturnType<M> extends Deferred ? unknown : Refused<'the method must return a Promise, an Observable or an AsyncIterable'>;

// not exported
type CheckSignal<O, M extends Method> = O extends {
    readonly signal: (...args: infer A) => unknown;
} ? CheckArguments<A, M, 'signal does not take the arguments of this method; its parameters need their types'> : unknown;

// not exported
declare const ConfigurableModuleClass: import("@nestjs/common").ConfigurableModuleCls<ReturnedLockOptions, "forRoot", "createRedisLockOptions", RedisLockModuleExtras>;

// not exported
type Contradiction = readonly [
    options: object,
    why: string
];

export declare class CountDownLatch {
    readonly name: string;
    trySetCount(count: number, options?: SetCountOptions): Promise<boolean>;
    countDown(): Promise<void>;
    getCount(): Promise<number>;
    inspect(): Promise<InspectedLock>;
    delete(): Promise<boolean>;
    await(options?: WaitOptions): Promise<boolean>;
}

export interface CreateLocksOptions extends RedisLockOptions {
    readonly logger?: LockLogger | undefined;
}

export declare const CurrentHold: () => MethodParameterDecorator;

// not exported
type Deferred = PromiseLike<unknown> | Observable<unknown> | AsyncIterable<unknown>;

export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

// not exported
export type EachOf<T> = Partial<Pick<T, keyof T>>;

// not exported
type Element<T extends readonly unknown[], Index extends string> = IsTuple<T> extends true ? Property<T, Index> : T[number];

export interface FencedHold extends Hold {
    readonly fence: bigint;
}

export interface FencedLock extends Lock<FencedHold> {
    currentToken(): Promise<bigint>;
}

// not exported
export type ForElected = <T extends object, M extends (signal: AbortSignal, hold: Hold) => unknown>(target: T & CheckHost<T>, name: string | symbol, descriptor: TypedPropertyDescriptor<M>) => void;

// not exported
export type ForLeader = <T extends object, M extends Method>(target: T & CheckHost<T>, name: string | symbol, descriptor: TypedPropertyDescriptor<M> & CheckAbsence<M>) => void;

// not exported
export type Given<O, Name> = Name extends keyof O ? (0 extends 1 & O[Name] ? unknown : O[Name]) : undefined;

// not exported
type HasAll<O, Options> = Options extends unknown ? {
    [Name in keyof Options]: Given<O, Name>;
} extends Options ? true : never : never;

export interface Hold extends AsyncDisposable {
    readonly name: string;
    readonly owner: string;
    readonly fence: bigint | undefined;
    readonly slot: number | undefined;
    readonly waited: number;
    readonly isHeld: boolean;
    readonly isReleased: boolean;
    readonly state: 'held' | 'suspended' | 'lost' | 'released';
    readonly remaining: number;
    readonly signal: AbortSignal;
    assertHeld(): void;
    extend(lease: Duration | (LeaseOptions & {
        readonly renew: true;
    })): Promise<void>;
    release(): Promise<HoldRelease>;
    abandon(): void;
    detach(options?: DetachOptions): Promise<HoldToken>;
    tryUpgrade(options?: UpgradeOptions): Promise<Hold | null>;
    downgrade(options?: UpgradeOptions): Promise<Hold>;
    run<T>(fn: () => T): T;
    toJSON(): HoldSummary;
    [Symbol.asyncDispose](): Promise<void>;
}

export type HoldToken = string & {
    readonly [isHoldToken]: true;
};

export declare const InjectLocks: (connection?: string) => PropertyDecorator & ParameterDecorator;

// not exported
type Instead<R> = R extends PromiseLike<infer T> ? T : R extends Observable<infer T> ? T | Observable<T> : R extends AsyncIterable<infer T> ? AsyncIterable<T> | undefined : never;

// not exported
export type InsteadOf<O> = O extends unknown ? Otherwise<Given<O, 'onConflict'>> : never;

// not exported
export type IsAny<T> = 0 extends 1 & T ? true : false;

// not exported
type IsInstead<V, R> = [
    V
] extends [
    Instead<R>
] ? true : [
    V,
    void
] extends [
    undefined,
    Instead<R>
] ? true : false;

// not exported
type IsTuple<T extends readonly unknown[]> = number extends T['length'] ? false : true;

// not exported
export type KindContradictions = [
    [
        Beside<'limit', NotWithLimit>,
        'a limit is a kind of its own, with several holders: without kind, mode, preference and fenced'
    ],
    [
        {
            numbered: boolean;
            limit: undefined;
        },
        'only the permits of a limit have numbers: give limit'
    ],
    [
        {
            fair: true;
            fenced: true;
        },
        'no lock is both fair and fenced'
    ],
    [
        {
            mode: 'read' | 'write';
            kind: KindName;
        },
        'a read-write lock is a kind of its own: give mode or kind'
    ],
    [
        {
            mode: 'read' | 'write';
            fair: true;
        },
        'a read-write lock has no queue: mode and fair exclude each other'
    ],
    [
        {
            mode: 'read' | 'write';
            fenced: true;
        },
        'a read-write lock has no fencing tokens: mode and fenced exclude each other'
    ],
    [
        {
            preference: 'writer';
            mode: 'exclusive' | undefined;
        },
        'only a read-write lock has a preference: give mode "read" or "write"'
    ],
    [
        {
            kind: 'spin' | 'redLock';
            fair: true;
        },
        'waiters of this kind have no order: kind and fair exclude each other'
    ],
    [
        {
            kind: KindName;
            fenced: true;
        },
        'holds of this kind have no fencing tokens: kind and fenced exclude each other'
    ]
];

export declare const LOCK_OPTIONS: unique symbol;

export declare class LeaderElection implements AsyncDisposable {
    get name(): string;
    get state(): CandidateState;
    get isLeader(): boolean;
    start(): void;
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

export declare const LeaderOnly: (election: string) => ForLeader;

// not exported
export type LeaseContradictions = [
    [
        {
            lease: Duration;
            maxHold: Duration;
            renew: false | undefined;
        },
        'a hold with a lease is renewed, up to maxHold, only with renew: true'
    ],
    [
        {
            renew: false;
            lease: undefined;
        },
        'a hold that is not renewed needs a lease'
    ]
];

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
    abstract readonly code: LockErrorCode;
    readonly lockName: string | undefined;
    readonly template: string | undefined;
    readonly details: Readonly<Record<string, unknown>>;
    constructor(message: string, context?: LockErrorContext);
}

export type LockErrorCode = 'LOCK_TIMEOUT' | 'LOCK_CONFLICT' | 'LOCK_LOST' | 'LOCK_OWNERSHIP' | 'LOCK_DEADLOCK' | 'LOCK_ORDER' | 'LOCK_QUEUE_FULL' | 'LOCK_ABORTED' | 'LOCK_UNAVAILABLE' | 'LOCK_UNSAFE' | 'LOCK_KEY_TYPE' | 'LOCK_OPTIONS' | 'LOCK_NAME' | 'LOCK_STALE_FENCE' | 'LOCK_FENCE_HEADER' | 'LOCK_IDEMPOTENCY' | 'LOCK_SHUTDOWN' | 'LOCK_NOT_WIRED';

export interface LockErrorResponse {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly retryAfter?: number;
}

export type LockEvent = LockNotice | LifeCycleEvent;

export declare class LockExceptionFilter implements ExceptionFilter<LockError> {
    constructor(host: HttpAdapterHost, settings: ErrorResponseSettings);
    catch(error: LockError, host: ArgumentsHost): Observable<never> | void;
    protected responseTo(error: LockError, _host: ArgumentsHost): LockErrorResponse;
}

export declare class LockKeyTypeError extends LockError {
    readonly code = "LOCK_KEY_TYPE";
}

export declare class LockLostError extends LockError {
    readonly code = "LOCK_LOST";
    get isReplaced(): boolean;
}

export declare class LockNameError extends LockError {
    readonly code = "LOCK_NAME";
}

export declare class LockNotWiredError extends LockError {
    readonly code = "LOCK_NOT_WIRED";
}

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

export declare class LockService {
    constructor(services: never);
    forConnection(name: string): LockService;
    withLock<T>(name: string, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
    withLock<T>(name: string, options: LockOptions & WithLockOptions<'throw'>, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
    withLock<T, const O extends EachOf<LockOptions & WithLockOptions>>(name: string, options: O & CheckLockOptions<O, LockOptions & WithLockOptions>, fn: (hold: Hold) => T | Promise<T>): Promise<T | InsteadOf<O>>;
    singleFlight<T>(name: string, fn: (hold: Hold) => T | Promise<T>): Promise<AsJson<T>>;
    singleFlight<T>(name: string, options: SingleFlightOptions, fn: (hold: Hold) => T | Promise<T>): Promise<AsJson<T>>;
    acquire(name: string): Promise<Hold>;
    acquire<const O extends EachOf<ManualLockOptions> | undefined>(name: string, options: O & CheckLockOptions<O, ManualLockOptions>): Promise<Hold>;
    tryAcquire(name: string): Promise<Hold | null>;
    tryAcquire<const O extends EachOf<ManualLockOptions> | undefined>(name: string, options: O & CheckLockOptions<O, ManualLockOptions>): Promise<Hold | null>;
    attach(token: HoldToken, options?: DetachOptions): Promise<Hold>;
    extend(held: HoldToken | OwnedLock, lease: Duration): Promise<boolean>;
    release(held: HoldToken | OwnedLock): Promise<boolean>;
    runInScope<T>(fn: () => T | Promise<T>): Promise<T>;
    getLock(name: string): Lock;
    getFairLock(name: string): Lock;
    getNonReentrantLock(name: string, options?: NonReentrantLockOptions): Lock;
    getFencedLock(name: string): FencedLock;
    getSpinLock(name: string, backoff?: Backoff): Lock;
    getGroupLock(group: string, values: readonly string[]): Lock;
    getMultiLock(...locks: readonly (string | Lock)[]): Lock<MultiHold>;
    getRedLock(name: string): Lock;
    getMajorityLock(...locks: readonly Lock[]): Lock<MultiHold>;
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

export declare function Locked<A extends readonly unknown[], const O extends EachOf<LockedOptions> = LockedOptions>(key: (...args: A) => string | readonly string[], options?: O): LockedByFunction<A, O>;
export declare function Locked<const K extends string, const O extends EachOf<LockedOptions> = LockedOptions>(key: K, options?: O): LockedByTemplate<K, O>;

// not exported
export interface LockedByFunction<A extends readonly unknown[], O = unknown> {
    <T extends object, M extends Method>(target: T & CheckHost<T>, name: string | symbol, descriptor: TypedPropertyDescriptor<M> & CheckOptions<O> & CheckReturn<M> & CheckKeyFunction<A, M> & CheckConflict<O, M> & CheckSignal<O, M>): void;
}

// not exported
export interface LockedByTemplate<K extends string, O = unknown> {
    <T extends object, M extends Method>(target: T & CheckHost<T>, name: string | symbol, descriptor: TypedPropertyDescriptor<M> & CheckOptions<O> & CheckReturn<M> & CheckKey<K, M> & CheckConflict<O, M> & CheckSignal<O, M>): void;
}

export declare const LockedHandler: <const K extends string>(key: HandlerKey | (K & CheckHandlerTemplate<K>), options?: LockHandlerOptions) => ClassDecorator & MethodDecorator;

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

// not exported
type MethodParameterDecorator = (target: object, method: string | symbol, index: number) => void;

export interface MultiHold extends Hold {
    readonly members: readonly Hold[];
}

// not exported
declare const NOT_REPLACEABLE: readonly [
    'kind',
    'mode',
    'preference',
    'fair',
    'limit',
    'numbered'
];

// not exported
declare const NOT_WITH_OWNER: readonly [
    'kind',
    'mode',
    'preference',
    'fair',
    'limit',
    'numbered',
    'renew',
    'maxHold'
];

// not exported
export type NeedContradictions = [
    [
        Beside<'permits', NotWithPermits>,
        'permits are those of a semaphore: without limit, holdAtLeast, and options of kinds and leases'
    ]
];

// not exported
type NoteContradictions = [
    [
        {
            owner: string;
            note: string;
        },
        'a lock of an owner has no record of its holder, and so no note'
    ],
    [
        {
            kind: 'redLock';
            note: string;
        },
        'locks of this kind have no records of their holders, and so no notes'
    ]
];

export declare const OnElected: (election: string) => ForElected;

// not exported
type Otherwise<C> = C extends 'throw' | 'replace' | undefined ? never : C extends 'skip' ? undefined : C extends (...args: never) => infer R ? Awaited<R> : unknown;

export interface OwnedLock {
    readonly name: string;
    readonly owner: string;
}

// not exported
type OwnerContradictions = [
    [
        Beside<'owner', (typeof NOT_WITH_OWNER)[number]>,
        'a lock of an owner is a plain or fenced one with a lease: without kind, mode, preference, fair, limit, renew and maxHold'
    ],
    [
        {
            owner: string;
            lease: undefined;
        },
        'a lock of an owner is not renewed, so it needs a lease'
    ]
];

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

// not exported
export type Placeholders<K extends string> = K extends `${infer Head}\\<${infer Rest}` ? [
    ...PlaceholdersIn<Head>,
    ...Placeholders<Rest>
] : PlaceholdersIn<K>;

// not exported
type PlaceholdersIn<K extends string> = K extends `${string}<${infer P}>${infer Rest}` ? [
    P,
    ...PlaceholdersIn<Rest>
] : [
];

// not exported
type Property<T, Name extends string> = Name extends keyof T ? T[Name] : undefined;

// not exported
declare const REQUEST_PARTS: readonly [
    'params',
    'query',
    'body',
    'headers',
    'user',
    'args',
    'data'
];

export interface ReadWriteLock {
    readonly name: string;
    readLock(): Lock;
    writeLock(): Lock;
}

export declare class RedisLockModule extends ConfigurableModuleClass {
    static forRoot(...given: [
        options?: RedisLockOptions & RedisLockModuleExtras
    ]): DynamicModule;
    static forRootAsync(options: ConfigurableModuleAsyncOptions<ReturnedLockOptions, 'createRedisLockOptions'> & Partial<RedisLockModuleExtras>): DynamicModule;
}

export interface RedisLockOptions extends DeadlockOptions {
    readonly connection?: ConnectionInput;
    readonly connections?: Readonly<Record<string, ConnectionInput>>;
    readonly driver?: DriverName | RedisDriver | undefined;
    readonly redLock?: RedLockOptions | undefined;
    readonly keyPrefix?: string | undefined;
    readonly wait?: Duration | undefined;
    readonly release?: WithLockOptions['release'];
    readonly renewedLease?: Duration | undefined;
    readonly renewIn?: 'main' | 'worker' | RenewInWorker | undefined;
    readonly fairWaitTimeout?: Duration | undefined;
    readonly commandTimeout?: Duration | undefined;
    readonly shutdownTimeout?: Duration | undefined;
    readonly safetyPoll?: Duration | undefined;
    readonly maxNameBytes?: number | undefined;
    readonly maxNames?: number | undefined;
    readonly allowControlCharacters?: boolean | undefined;
    readonly fencing?: Fencing | undefined;
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
export interface Refused<Why extends string> {
    readonly refused: Why;
}

// not exported
export type ReplaceContradictions = [
    [
        {
            readonly onConflict: 'replace';
        } & Beside<'onConflict', (typeof NOT_REPLACEABLE)[number] | 'permits'>,
        'only plain and fenced locks are taken over: without kind, mode, preference, fair, limit and permits'
    ]
];

// not exported
type RequestPart = (typeof REQUEST_PARTS)[number];

// not exported
type Returns = 'promise' | 'observable' | 'iterable';

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
    expire(ttl: Duration): Promise<boolean>;
    clearExpire(): Promise<boolean>;
    remainingTtl(): Promise<number | undefined>;
    availablePermits(): Promise<number>;
    inspect(): Promise<InspectedLock>;
    delete(): Promise<boolean>;
    withPermits<T>(permits: number, fn: () => T | Promise<T>): Promise<T>;
    withPermits<T>(permits: number, options: WaitOptions, fn: () => T | Promise<T>): Promise<T>;
}

// not exported
export interface SharedByFunction<A extends readonly unknown[]> {
    <T extends object, M extends Method>(target: T & CheckHost<T>, name: string | symbol, descriptor: TypedPropertyDescriptor<M> & CheckResult<M> & CheckKeyFunction<A, M>): void;
}

// not exported
export interface SharedByTemplate<K extends string> {
    <T extends object, M extends Method>(target: T & CheckHost<T>, name: string | symbol, descriptor: TypedPropertyDescriptor<M> & CheckResult<M> & CheckKey<K, M, KeyPart>): void;
}

export declare function SingleFlight<const K extends string>(key: K, options?: SingleFlightMethodOptions): SharedByTemplate<K>;
export declare function SingleFlight<A extends readonly unknown[]>(key: (...args: A) => string, options?: SingleFlightMethodOptions): SharedByFunction<A>;

export declare class StaleFenceError extends LockError {
    readonly resource: string;
    readonly code = "LOCK_STALE_FENCE";
    constructor(resource: string, fence: bigint, lastFence: bigint);
    get fence(): bigint;
    get lastFence(): bigint;
}

// not exported
type Step<T, Name extends string> = IsAny<T> extends true ? T : T extends readonly unknown[] ? Name extends `${number}` ? Element<T, Name> : Step<T[number], Name> : T extends object ? Property<T, Name> : undefined;

// not exported
type ValueAt<A, Path extends string> = Path extends `${number}` | `${number}.${string}` ? Walk<A, Path> : undefined;

export declare const WATCHDOG_SCHEDULER: unique symbol;

// not exported
type Walk<T, Path extends string> = Path extends `${infer Head}.${infer Tail}` ? Walk<Step<T, Head>, Tail> : Step<T, Path>;

export interface WithLockOptions<C extends OnConflict = OnConflict> {
    readonly holdAtLeast?: Duration | undefined;
    readonly onConflict?: C | undefined;
    readonly release?: 'confirmed' | 'background' | undefined;
}

export declare const createLocks: (options?: CreateLocksOptions) => Promise<Locks>;

export declare const currentHold: (name?: string) => Hold | undefined;

export declare const getLocksToken: (connection?: string) => InjectionToken<LockService>;

// not exported
declare const isHoldToken: unique symbol;

export declare function lockHandler<const K extends string>(key: HandlerKey | (K & CheckHandlerTemplate<K>)): Type<NestInterceptor>;
export declare function lockHandler<const K extends string, const O extends EachOf<LockHandlerOptions> | undefined>(key: HandlerKey | (K & CheckHandlerTemplate<K>), options: O & CheckOptions<O, LockHandlerOptions>): Type<NestInterceptor>;

export declare function lockName(literals: TemplateStringsArray, ...values: readonly KeyPart[]): string;
