/** One wait of a deadlock, for logs and programs. */
export interface DeadlockStep {
  /** The method or interceptor that waits, such as `@Locked Orders.pay`; absent if `LockService` was called. */
  readonly method?: string;
  /** The lock that it holds, by full name, and that the wait before it waits for. */
  readonly holds: string;
  /** The owner by which it holds that lock, as stored in Redis. */
  readonly owner: string;
  /** The lock that it waits for, by full name, which the next one holds; the last one waits for that of the first. */
  readonly waitsFor: string;
}

const stepText = ({ method, holds, owner, waitsFor }: DeadlockStep): string =>
  `${method ?? 'a caller'} holds "${holds}" (${owner}) and waits for "${waitsFor}"`;

/** The waits of a deadlock on one line. */
export const cycleText = (cycle: readonly DeadlockStep[]): string => cycle.map(stepText).join('; ');
