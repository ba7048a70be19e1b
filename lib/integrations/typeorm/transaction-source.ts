/** By what a `QueryRunner` of TypeORM shows how it stands. */
export interface TransactionRunner {
  readonly isTransactionActive: boolean;
  readonly isReleased: boolean;
}

/** An `EntityManager` of TypeORM; that of a transaction has a query runner. */
export interface TransactionManager {
  readonly queryRunner?: TransactionRunner | undefined;
}

/** What belongs to a transaction of TypeORM: its `EntityManager`, its `QueryRunner`, or a `Repository` of the former. */
export type TransactionSource = TransactionManager | TransactionRunner | { readonly manager: TransactionManager };

/** Whether a value is of TypeORM and works with the database, in a transaction or not. */
export const isSource = (value: unknown): value is TransactionSource =>
  isObject(value) && (isRunner(value) || isManager(value) || isManager(Reflect.get(value, 'manager')));

/** The query runner that it works with; `undefined` is one of its own for each query. */
export const runnerOf = (source: TransactionSource): TransactionRunner | undefined => {
  if (isRunner(source)) return source;
  return 'manager' in source ? source.manager.queryRunner : source.queryRunner;
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isRunner = (value: object): value is TransactionRunner =>
  typeof Reflect.get(value, 'isTransactionActive') === 'boolean' &&
  typeof Reflect.get(value, 'isReleased') === 'boolean';

/** As TypeORM tells, so that several copies of it know each other's. */
const isManager = (value: unknown): value is TransactionManager => {
  const brand: unknown = isObject(value) ? Reflect.get(value, '@instanceof') : undefined;
  return typeof brand === 'symbol' && (Symbol.keyFor(brand)?.endsWith('EntityManager') ?? false);
};
