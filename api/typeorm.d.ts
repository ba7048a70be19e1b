// not exported
export interface ReleaseAfter {
    (context: ReleaseContext): PromiseLike<unknown> | undefined | void;
    readonly keptFor?: ((context: ReleaseContext) => object | undefined) | undefined;
}

// not exported
export interface ReleaseContext {
    readonly args: readonly unknown[];
}

export interface TransactionManager {
    readonly queryRunner?: TransactionRunner | undefined;
}

export interface TransactionRunner {
    readonly isTransactionActive: boolean;
    readonly isReleased: boolean;
}

export type TransactionSource = TransactionManager | TransactionRunner | {
    readonly manager: TransactionManager;
};

export declare const transactionEnd: (pick?: (...args: never[]) => TransactionSource | undefined) => ReleaseAfter;
