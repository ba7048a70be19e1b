import type {
    LockService,
} from './index.js';
import type {
    MetricsOptions,
} from './opentelemetry.js';
import type {
    ConfigurableModuleAsyncOptions,
    DynamicModule,
    OnApplicationShutdown,
    OnModuleInit,
} from '@nestjs/common';
import type {
    OpenMetricsContentType,
    Registry,
} from 'prom-client';

// not exported
declare const ConfigurableModuleClass: import("@nestjs/common").ConfigurableModuleCls<PrometheusOptions, "forRoot", "create", {}>;

export type LockMetricsRegistry = Registry | Registry<OpenMetricsContentType>;

export declare class LockPrometheusModule extends ConfigurableModuleClass implements OnModuleInit, OnApplicationShutdown {
    constructor(locks: LockService, options: PrometheusOptions | undefined);
    static forRoot(options?: PrometheusOptions): DynamicModule;
    static forRootAsync(options: ConfigurableModuleAsyncOptions<PrometheusOptions>): DynamicModule;
    onModuleInit(): void;
    onApplicationShutdown(): void;
}

export interface PrometheusOptions extends MetricsOptions {
    readonly registry?: LockMetricsRegistry | undefined;
    readonly prefix?: string | undefined;
}

export declare const collectLockMetrics: (locks: LockService, options?: PrometheusOptions) => (() => void);

export {
    MetricsOptions,
} from './opentelemetry.js';
