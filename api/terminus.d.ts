import type {
    Affected,
} from './advanced.js';
import type {
    Duration,
} from './index.js';
import type {
    HealthIndicatorResult,
} from '@nestjs/terminus';

export interface ConnectionHealth {
    readonly state: LockHealthState;
    readonly servers: readonly ServerHealth[];
    readonly probe: ProbeVerdict;
    readonly watchdogLag: number;
    readonly recentLosses: number;
    readonly problems: readonly string[];
}

export declare class LockHealthIndicator {
    constructor(...services: [
        never,
        never,
        never
    ]);
    isHealthy<const Key extends string>(key: Key, options?: LockHealthOptions): Promise<HealthIndicatorResult<Key>>;
}

export interface LockHealthOptions {
    readonly connections?: readonly string[] | undefined;
    readonly timeout?: Duration | undefined;
    readonly maxLag?: Duration | undefined;
    readonly degradedIsDown?: boolean | undefined;
}

export type LockHealthState = 'up' | 'degraded' | 'down';

export type ProbeVerdict = 'passed' | 'unsafe' | 'refused' | 'pending' | 'off';

export interface ServerHealth {
    readonly server: string;
    readonly affects: Affected;
    readonly commands: 'up' | 'down';
    readonly messages: 'up' | 'down' | 'unused';
    readonly problem?: string;
}

export {
    Affected,
} from './advanced.js';
