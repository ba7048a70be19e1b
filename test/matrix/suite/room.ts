import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { concat, defer, delay, finalize, NEVER, Observable, of, throwError } from 'rxjs';

/** Long enough for whoever is not kept out to come in as well, over a socket and on a busy machine. */
const STAY_MS = 25;

/** A visit by this number fails. */
export const UNLUCKY = 13;

/** A visit by this number ends when the visitor is told to go. */
export const ENDLESS = 99;

/** What a locked method knows when it runs. */
export interface Visit {
  readonly argument: unknown;
  /** The lock it runs under. */
  readonly held: string | undefined;
}

export class SoldOut extends Error {
  override readonly name = 'SoldOut';
}

/** Until nobody asks for more. */
async function* again(piece: string): AsyncGenerator<string> {
  for (;;) yield sleep(STAY_MS, piece);
}

/** Where all locked methods of an application go. Counts who is in it at once. */
@Injectable()
export class Room {
  visits: Visit[] = [];
  /** The largest number of visitors at once. */
  peak = 0;
  /** What happened beside the methods, in order. */
  journal: string[] = [];
  private inside = 0;
  private readonly hosts = new Set<object>();

  constructor(@Inject(LockService) private readonly locks: LockService) {}

  /** How many instances of the class under test there have been. */
  get instances(): number {
    return this.hosts.size;
  }

  get isEmpty(): boolean {
    return this.inside === 0;
  }

  /** Every instance of a class under test is to be seen here. */
  meet(host: object): void {
    this.hosts.add(host);
  }

  note(entry: string): void {
    this.journal.push(entry);
  }

  clear(): void {
    this.visits = [];
    this.journal = [];
    this.peak = 0;
    this.hosts.clear();
  }

  /** The work of a method. Resolves with the name of the lock it runs under. */
  async visit(argument: unknown): Promise<string> {
    const held = this.enter(argument);
    try {
      await sleep(STAY_MS);
      if (argument === UNLUCKY) throw new SoldOut(`Sold out: ${argument}`);
      return held;
    } finally {
      this.leave();
    }
  }

  /** The same, as something that is subscribed to. */
  watch(argument: unknown): Observable<string> {
    return defer(() => {
      const held = this.enter(argument);
      const last = of(held).pipe(delay(STAY_MS));
      const rest = argument === ENDLESS ? NEVER : argument === UNLUCKY ? throwError(() => new SoldOut()) : last;
      return concat(of(held), rest).pipe(finalize(() => this.leave()));
    });
  }

  /** The same, as something that is gone through. */
  async *walk(argument: unknown): AsyncGenerator<string> {
    const held = this.enter(argument);
    try {
      yield held;
      if (argument === ENDLESS) yield* again(held);
      await sleep(STAY_MS);
      yield this.locks.currentHold()?.name ?? 'no lock';
    } finally {
      this.leave();
    }
  }

  /**
   * The same, as something that is read after the method has returned, by whoever reads it: not as the owner, so that
   * only the server of locks can tell that the lock is still held.
   */
  deliver(argument: unknown): AsyncGenerator<string> {
    const held = this.enter(argument);
    return this.pieces(argument, held);
  }

  private async *pieces(argument: unknown, held: string): AsyncGenerator<string> {
    try {
      yield `first of ${String(argument)}, `;
      if (argument === ENDLESS) yield* again('more');
      await sleep(STAY_MS);
      if (!(await this.locks.getLock(held).isLocked())) throw new Error(`${held} is free while its file is sent`);
      yield `last of ${String(argument)}`;
    } finally {
      this.leave();
    }
  }

  enter(argument: unknown): string {
    const held = this.locks.currentHold()?.name;
    this.visits.push({ argument, held });
    this.note(`method: ${held}`);
    this.inside += 1;
    this.peak = Math.max(this.peak, this.inside);
    return held ?? 'no lock';
  }

  leave(): void {
    this.inside -= 1;
  }
}
