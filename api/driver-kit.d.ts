import type {
    ServerOptions,
} from './advanced.js';
import type {
    CreateLocksOptions,
    Locks,
} from './index.js';

export type Command = readonly [
    name: string,
    ...args: string[]
];

export interface ConnectTerms {
    readonly timeout: number;
    readonly signal: AbortSignal;
}

export interface DriverCase {
    readonly name: string;
    run(): Promise<void>;
}

export interface DriverConnection {
    send(command: Command): Promise<unknown>;
    subscribe(channels: readonly string[], isSharded: boolean): Promise<unknown>;
    unsubscribe(channels: readonly string[], isSharded: boolean): Promise<unknown>;
    cork(): void;
    uncork(): void;
    end(): void;
    destroy(): void;
}

export declare class DriverError extends Error {
    readonly kind: FailureKind;
    constructor(kind: FailureKind, message: string, options?: ErrorOptions);
}

export interface DriverListener {
    onMessage(channel: string, message: string): void;
    onMoved(): void;
    onEnd(reason?: unknown): void;
}

export type FailureKind = 'refused' | 'not-written' | 'cut';

export interface RedisDriver {
    readonly name: string;
    connect(server: ServerOptions, terms: ConnectTerms, listener: DriverListener): Promise<DriverConnection>;
}

export interface StoreCase {
    readonly name: string;
    run(): Promise<void>;
}

export interface StoreUnderTest {
    open(options: CreateLocksOptions): Promise<Locks>;
    send(command: Command): Promise<unknown>;
}

export declare const driverCases: (driver: RedisDriver, server?: ServerOptions) => readonly DriverCase[];

export declare const storeCases: (store: StoreUnderTest) => readonly StoreCase[];
