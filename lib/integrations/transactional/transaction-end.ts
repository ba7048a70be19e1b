import { type TransactionalAdapter, TransactionHost } from '@nestjs-cls/transactional';
import { LockOptionsError } from '../../errors.js';
import type { ReleaseAfter } from '../../decorators/release-after.js';
import { type TrackedTransaction, transactionOf } from './tracked-adapter.js';

/**
 * For `releaseAfter`: keeps the lock until the transaction of `@nestjs-cls/transactional` around the method has been
 * committed or rolled back; of nested transactions, the outermost one. Without a transaction the lock is released when
 * the method has ended. Calls within one transaction re-enter the locks kept for it.
 *
 * The adapter must be tracked: `new ClsPluginTransactional({ adapter: trackTransactions(adapter) })`. Otherwise locked
 * calls inside its transactions fail with a `LockOptionsError`.
 *
 * @param connectionName As for `@Transactional` and `ClsPluginTransactional`. Default: the connection without a name.
 *
 * @example
 * @Locked('stock:<0>', { releaseAfter: transactionEnd() })
 * async take(sku: string): Promise<void> { … }
 */
export const transactionEnd = (connectionName?: string): ReleaseAfter => {
  const keptFor = (): TrackedTransaction | undefined => openTransaction(connectionName);
  return Object.assign(() => keptFor()?.ended, { keptFor });
};

type Host = TransactionHost<TransactionalAdapter<unknown, object, unknown>>;

const openTransaction = (connectionName: string | undefined): TrackedTransaction | undefined => {
  const host = hostOf(connectionName);
  if (!host.isTransactionActive()) return undefined;
  const transaction = transactionOf(host.tx);
  if (transaction) return transaction;
  throw new LockOptionsError(
    `The end of a transaction of ${pluginOf(connectionName)} cannot be observed: wrap its adapter in trackTransactions(…) from nest-redis-lock/transactional`,
    { details: { connectionName } },
  );
};

const hostOf = (connectionName: string | undefined): Host => {
  try {
    return TransactionHost.getInstance(connectionName);
  } catch (cause) {
    throw new LockOptionsError(
      `transactionEnd() of nest-redis-lock/transactional finds no ${pluginOf(connectionName)}: register it with ClsModule, or name another connection`,
      { details: { connectionName }, cause },
    );
  }
};

const pluginOf = (connectionName: string | undefined): string =>
  `ClsPluginTransactional${connectionName === undefined ? '' : ` with connectionName "${connectionName}"`}`;
