// not exported
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

export declare const FENCE_HEADER = "lock-fence";

export interface FenceClient {
    readonly options: {
        readonly keyPrefix?: string | undefined;
    };
    evalsha(sha: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
    eval(text: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
}

export declare class FenceHeaderError extends LockError {
    readonly code = "LOCK_FENCE_HEADER";
}

export interface FenceStore {
    advance(resource: string, fence: bigint): Promise<bigint>;
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

export declare class MemoryFenceStore implements FenceStore {
    advance(resource: string, fence: bigint): Promise<bigint>;
}

export declare class RedisFenceStore implements FenceStore {
    constructor(client: FenceClient, options?: RedisFenceStoreOptions);
    advance(resource: string, fence: bigint): Promise<bigint>;
}

export interface RedisFenceStoreOptions {
    readonly keepFence?: Duration;
}

export type RequestHeaders = {
    get(name: string): string | null;
} | Readonly<Record<string, unknown>>;

export interface SetIfFenceOptions {
    readonly ttl?: Duration;
    readonly keepFence?: Duration;
}

export interface SqlFence {
    readonly fence: bigint;
    readonly value: string;
    readonly parameters: Readonly<Record<string, string>>;
    readonly set: string;
    readonly where: string;
    confirm(updated: number | null | undefined, lastFence: () => StoredFence | Promise<StoredFence>): Promise<boolean>;
}

export interface SqlFenceOptions {
    readonly resource: string;
    readonly placeholder: `$${number}` | `:${string}`;
    readonly column?: string;
}

export declare class StaleFenceError extends LockError {
    readonly resource: string;
    readonly code = "LOCK_STALE_FENCE";
    constructor(resource: string, fence: bigint, lastFence: bigint);
    get fence(): bigint;
    get lastFence(): bigint;
}

export type StoredFence = bigint | string | number | null | undefined;

// not exported
advance(resource: string, fence: bigint): Promise<bigint>;

// not exported
advance(resource: string, fence: bigint): Promise<bigint>;

export declare const checkFence: (headers: RequestHeaders, resource: string, store: FenceStore) => Promise<bigint>;

// not exported
abstract readonly code: string;

// not exported
readonly code = "LOCK_FENCE_HEADER";

// not exported
readonly code = "LOCK_STALE_FENCE";

// not exported
readonly details: Readonly<Record<string, unknown>>;

// not exported
get fence(): bigint;

export declare const fenceHeader: (fence: bigint) => {
    readonly [FENCE_HEADER]: string;
};

// not exported
get lastFence(): bigint;

// not exported
readonly lockName: string | undefined;

// not exported
readonly resource: string;

export declare const setIfFence: (client: FenceClient, key: string, text: string, fence: bigint, options?: SetIfFenceOptions) => Promise<void>;

export declare const sqlFence: (token: bigint, options: SqlFenceOptions) => SqlFence;

// not exported
readonly template: string | undefined;
