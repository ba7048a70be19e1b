import { LockOptionsError } from '../../errors.js';
import { formatValue } from '../../validation/format-value.js';
import type { ReleaseAfter, ReleaseContext } from '../../decorators/release-after.js';
import {
  isSource,
  type OpenTransaction,
  runnerOf,
  transactionOf,
  type TransactionRunner,
  type TransactionSource,
} from './query-runner.js';
/**
 * For `releaseAfter`: keeps the lock until the outermost TypeORM transaction of the method has ended: by a commit, a
 * rollback, or the loss of its connection. Outside a transaction the lock is released when the method has ended. Calls
 * within one transaction re-enter the locks kept for it.
 *
 * @param pick Returns, for the method's arguments, an object that belongs to the transaction, or `undefined` outside
 *   one. Default: the `EntityManager`, `QueryRunner` or `Repository` among the arguments; calls without any, or with
 *   those of several query runners, fail with a `LockOptionsError`.
 *
 * @example
 * @Locked('stock:<0>', { releaseAfter: transactionEnd() })
 * async take(sku: string, manager: EntityManager): Promise<void> { … }
 *
 * @Locked('stock:<0>', { releaseAfter: transactionEnd((sku: string, work: UnitOfWork) => work.manager) })
 * async takeFor(sku: string, work: UnitOfWork): Promise<void> { … }
 */
export const transactionEnd = (pick?: (...args: never[]) => TransactionSource | undefined): ReleaseAfter => {
  const keptFor = ({ args }: ReleaseContext): OpenTransaction | undefined => {
    const runner = pick ? runnerPicked(pick(...(args as never[]))) : runnerAmong(args);
    return runner && transactionOf(runner);
  };
  return Object.assign((call: ReleaseContext) => keptFor(call)?.ended, { keptFor });
};

const runnerPicked = (picked: TransactionSource | undefined): TransactionRunner | undefined => {
  if (picked === undefined) return undefined;
  if (isSource(picked)) return runnerOf(picked);
  throw refused(`was given ${formatValue(picked)}, which is none of them`);
};

const runnerAmong = (args: readonly unknown[]): TransactionRunner | undefined => {
  const sources = args.filter(isSource);
  if (sources.length === 0) throw refused('finds none of them among the arguments');
  const [runner, ...others] = new Set(sources.flatMap((source) => runnerOf(source) ?? []));
  if (others.length > 0) throw refused('finds several query runners among the arguments');
  return runner;
};

const refused = (why: string): LockOptionsError =>
  new LockOptionsError(
    `transactionEnd() of nest-redis-lock/typeorm needs an EntityManager, QueryRunner or Repository and ${why}; give it a function that picks one from the arguments`,
  );
