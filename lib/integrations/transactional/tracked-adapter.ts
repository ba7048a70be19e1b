import type { TransactionalAdapter, TransactionalAdapterOptions } from '@nestjs-cls/transactional';

type End = Promise<void>;

const ends = new WeakMap<object, End>();

/**
 * Resolves when the transaction of a client, savepoints and all, was committed or rolled back, or could not be. The same
 * promise for all of the transaction; `undefined` where its adapter does not announce it.
 */
export const endOfTransaction = (client: object): End | undefined => ends.get(client);

/**
 * The same adapter, whose transactions can be waited for by `transactionEnd()`.
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
    // The host looks whether there is such a method, so there must be none where there was none.
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
