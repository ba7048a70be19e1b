/** The server that has the lock. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Options with which a measurement may open an adapter. */
export interface OpenOptions {
  /** The library's fair lock. */
  readonly fair?: boolean;
  /** Lease of a hold that the watchdog renews, ms, if the library has a watchdog. Default: the library's. */
  readonly renewedLease?: number;
  /** Without a server, if the library can do that. Only this one can. */
  readonly inMemory?: boolean;
}

export interface Held {
  release(): Promise<unknown>;
}

/** Ways to run work under a lock by one call. */
export type CallForm = 'withLock' | 'locked' | 'background';

/** One way to run work under a lock. */
export interface LockedCall {
  run(key: string): Promise<unknown>;
  /** Resolves when the release has been confirmed, if `run` does not wait for that. */
  settled?(key: string): Promise<unknown>;
}

/** A library with its connections, as one process of an application has it. */
export interface OpenLibrary {
  /**
   * @param wait How long to wait for the lock, ms.
   * @throws If the lock was not granted in that time.
   */
  acquire(key: string, options: { readonly wait: number }): Promise<Held>;
  /** Calls that lock, work and release, if the library is measured by them as well. */
  readonly calls?: Readonly<Record<CallForm, LockedCall>>;
  /** The number of lost holds that the library noticed, if it reports them. */
  readonly losses?: () => number;
}

/** The way in which a library waits for a held lock: not at all, by polling, or until it is told of the release. */
export type Waiting = 'none' | 'polls' | 'told';

export interface AdapterTraits {
  /** The name in tables. */
  readonly title: string;
  readonly waiting: Waiting;
  /** Whether the library has a lock that is granted in the order of the requests. */
  readonly hasFairLock: boolean;
  /** Whether the library, as it is measured here, keeps a hold alive until its release. */
  readonly renews: boolean;
  /** Commands that it sends beside scripts, and that none of its scripts calls, in lower case. */
  readonly plainCommands?: readonly string[];
  /** Measured only if it is named on the command line. */
  readonly when?: 'named';
}

/** A library under test. */
export interface Adapter extends AdapterTraits {
  open(address: Address, options: OpenOptions): Promise<OpenLibrary>;
}
