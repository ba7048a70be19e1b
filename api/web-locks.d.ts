import type {
    LockService,
} from './index.js';

export declare class RedisLockManager {
    constructor(locks: LockService);
    request<T>(name: string, callback: WebLockCallback<T>): Promise<Awaited<T>>;
    request<T>(name: string, options: WebLockOptions, callback: WebLockCallback<T>): Promise<Awaited<T>>;
    query(): Promise<WebLockSnapshot>;
}

export interface WebLock {
    readonly name: string;
    readonly mode: WebLockMode;
    readonly signal: AbortSignal;
}

export type WebLockCallback<T> = (lock: WebLock | null) => T;

export interface WebLockInfo {
    readonly name: string;
    readonly mode: WebLockMode;
    readonly clientId?: string;
}

export type WebLockMode = 'exclusive' | 'shared';

export interface WebLockOptions {
    readonly mode?: WebLockMode | undefined;
    readonly ifAvailable?: boolean | undefined;
    readonly steal?: boolean | undefined;
    readonly signal?: AbortSignal | undefined;
}

export interface WebLockSnapshot {
    readonly held: WebLockInfo[];
    readonly pending: WebLockInfo[];
}
