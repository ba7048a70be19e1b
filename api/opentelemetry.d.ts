import type {
    LockService,
} from './index.js';
import type {
    ConfigurableModuleAsyncOptions,
    DynamicModule,
    OnApplicationShutdown,
    OnModuleInit,
} from '@nestjs/common';
import type {
    Meter,
    Tracer,
} from '@opentelemetry/api';

export declare class LockOpenTelemetryModule extends LockOpenTelemetryModule_base {
}

// not exported
declare const LockOpenTelemetryModule_base: ObservingModule<OpenTelemetryOptions>;

export interface MetricsOptions {
    readonly maxLabelSets?: number | undefined;
}

// not exported
export interface ObservingModule<O> {
    new (locks: LockService, options: O | undefined): OnModuleInit & OnApplicationShutdown;
    forRoot(options?: O): DynamicModule;
    forRootAsync(options: ConfigurableModuleAsyncOptions<O>): DynamicModule;
}

export interface OpenTelemetryOptions extends MetricsOptions {
    readonly meter?: Meter | false | undefined;
    readonly tracer?: Tracer | false | undefined;
}

export declare const observeLocks: (locks: LockService, options?: OpenTelemetryOptions) => (() => void);
