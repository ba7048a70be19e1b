import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { concat, defer, delay, finalize, NEVER, Observable, of, throwError } from 'rxjs';

/** Long enough for another call to enter without a lock, even over a socket and on a busy machine. */
const WORK_MS = 25;

/** A call with this argument fails. */
export const FAILING = 13;

/** A call with this argument ends when its consumer stops it. */
export const ENDLESS = 99;

/** One call of a locked method. */
export interface RecordedCall {
  readonly argument: unknown;
  /** The lock it runs under. */
  readonly held: string | undefined;
}

export class SoldOut extends Error {
  override readonly name = 'SoldOut';
}

/** Yields a piece again and again until the consumer stops. */
async function* again(piece: string): AsyncGenerator<string> {
  for (;;) yield sleep(WORK_MS, piece);
}

/**
 * Counts the calls of locked methods that are inside at once. All methods of an application use the same probe. The
 * suite has one of its own, because it is compiled apart from `test/kit`.
 */
@Injectable()
export class ConcurrencyProbe {
  calls: RecordedCall[] = [];
  /** The largest number of calls inside at once. */
  peak = 0;
  /** Entries of methods, guards, interceptors, pipes and filters, in order. */
  journal: string[] = [];
  private inside = 0;
  private readonly registered = new Set<object>();

  constructor(@Inject(LockService) private readonly locks: LockService) {}

  /** The number of instances of classes under test since the last {@link clear}. */
  get instances(): number {
    return this.registered.size;
  }

  get isIdle(): boolean {
    return this.inside === 0;
  }

  /** Registers an instance of a class under test. */
  register(instance: object): void {
    this.registered.add(instance);
  }

  record(entry: string): void {
    this.journal.push(entry);
  }

  clear(): void {
    this.calls = [];
    this.journal = [];
    this.peak = 0;
    this.registered.clear();
  }

  /** Does the work of a method. Resolves with the name of the lock it runs under. */
  async work(argument: unknown): Promise<string> {
    const held = this.enter(argument);
    try {
      await sleep(WORK_MS);
      if (argument === FAILING) throw new SoldOut(`Sold out: ${argument}`);
      return held;
    } finally {
      this.leave();
    }
  }

  /** Does the work of a method as an Observable. */
  observe(argument: unknown): Observable<string> {
    return defer(() => {
      const held = this.enter(argument);
      const last = of(held).pipe(delay(WORK_MS));
      const rest = argument === ENDLESS ? NEVER : argument === FAILING ? throwError(() => new SoldOut()) : last;
      return concat(of(held), rest).pipe(finalize(() => this.leave()));
    });
  }

  /** Does the work of a method as an async iterable. */
  async *iterate(argument: unknown): AsyncGenerator<string> {
    const held = this.enter(argument);
    try {
      yield held;
      if (argument === ENDLESS) yield* again(held);
      await sleep(WORK_MS);
      yield this.locks.currentHold()?.name ?? 'no lock';
    } finally {
      this.leave();
    }
  }

  /**
   * Does the work of a method as pieces that are read after the method has returned. The reader is not the owner, so
   * the backend has to tell whether the lock is still held.
   */
  stream(argument: unknown): AsyncGenerator<string> {
    const held = this.enter(argument);
    return this.pieces(argument, held);
  }

  private async *pieces(argument: unknown, held: string): AsyncGenerator<string> {
    try {
      yield `first of ${String(argument)}, `;
      if (argument === ENDLESS) yield* again('more');
      await sleep(WORK_MS);
      if (!(await this.locks.getLock(held).isLocked())) throw new Error(`${held} is free while its file is sent`);
      yield `last of ${String(argument)}`;
    } finally {
      this.leave();
    }
  }

  enter(argument: unknown): string {
    const held = this.locks.currentHold()?.name;
    this.calls.push({ argument, held });
    this.record(`method: ${held}`);
    this.inside += 1;
    this.peak = Math.max(this.peak, this.inside);
    return held ?? 'no lock';
  }

  leave(): void {
    this.inside -= 1;
  }
}
