import { type SharedByFunction, sharedBy, type SharedByTemplate } from '../../decorators/single-flight.decorator.js';
import { answerOnce } from './answer.js';
import { idempotentPlan, type IdempotentMethodOptions } from './idempotent.options.js';

const DECORATOR = '@Idempotent';

/**
 * Runs a method once for each key, and repeats its result or error to later calls with that key, in all processes. A key stands
 * for one operation, such as a payment, and is chosen by whoever asks for it. A call that comes while the first one runs is
 * refused, unless `wait` says otherwise. Every caller gets the result decoded from JSON.
 *
 * It does not make an effect and its stored answer one step: after a crash between the two, the method runs again.
 *
 * @param key A template such as `'pay:<0.key>'`, or a function of the method's arguments.
 * @throws LockNameError, LockOptionsError when the decorator is applied, if key or options are invalid. Calls throw
 *   `LockConflictError` while the first one runs, and `IdempotencyError` if the key belongs to another call, or if the answer
 *   was longer than a million characters.
 *
 * @example
 * @Idempotent('pay:<0.key>', { ttl: '24h' })
 * async pay(payment: Payment): Promise<Receipt> { … }
 */
export function Idempotent<const K extends string>(key: K, options?: IdempotentMethodOptions): SharedByTemplate<K>;
/** Repeats the answer under the name that `key` returns for the arguments. */
export function Idempotent<A extends readonly unknown[]>(
  key: (...args: A) => string,
  options?: IdempotentMethodOptions,
): SharedByFunction<A>;
export function Idempotent(key: unknown, options?: IdempotentMethodOptions): MethodDecorator {
  const plan = idempotentPlan(options, DECORATOR);
  return sharedBy(key, {
    decorator: DECORATOR,
    plan: plan.shared,
    options: options ?? {},
    share: (locked, call, args, proceed) => {
      const fingerprint = plan.fingerprint ? plan.fingerprint(...args) : args;
      return answerOnce(locked, { ...call, plan, fingerprint }, proceed);
    },
  });
}
