/** Where the lock lives. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What a measurement may ask of an adapter beside its usual self. */
export interface Opening {
  /** The library's fair lock. */
  readonly fair?: boolean;
  /** How long a hold lasts that is not renewed, ms, where the library has a watchdog. Default: the library's. */
  readonly watchdogTimeout?: number;
}

export interface Held {
  release(): Promise<unknown>;
}

/** A library with its connections, as one process of an application has it. */
export interface OpenLibrary {
  /**
   * @param wait How long to wait for the lock, ms.
   * @throws When the lock was not to be had in that time.
   */
  acquire(key: string, options: { readonly wait: number }): Promise<Held>;
  /** How many holds it noticed to be lost, where it tells. */
  readonly losses?: () => number;
}

/** How a library gets a lock that somebody else has: not at all, by asking again, or by being told. */
export type Waiting = 'none' | 'polls' | 'told';

export interface AdapterTraits {
  /** As in tables. */
  readonly title: string;
  readonly waiting: Waiting;
  /** It has a lock that is handed out in the order in which it was asked for. */
  readonly hasFairLock: boolean;
  /** A hold that nobody releases is kept alive as it is measured here. */
  readonly renews: boolean;
}

/** A library under test. */
export interface Adapter extends AdapterTraits {
  open(address: Address, opening: Opening): Promise<OpenLibrary>;
}
