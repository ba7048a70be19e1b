// not exported
export interface ConnectionChoice {
    readonly connection?: string | undefined;
}

// not exported
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

export declare const LockedCron: (expression: string, name: string, options?: LockedCronOptions) => MethodDecorator;

export interface LockedCronOptions extends ConnectionChoice, NestCronOptions {
    readonly holdAtLeast?: Duration | undefined;
    readonly overlap?: boolean | undefined;
    readonly cron?: NestCronOptions | undefined;
}
