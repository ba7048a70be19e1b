/** @module nest-redis-lock/idempotency */
export { IdempotencyError } from '../../errors.js';
export { Idempotent } from './idempotent.decorator.js';
export { IdempotentHandler } from './idempotent-handler.decorator.js';
export type { IdempotentHandlerOptions, IdempotentMethodOptions, IdempotentOptions } from './idempotent.options.js';
