import type { EntityManager } from 'typeorm';

/** The rest of a transaction, after the locked method has ended. */
export type GoOn = (manager: EntityManager) => Promise<unknown>;

/** Sells one item, by a locked method inside a transaction or around one. */
export interface Shop {
  /** Releases the lock at the end of the method, which is the wrong way. */
  untilMethodEnds(sku: string, goOn: GoOn): Promise<void>;
  /** Keeps the lock until the transaction has ended. */
  untilTransactionEnds(sku: string, goOn: GoOn): Promise<void>;
  /** Acquires the lock before the transaction begins. */
  aroundTransaction(sku: string, goOn: GoOn): Promise<void>;
}

export type Way = keyof Shop;

/** A limit that outlasts every wait in the tests. */
export const WAIT = '20s';
