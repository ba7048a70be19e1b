import type { TransactionalAdapter, TransactionalAdapterOptions } from '@nestjs-cls/transactional';

/** A transaction with all its savepoints. */
export interface TrackedTransaction {
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
