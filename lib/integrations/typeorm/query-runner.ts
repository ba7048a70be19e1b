import { LockOptionsError } from '../../errors.js';
import { formatValue } from '../../validation/format-value.js';
import type { TransactionRunner } from './transaction-source.js';

const FLAGS = ['isTransactionActive', 'isReleased'] as const;

const ends = new WeakMap<TransactionRunner, Promise<void>>();

/**
 * Resolves when the outermost transaction of a query runner has ended: committed, rolled back, or gone with its
 * connection. The same promise for all of the transaction; `undefined` where there is none.
 * @throws LockOptionsError for a query runner that cannot be watched.
 */
export const endOfTransaction = (runner: TransactionRunner): Promise<void> | undefined => {
  if (!isInTransaction(runner)) return undefined;
  const ended = ends.get(runner) ?? watch(runner);
  ends.set(runner, ended);
  return ended;
};

const isInTransaction = ({ isTransactionActive, isReleased }: TransactionRunner): boolean =>
  isTransactionActive && !isReleased;

/**
 * TypeORM has no event for it: its subscribers hear of commits and rollbacks, but of no connection that is lost or given
 * back without either. Its drivers say all of that by two properties, which are listened to here until the end.
 */
const watch = (runner: TransactionRunner): Promise<void> => {
  if (!FLAGS.every((flag) => Object.getOwnPropertyDescriptor(runner, flag)?.writable)) {
    throw new LockOptionsError(
      `transactionEnd() of nest-redis-lock/typeorm cannot watch ${formatValue(runner)}: it needs a QueryRunner of TypeORM`,
      { details: { runner } },
    );
  }
  return new Promise((resolve) => {
    const listen = (flag: (typeof FLAGS)[number]): void => {
      let value = runner[flag];
      const set = (next: boolean): void => {
        value = next;
        if (!isInTransaction(runner)) end();
      };
      Object.defineProperty(runner, flag, { get: () => value, set, configurable: true, enumerable: true });
    };
    const end = (): void => {
      for (const flag of FLAGS) Object.defineProperty(runner, flag, { value: runner[flag], writable: true });
      ends.delete(runner);
      resolve();
    };
    for (const flag of FLAGS) listen(flag);
  });
};
