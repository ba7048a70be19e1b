import type {
    LockKindName,
    RedisLockModuleExtras,
} from './advanced.js';
import type {
    Duration,
    Hold,
    LockOptions,
    LockService,
    RedisLockOptions,
    ScheduledTask,
    Scheduler,
} from './index.js';
import type {
    DynamicModule,
    InjectionToken,
} from '@nestjs/common';

export interface FakeLockCall {
    readonly name: string;
    readonly kind: Exclude<LockKindName, 'spin' | 'redLock'>;
}

export declare class FakeLocks extends LockService {
    constructor();
    get acquired(): readonly FakeLockCall[];
    get held(): readonly string[];
    lockedCalls(): readonly LockedCallRecord[];
    clear(): void;
    wire<T extends object>(instance: T): T;
}

export declare class LeakedLocksError extends Error {
    readonly holders: readonly TestHolder[];
    readonly waiters: readonly TestWaiter[];
    readonly name = "LeakedLocksError";
    constructor(holders: readonly TestHolder[], waiters: readonly TestWaiter[]);
}

export interface LockDeclaration {
    readonly decorator: string;
    readonly key: unknown;
    readonly options: object;
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
    expectFencesRead(): void;
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

export interface ProviderOverrides {
    overrideProvider(token: unknown): {
        useFactory(options: {
            factory: (...given: never[]) => unknown;
            inject: unknown[];
        }): unknown;
    };
}

export type Side = 'application' | 'elsewhere';

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

export declare class UnreadFencesError extends Error {
    readonly holders: readonly TestHolder[];
    readonly name = "UnreadFencesError";
    constructor(holders: readonly TestHolder[]);
}

export declare const lockedOptions: (method: (...args: never[]) => unknown) => LockDeclaration;
