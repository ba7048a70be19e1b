import type {
    ConnectionChoice,
} from './advanced.js';
import type {
    Duration,
} from './index.js';
import type {
    CanActivate,
    DynamicModule,
    ModuleMetadata,
    Type,
} from '@nestjs/common';

export type DashboardGuard = CanActivate | Type<CanActivate>;

export declare class LockDashboardModule {
    static forRoot(options: LockDashboardOptions): DynamicModule;
}

export interface LockDashboardOptions extends ConnectionChoice {
    readonly path?: string | undefined;
    readonly guard?: DashboardGuard | readonly DashboardGuard[] | undefined;
    readonly allowAnonymous?: boolean | undefined;
    readonly imports?: ModuleMetadata['imports'] | undefined;
    readonly refresh?: Duration | undefined;
    readonly maxLocks?: number | undefined;
}
