// not exported
export interface ReleaseAfter {
    (context: ReleaseContext): PromiseLike<unknown> | undefined | void;
    readonly keptFor?: ((context: ReleaseContext) => object | undefined) | undefined;
}

// not exported
export interface ReleaseContext {
    readonly args: readonly unknown[];
}

export declare const announcingEnd: typeof trackTransactions;

export declare const trackTransactions: <C, T extends object, O>(adapter: TransactionalAdapter<C, T, O>) => TransactionalAdapter<C, T, O>;

export declare const transactionEnd: (connectionName?: string) => ReleaseAfter;
