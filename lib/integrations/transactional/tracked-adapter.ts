import type { TransactionalAdapter, TransactionalAdapterOptions } from '@nestjs-cls/transactional';

type End = Promise<void>;

const ends = new WeakMap<object, End>();

/**
 * Resolves when the client's transaction, with all its savepoints, was committed or rolled back, or failed to. All
 * callers within one transaction get the same promise; `undefined` if its adapter is not tracked.
 */
export const endOfTransaction = (client: object): End | undefined => ends.get(client);

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
      const ended: End = new Promise((resolve) => (end = resolve));
      try {
        return await options.wrapWithTransaction(txOptions, fn, announcing(ended, setClient));
      } finally {
        end();
      }
    },
    // The host checks whether this method exists, so it must be absent if the adapter has none.
    ...(nested && {
      wrapWithNestedTransaction: (txOptions, fn, setClient, outer) =>
        nested(txOptions, fn, announcing(endOfTransaction(outer), setClient), outer),
    }),
  };
};

type SetClient<T> = (client?: T) => void;

const announcing =
  <T extends object>(ended: End | undefined, setClient: SetClient<T>): SetClient<T> =>
  (client) => {
    if (client && ended) ends.set(client, ended);
    setClient(client);
  };
