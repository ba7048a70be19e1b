/**
 * Uses of `withLock` and of options of acquisition that must compile or not. Nothing here runs: the check is `npm run
 * typecheck`, where a line after `@ts-expect-error` that compiles is an error.
 */
import {
  type AcquireOptions,
  type FencedLock,
  type Hold,
  type Lock,
  Locked,
  type LockOptions,
  type LockService,
  type WithLockOptions,
} from 'nest-redis-lock';
import type { ConflictContext, KindName } from 'nest-redis-lock/advanced';

declare const locks: LockService;
declare const lock: Lock;
declare const fenced: FencedLock;
declare const kind: KindName;
declare const ours: LockOptions;
declare const acquire: AcquireOptions;
declare const policy: 'throw' | 'skip';
declare const anyPolicy: WithLockOptions;
const count = async (): Promise<number> => 1;

type Same<A, B> = [A, B] extends [B, A] ? true : false;

/** Fails to compile unless the promise is exactly of this type. */
const resolvesWith =
  <T>() =>
  <R>(_promise: Promise<R> & (Same<R, T> extends true ? unknown : never)): void => {};

export const results = (): void => {
  resolvesWith<number>()(locks.withLock('n', count));
  resolvesWith<number>()(locks.withLock('n', { wait: '3s', holdAtLeast: '1s' }, count));
  resolvesWith<number>()(locks.withLock('n', { onConflict: 'throw' }, count));
  resolvesWith<number>()(locks.withLock('n', { onConflict: undefined }, count));
  resolvesWith<number>()(locks.withLock('n', { onConflict: 'replace', fenced: true, wait: '2s' }, count));
  resolvesWith<number>()(locks.withLock('n', ours, count));
  resolvesWith<number>()(locks.withLock<number>('n', { wait: 0 }, count));
  resolvesWith<number | undefined>()(locks.withLock('n', { onConflict: 'skip' }, count));
  resolvesWith<number | undefined>()(locks.withLock('n', { fair: true, onConflict: policy }, count));
  resolvesWith<number | string>()(locks.withLock('n', { onConflict: () => 'busy' }, count));
  resolvesWith<number | string>()(locks.withLock('n', { onConflict: async ({ error }) => error.message }, count));
  resolvesWith<unknown>()(locks.withLock('n', anyPolicy, count));
  resolvesWith<number | undefined>()(locks.withLock('n', { limit: 3, onConflict: 'skip' }, count));
  resolvesWith<number | null>()(
    locks.withLock('n', { limit: 3, onConflict: (_context: ConflictContext) => null }, count),
  );
  resolvesWith<number | undefined>()(lock.withLock({ ...acquire, onConflict: 'skip' }, count));
  resolvesWith<bigint | undefined>()(fenced.withLock({ onConflict: 'skip' }, ({ fence }) => fence));
  resolvesWith<string | undefined>()(locks.getMultiLock('a', 'b').withLock({ onConflict: 'skip' }, ({ name }) => name));
  // @ts-expect-error the call may be skipped
  resolvesWith<number>()(locks.withLock('n', { onConflict: 'skip' }, count));
  // @ts-expect-error no such policy
  void locks.withLock('n', { onConflict: 'wait' }, count);
  // @ts-expect-error the context has no such field
  void locks.withLock('n', { onConflict: ({ nothing }) => nothing }, count);
  // @ts-expect-error the caller of acquire handles the error itself
  void locks.acquire('n', { onConflict: 'skip' });
  // @ts-expect-error tryAcquire resolves with null
  void lock.tryAcquire({ onConflict: 'skip' });
  // @ts-expect-error a hold that the caller releases has no method that ends sooner
  void locks.acquire('n', { holdAtLeast: '1s' });
};

