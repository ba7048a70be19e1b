import type {
    ReleaseAfter,
} from './advanced.js';

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
