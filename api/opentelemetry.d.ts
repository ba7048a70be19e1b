import type {
    LockService,
} from './index.js';
import type {
    ConfigurableModuleAsyncOptions,
    DynamicModule,
    OnApplicationShutdown,
} from '@nestjs/common';
import type {
    Meter,
    Tracer,
} from '@opentelemetry/api';

// not exported
declare const ConfigurableModuleClass: import("@nestjs/common").ConfigurableModuleCls<OpenTelemetryOptions, "forRoot", "create", {}>;

export declare class LockOpenTelemetryModule extends ConfigurableModuleClass implements OnApplicationShutdown {
    constructor(locks: LockService, options: OpenTelemetryOptions | undefined);
    static forRoot(options?: OpenTelemetryOptions): DynamicModule;
    static forRootAsync(options: ConfigurableModuleAsyncOptions<OpenTelemetryOptions>): DynamicModule;
    onApplicationShutdown(): void;
}

export interface MetricsOptions {
    readonly maxLabelSets?: number | undefined;
}

export interface OpenTelemetryOptions extends MetricsOptions {
    readonly meter?: Meter | false | undefined;
    readonly tracer?: Tracer | false | undefined;
}

export declare const observeLocks: (locks: LockService, options?: OpenTelemetryOptions) => (() => void);