export const kinds = (): void => {
  void locks.acquire('n', { kind });
  void locks.acquire('n', { fair: true, fenced: false });
  void locks.acquire('n', { fair: false, fenced: true });
  void locks.acquire('n', { kind: 'spin', fair: false, fenced: false });
  void locks.acquire('n', { kind: 'nonReentrant', fair: true });
  // @ts-expect-error fair is a flag, since more than one kind may be fair
  void locks.acquire('n', { kind: 'fair' });
  // @ts-expect-error a fair lock has no tokens
  void locks.acquire('n', { fair: true, fenced: true });
  // @ts-expect-error a spin lock has no queue
  void locks.acquire('n', { kind: 'spin', fair: true });
  // @ts-expect-error a non-reentrant lock has no tokens
  void locks.acquire('n', { kind: 'nonReentrant', fenced: true });
  // @ts-expect-error a read-write lock is a kind of its own
  void locks.acquire('n', { kind: 'spin', mode: 'read' });
  // @ts-expect-error only readers and writers have a preference
  void locks.acquire('n', { preference: 'writer' });
};

export const notes = (): void => {
  void locks.acquire('n', { note: 'Anna: price list of May' });
  void locks.withLock('n', { note: 'Anna', limit: 3, onConflict: 'skip' }, count);
  void lock.withLock({ note: 'Anna' }, (hold: Hold) => hold.name);
  void locks.singleFlight('n', { note: 'Anna' }, count);
  // @ts-expect-error a note is text
  void locks.acquire('n', { note: 7 });
  // @ts-expect-error a semaphore has no holders
  void locks.getSemaphore('n').acquire(1, { note: 'Anna' });
};

export const leases = (): void => {
  void locks.acquire('n', { lease: '10s' });
  void locks.acquire('n', { lease: '10s', renew: false });
  void locks.acquire('n', { lease: '10s', renew: true });
  void locks.acquire('n', { lease: '10s', renew: true, maxHold: '10m' });
  void locks.acquire('n', { maxHold: '10m', mode: 'read' });
  void locks.acquire('n', { maxHold: Number.POSITIVE_INFINITY, fair: true });
  void lock.withLock({ maxHold: '10m', holdAtLeast: '1s' }, (hold: Hold) => hold.name);
  void locks.withLock('n', { limit: 3, maxHold: '10m' }, count);
  // @ts-expect-error a lease ends by itself
  void locks.acquire('n', { lease: '10s', maxHold: '10m' });
  // @ts-expect-error a lease that is not renewed ends by itself
  void lock.acquire({ lease: '10s', renew: false, maxHold: '10m' });
  // @ts-expect-error neither renewed nor with an end
  void lock.acquire({ renew: false });
  // @ts-expect-error no such unit
  void lock.acquire({ maxHold: '1d' });
};

interface Charge {
  readonly signal?: AbortSignal;
}

export class Signals {
  @Locked('order:<0>', { signal: (_id: string, signal: AbortSignal) => signal })
  async ofAnArgument(_id: string, _signal: AbortSignal): Promise<void> {}

  @Locked((id: string) => id, { signal: (_id: string, { signal }: Charge) => signal, maxHold: '10m' })
  async ofAProperty(_id: string, _charge: Charge, _note?: string): Promise<void> {}

  @Locked('order:<0>', { signal: () => undefined })
  async none(_id: string): Promise<void> {}

  // @ts-expect-error the parameters need their types
  @Locked('order:<0>', { signal: (_id, signal) => signal })
  async withoutTypes(_id: string, _signal: AbortSignal): Promise<void> {}

  // @ts-expect-error the second argument is a number
  @Locked('order:<0>', { signal: (_id: string, signal: AbortSignal) => signal })
  async otherArgument(_id: string, _count: number): Promise<void> {}

  // @ts-expect-error the method has only one argument
  @Locked((id: string) => id, { signal: (_id: string, signal: AbortSignal) => signal })
  async tooFew(_id: string): Promise<void> {}

  // @ts-expect-error the signal may be missing
  @Locked('order:<0>', { signal: (_id: string, signal: AbortSignal) => signal })
  async optional(_id: string, _signal?: AbortSignal): Promise<void> {}

  // @ts-expect-error a controller is no signal
  @Locked('order:<0>', { signal: (_id: string, controller: AbortController) => controller })
  async controller(_id: string, _controller: AbortController): Promise<void> {}

  // @ts-expect-error permits of a semaphore are not renewed
  @Locked('order:<0>', { permits: 1, maxHold: '10m' })
  async permits(_id: string): Promise<void> {}
}
