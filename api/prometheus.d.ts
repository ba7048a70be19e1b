import type {
    LockService,
} from './index.js';
import type {
    MetricsOptions,
    ObservingModule,
} from './opentelemetry.js';
import type {
    OpenMetricsContentType,
    Registry,
} from 'prom-client';

export type LockMetricsRegistry = Registry | Registry<OpenMetricsContentType>;

export declare class LockPrometheusModule extends LockPrometheusModule_base {
}

// not exported
declare const LockPrometheusModule_base: ObservingModule<PrometheusOptions>;

export interface PrometheusOptions extends MetricsOptions {
    readonly registry?: LockMetricsRegistry | undefined;
    readonly prefix?: string | undefined;
}

export declare const collectLockMetrics: (locks: LockService, options?: PrometheusOptions) => (() => void);

export {
    MetricsOptions,
} from './opentelemetry.js';
