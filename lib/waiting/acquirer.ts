import type { NodeResult } from '../backend/lock-operations.js';
import type { OwnerId } from '../context/ids.js';
import type { WaitLimit } from '../time/wait-limit.js';
import type { PubSub } from '../backend/lock-backend.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';

/** What is wanted cannot be had just now. */
export interface Busy {
  /** Who has it, where one does. */
  readonly holder?: OwnerId;
  /** Whose turn it is, where nobody has it. */
  readonly next?: OwnerId;
  /** How many permits there are, where it is about permits. */
  readonly available?: number;
  /** Whether it was ever said how many permits there are, where it is about permits. */
  readonly isSet?: boolean;
  /** Milliseconds until that may change although nobody says so; -1 where it never does. */
  readonly remaining: number;
  /** What each of several independent nodes said, where there are such. */
  readonly nodes?: readonly NodeResult[];
}

/** What one try came to. */
export type Result<Got> = { readonly got: Got } | Busy;

/** One try at a time to get what several may want at once. */
export interface AttemptStrategy<Wanted, Got extends object> {
  /**
   * One try. Where its outcome stays unknown, what it may have got is given back in the background.
   * @throws LockUnavailableError, WrongKeyTypeError
   */
  attempt(name: string, wanted: Wanted): Promise<Result<Got>>;
  /** Gives back what nobody wants any more. Goes on in the background where the first try fails. */
  undo(name: string, got: Got): void;
  /**
   * What somebody who wants this has when it is passed on instead of given back; `undefined`: it is to be given back.
   * Absent: nothing is ever passed on.
   */
  transfer?(got: Got, wanted: Wanted): Got | undefined;
  /** What the next in line finds after somebody got something; `undefined`: it may as well try at once. */
  outcomeAfterGrant(got: Got): Busy | undefined;
  /**
   * Whether who wants this may have it although such was found just now; never for who was refused with just that. Absent
   * where what one cannot have, nobody can.
   */
  mayStillSucceed?(wanted: Wanted, found: Busy): boolean;
  /** Whether what one gets is had by everybody who waited when the try began. Absent: no. */
  readonly isShared?: boolean;
  /** Resolves when no try is on its way, and nothing is being given back. */
  settled(): Promise<void>;
}

/** What becomes of something whose holder lets go of it. */
export interface HandOver<Got> {
  /** Passes it to the first in line of this process, without asking the server; false: it is to be given back. */
  handOver(name: string, got: Got): boolean;
  /** It is about to be given back. */
  beforeRelease(name: string): void;
  /** It was given back, or was gone, or may be either; so many clients were told, as far as is known. */
  afterRelease(name: string, heard: number): void;
}

/** Ways to get something: by one try, or by waiting for it. */
export interface Acquirer<Wanted, Got> {
  /**
   * @throws LockConflictError, LockTimeoutError, LockAbortedError, LockShutdownError, LockUnavailableError,
   *   WrongKeyTypeError – with nothing left behind.
   */
  acquire(asked: AcquireContext, wanted: Wanted): Promise<Got>;
  /** Resolves when no try is on its way: what was asked for is granted, refused or given back. */
  settled(): Promise<void>;
  /** How many names somebody here waits for. */
  readonly contended: number;
}

/** What can be told of acquisitions, of whatever kind. */
export type Drainable = Pick<Acquirer<never, unknown>, 'settled' | 'contended'>;

/** The same of several together. */
export const drainAll = (parts: readonly Drainable[]): Drainable => ({
  settled: async () => {
    await Promise.all(parts.map((part) => part.settled()));
  },
  get contended() {
    return parts.reduce((sum, part) => sum + part.contended, 0);
  },
});
/** What was asked for, for the texts of errors. */
export interface AcquireContext {
  /** What it is that is wanted, at the beginning of a sentence: `Lock`. */
  readonly what: string;
  readonly name: string;
  readonly template: string | undefined;
  readonly limit: WaitLimit;
}
/** What all waiting of one connection shares. */
export interface WaitDependencies {
  readonly pubSub: PubSub;
  readonly scheduler: MonotonicScheduler;
  readonly polling: Polling;
  /** How many may wait for the same in this process. */
  readonly maxQueue: number;
}
/** How long a contender sleeps when nothing else wakes it, ms. */
export interface Polling {
  /** While the subscription works: what one lost message may cost. */
  readonly subscribed: number;
  /** While it does not. */
  readonly unsubscribed: number;
}
