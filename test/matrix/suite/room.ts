import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { concat, defer, delay, finalize, NEVER, Observable, of, throwError } from 'rxjs';

/** Long enough for another visitor to come in if no lock keeps it out, over a socket and on a busy machine. */
const STAY_MS = 25;

/** A visit by this number fails. */
export const UNLUCKY = 13;

/** A visit by this number ends when the visitor is told to go. */
export const ENDLESS = 99;

/** The circumstances of one call of a locked method. */
export interface Visit {
  readonly argument: unknown;
  /** The lock it runs under. */
  readonly held: string | undefined;
}

export class SoldOut extends Error {
  override readonly name = 'SoldOut';
}

/** Yields a piece again and again, until the consumer stops. */
async function* again(piece: string): AsyncGenerator<string> {
  for (;;) yield sleep(STAY_MS, piece);
}

/** The room that all locked methods of an application enter. Counts the visitors that are in it at once. */
@Injectable()
export class Room {
  visits: Visit[] = [];
  /** The largest number of visitors at once. */
  peak = 0;
  /** Entries about what happened beside the methods, in order. */
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

  /** Registers an instance of a class under test. */
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

  /** Visits the room as an Observable. */
  watch(argument: unknown): Observable<string> {
    return defer(() => {
      const held = this.enter(argument);
      const last = of(held).pipe(delay(STAY_MS));
      const rest = argument === ENDLESS ? NEVER : argument === UNLUCKY ? throwError(() => new SoldOut()) : last;
      return concat(of(held), rest).pipe(finalize(() => this.leave()));
    });
  }

  /** Visits the room as an async iterable. */
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
   * Visits the room as pieces that are read after the method has returned. The reader is not the owner, so only the
   * server of locks can tell that the lock is still held.
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
