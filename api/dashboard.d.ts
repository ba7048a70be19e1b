// not exported
export interface ConnectionChoice {
    readonly connection?: string | undefined;
}

export type DashboardGuard = CanActivate | Type<CanActivate>;

// not exported
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

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

// not exported
static forRoot(options: LockDashboardOptions): DynamicModule;
