import type {
    ConnectionChoice,
} from './advanced.js';
import type {
    Duration,
} from './index.js';
import type {
    CronOptions,
} from '@nestjs/schedule';

export declare const LockedCron: (expression: string, name: string, options?: LockedCronOptions) => MethodDecorator;

export interface LockedCronOptions extends ConnectionChoice, NestCronOptions {
    readonly holdAtLeast?: Duration | undefined;
    readonly overlap?: boolean | undefined;
}

// not exported
type NestCronOptions = Omit<CronOptions, 'name' | 'utcOffset'>;
