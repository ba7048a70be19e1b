import type { InspectedKind, InspectedLock } from '../../inspection/inspected-lock.js';

/** The state of all locks at one moment, as the page receives it: values that JSON can represent. */
export interface DashboardSnapshot {
  /** Ms since 1970, on the clock of this process. */
  readonly at: number;
  /** The process that answers. Times and losses are its own. */
  readonly process: { readonly host: string; readonly pid: number };
  readonly groups: readonly ShownGroup[];
  /** Whether there are more locks than `maxLocks`, which are not shown. */
  readonly hasMore: boolean;
  /** The latest first. */
  readonly losses: readonly ShownLoss[];
  /** Why the locks could not be read; `groups` then has none. */
  readonly problem?: string | undefined;
}

/** The locks of one template, and how they were used. */
export interface ShownGroup {
  /** A template such as `order:<0>`, or what names have in common, such as `order:…`. */
  readonly title: string;
  readonly locks: readonly ShownLock[];
  /** Absent if this process has used none of them lately. */
  readonly use?: ShownUse | undefined;
}

export interface ShownLock {
  readonly name: string;
  readonly kind: InspectedKind;
  readonly state: InspectedLock['state'];
  readonly holders: readonly ShownHolder[];
  /** Holders beyond those. */
  readonly moreHolders: number;
  readonly waiting: number;
  /** The first owners that wait, in their order, where there is one. */
  readonly order: readonly string[];
  /** Permits or counts, in words; `undefined` for other kinds. */
  readonly counts?: string | undefined;
  readonly problem?: string | undefined;
}

export interface ShownHolder {
  readonly owner: string;
  readonly mode: string;
  readonly count: number;
  /** Ms until the lease ends; −1: it has no end. */
  readonly remaining: number;
  readonly isThisProcess: boolean;
  /** Record that the holder has made of itself, if it has. */
  readonly host?: string | undefined;
  readonly pid?: number | undefined;
  readonly service?: string | undefined;
  readonly method?: string | undefined;
  readonly traceId?: string | undefined;
  readonly note?: string | undefined;
  /** Ms since 1970. */
  readonly since?: number | undefined;
  /** Ms since 1970, once the work has ended and the lock is kept for `holdAtLeast`. */
  readonly keptUntil?: number | undefined;
}

/** The use that this process made of the locks of a template lately. */
export interface ShownUse {
  readonly acquired: number;
  /** Acquisitions that had to wait. */
  readonly contended: number;
  /** Callers that did not get the lock in time. */
  readonly refused: number;
  /** How long callers waited that got the lock. */
  readonly waited: ShownTimes;
  readonly held: ShownTimes;
}

/** Times of the last minutes, ms. */
export interface ShownTimes {
  readonly average: number;
  readonly longest: number;
  /** The longest time of each period, the oldest first; −1 for a period without any. */
  readonly bars: readonly number[];
}

/** A lock that this process lost, or took from its holder. */
export interface ShownLoss {
  /** Ms since 1970. */
  readonly at: number;
  readonly name: string;
  readonly what: string;
  readonly owner?: string | undefined;
  readonly method?: string | undefined;
}
