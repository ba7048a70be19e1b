import { LockOptionsError } from '../../errors.js';
import { formatValue } from '../../validation/format-value.js';

/** The state properties of a TypeORM `QueryRunner`. */
export interface TransactionRunner {
  readonly isTransactionActive: boolean;
  readonly isReleased: boolean;
}

/** An `EntityManager` of TypeORM; the one of a transaction has a query runner. */
export interface TransactionManager {
  readonly queryRunner?: TransactionRunner | undefined;
}

/** An object of a TypeORM transaction: its `EntityManager`, its `QueryRunner`, or a `Repository` of the former. */
export type TransactionSource = TransactionManager | TransactionRunner | { readonly manager: TransactionManager };

/** Whether a value is a TypeORM object that accesses the database, in a transaction or not. */
export const isSource = (value: unknown): value is TransactionSource =>
  isObject(value) && (isRunner(value) || isManager(value) || isManager(Reflect.get(value, 'manager')));

/** The query runner behind the object; `undefined` if it uses a new one for each query. */
export const runnerOf = (source: TransactionSource): TransactionRunner | undefined => {
  if (isRunner(source)) return source;
  return 'manager' in source ? source.manager.queryRunner : source.queryRunner;
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isRunner = (value: object): value is TransactionRunner =>
  typeof Reflect.get(value, 'isTransactionActive') === 'boolean' &&
  typeof Reflect.get(value, 'isReleased') === 'boolean';

/** Checked by TypeORM's own brand, which works across several copies of TypeORM. */
const isManager = (value: unknown): value is TransactionManager => {
  const brand: unknown = isObject(value) ? Reflect.get(value, '@instanceof') : undefined;
  return typeof brand === 'symbol' && (Symbol.keyFor(brand)?.endsWith('EntityManager') ?? false);
};

const FLAGS = ['isTransactionActive', 'isReleased'] as const;

/** The outermost transaction of a query runner. */
export interface OpenTransaction {
  /** Resolves when it is committed, rolled back, or lost with its connection. */
  readonly ended: Promise<void>;
}

const transactions = new WeakMap<TransactionRunner, OpenTransaction>();

/**
 * The outermost transaction of a query runner, one object for all callers within it; `undefined` outside a transaction.
 * @throws LockOptionsError for a query runner that cannot be watched.
 */
export const transactionOf = (runner: TransactionRunner): OpenTransaction | undefined => {
  if (!isInTransaction(runner)) return undefined;
  const transaction = transactions.get(runner) ?? { ended: watch(runner) };
  transactions.set(runner, transaction);
  return transaction;
};

const isInTransaction = ({ isTransactionActive, isReleased }: TransactionRunner): boolean =>
  isTransactionActive && !isReleased;

/**
 * TypeORM has no event for it: its subscribers are notified of commits and rollbacks, but not of a connection that is
 * lost or released without either. Its drivers record all of these in two properties, intercepted here until then.
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
      transactions.delete(runner);
      resolve();
    };
    for (const flag of FLAGS) listen(flag);
  });
};
