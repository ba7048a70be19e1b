import type {
    ConnectionChoice,
    ErrorClass,
    HandlerKey,
    LeaseOptions,
    LockErrorContext,
} from './advanced.js';
import type {
    AcquireOptions,
    CheckHandlerTemplate,
    Duration,
    LockError,
    SharedByFunction,
    SharedByTemplate,
} from './index.js';
import type {
    ExecutionContext,
} from '@nestjs/common';

export declare class IdempotencyError extends LockError {
    readonly reason: 'key-reused' | 'answer-too-long';
    readonly code = "LOCK_IDEMPOTENCY";
    constructor(message: string, reason: 'key-reused' | 'answer-too-long', context?: LockErrorContext);
}

export declare function Idempotent<const K extends string>(key: K, options?: IdempotentMethodOptions): SharedByTemplate<K>;
export declare function Idempotent<A extends readonly unknown[]>(key: (...args: A) => string, options?: IdempotentMethodOptions): SharedByFunction<A>;

export declare const IdempotentHandler: <const K extends string>(key: HandlerKey | (K & CheckHandlerTemplate<K>), options?: IdempotentHandlerOptions) => ClassDecorator & MethodDecorator;

export type IdempotentHandlerOptions = IdempotentOptions & {
    readonly fingerprint?: ((context: ExecutionContext) => unknown) | undefined;
};

export type IdempotentMethodOptions = IdempotentOptions & {
    readonly fingerprint?: ((...args: never[]) => unknown) | undefined;
};

export type IdempotentOptions = ConnectionChoice & LeaseOptions & Pick<AcquireOptions, 'wait'> & {
    readonly ttl?: Duration | undefined;
    readonly errors?: readonly ErrorClass[] | undefined;
};
