import type { EntityManager } from 'typeorm';

/** What a transaction goes on with when the locked method has ended. */
export type GoOn = (manager: EntityManager) => Promise<unknown>;

/** Sells one, by a locked method inside a transaction, or by a locked method around one. */
export interface Shop {
  /** The lock is released when the method has ended: the wrong way. */
  untilMethodEnds(sku: string, goOn: GoOn): Promise<void>;
  /** The lock is kept until the transaction has ended. */
  untilTransactionEnds(sku: string, goOn: GoOn): Promise<void>;
  /** The lock is taken before the transaction begins. */
  aroundTransaction(sku: string, goOn: GoOn): Promise<void>;
}

export type Way = keyof Shop;

/** Longer than any test waits. */
export const WAIT = '20s';
