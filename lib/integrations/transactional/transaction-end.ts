import {
  type TransactionalAdapter,
  type TransactionalAdapterOptions,
  TransactionHost,
} from '@nestjs-cls/transactional';
import { LockOptionsError } from '../../errors.js';
import type { ReleaseAfter } from '../../decorators/release-after.js';

/** A transaction with all its savepoints. */
interface TrackedTransaction {
  /** Resolves when it was committed or rolled back, or failed to. */
  readonly ended: Promise<void>;
}

const transactions = new WeakMap<object, TrackedTransaction>();

/** The client's transaction, one object for all callers within it; `undefined` if its adapter is not tracked. */
export const transactionOf = (client: object): TrackedTransaction | undefined => transactions.get(client);

/**
 * Makes an adapter's transactions observable for `transactionEnd()`. Changes the adapter in place and returns it.
 *
 * @example
 * new ClsPluginTransactional({ adapter: trackTransactions(new TransactionalAdapterTypeOrm({ dataSourceToken })) })
 */
export const trackTransactions = <C, T extends object, O>(
  adapter: TransactionalAdapter<C, T, O>,
): TransactionalAdapter<C, T, O> => {
  const { optionsFactory } = adapter;
  adapter.optionsFactory = (...given) => announced(optionsFactory.apply(adapter, given));
  return adapter;
};

/** @deprecated The old name of {@link trackTransactions}. */
export const announcingEnd = trackTransactions;

const announced = <T extends object, O>(
  options: TransactionalAdapterOptions<T, O>,
): TransactionalAdapterOptions<T, O> => {
  const nested = options.wrapWithNestedTransaction?.bind(options);
  return {
    ...options,
    wrapWithTransaction: async (txOptions, fn, setClient) => {
      let end = (): void => {};
      const transaction: TrackedTransaction = { ended: new Promise((resolve) => (end = resolve)) };
      try {
        return await options.wrapWithTransaction(txOptions, fn, announcing(transaction, setClient));
      } finally {
        end();
      }
    },
    // The host checks whether this method exists, so it must be absent if the adapter has none.
    ...(nested && {
      wrapWithNestedTransaction: (txOptions, fn, setClient, outer) =>
        nested(txOptions, fn, announcing(transactionOf(outer), setClient), outer),
    }),
  };
};

type SetClient<T> = (client?: T) => void;

const announcing =
  <T extends object>(transaction: TrackedTransaction | undefined, setClient: SetClient<T>): SetClient<T> =>
  (client) => {
    if (client && transaction) transactions.set(client, transaction);
    setClient(client);
  };

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
