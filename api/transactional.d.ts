import type {
    ReleaseAfter,
} from './advanced.js';
import type {
    TransactionalAdapter,
} from '@nestjs-cls/transactional';

export declare const announcingEnd: typeof trackTransactions;

export declare const trackTransactions: <C, T extends object, O>(adapter: TransactionalAdapter<C, T, O>) => TransactionalAdapter<C, T, O>;

export declare const transactionEnd: (connectionName?: string) => ReleaseAfter;
