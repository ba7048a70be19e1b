import type { OnInversion } from '../../deadlock/lock-order.js';
import { oneOf } from '../../validation/one-of.js';

/** Options of the module that concern callers which hold one lock and wait for another. */
export interface DeadlockOptions {
  /**
   * Whether deadlocks are found, over all processes. `detect`: if callers wait for each other in a circle for longer than a
   * second, the one that began to wait last gets `LockDeadlockError`. Only callers that hold a lock and wait for another
   * one for that long send anything for it. `off`: they wait until their wait limits end. Default: `detect`.
   */
  readonly deadlocks?: 'detect' | 'off' | undefined;
  /**
   * Reaction when the code of this process acquires two locks in both orders, by template, even if nothing had to
   * wait. `warn`: the event `lock-order-inverted`, once for each pair. `throw`: that, and `LockOrderError` for each
   * acquisition that may wait. `off`: nothing. Default: `warn`, and `off` if `NODE_ENV` is `production`.
   */
  readonly lockOrder?: OnInversion | 'off' | undefined;
}

/** The settings made of {@link DeadlockOptions}. */
export interface DeadlockSettings {
  readonly deadlocks: 'detect' | 'off';
  readonly lockOrder: OnInversion | 'off';
}

/** @throws LockOptionsError that names the option and its value. */
export const parseDeadlocks = (given: { readonly [Name in keyof DeadlockOptions]?: unknown }): DeadlockSettings => {
  const isProduction = process.env['NODE_ENV'] === 'production';
  return {
    deadlocks: oneOf<'detect' | 'off'>(given.deadlocks, 'deadlocks', ['detect', 'off']),
    lockOrder: oneOf<OnInversion | 'off'>(
      given.lockOrder,
      'lockOrder',
      isProduction ? ['off', 'warn', 'throw'] : ['warn', 'throw', 'off'],
    ),
  };
};
