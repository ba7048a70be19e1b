import type { PubSub } from '../backend/lock-backend.js';
import { isPassing } from '../errors.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { BackoffSequence } from './backoff.js';
import { WaitQueue } from './wait-queue.js';
import type { Polling } from './pause.js';
import { type AcquireContext, conflict, type LastOutcome, refusal } from './wait-errors.js';
import type { Acquirer, Result, HandOver, AttemptStrategy } from './acquirer.js';

/** What all waiting of one connection shares. */
export interface WaitDependencies {
  readonly wakeUps: PubSub;
  readonly scheduler: MonotonicScheduler;
  readonly polling: Polling;
  /** How many may wait for the same in this process. */
  readonly maxQueue: number;
}

/** A first try. What it holds goes when it is over: tables that a map outgrew may be kept for long. */
interface FirstAttempt<Got> {
  result: Promise<Result<Got>> | undefined;
}

/** By one try, or by waiting in the line of everybody in this process who wants the same. */
export class QueuedAcquirer<Wanted, Got extends object> implements Acquirer<Wanted, Got>, HandOver<Got> {
  private readonly contentions = new Map<string, WaitQueue<Wanted, Got>>();
  /** First tries that are on their way, by those who found nobody before them. */
  private readonly openings = new Map<string, FirstAttempt<Got>>();

  /** @param channelOf Where it is announced that trying again may help; absent where it never is. */
  constructor(
    private readonly tries: AttemptStrategy<Wanted, Got>,
    private readonly waiting: WaitDependencies,
    private readonly channelOf?: (name: string) => string,
  ) {}

  /** @param pace How to pause between two tries where nobody says when. */
  acquire(asked: AcquireContext, wanted: Wanted, pace?: BackoffSequence): Promise<Got> {
    const { name, limit } = asked;
    const { ended } = limit;
    if (ended?.cause === 'aborted') return Promise.reject(refusal(asked, ended, undefined));
    if (ended) return tryOnce(this.tries, asked, wanted);
    const isFirst = !this.contentions.has(name) && !this.openings.has(name);
    const isQuick = isFirst && !limit.isAbortable && !this.tries.isShared;
    return isQuick ? this.open(asked, wanted, pace) : this.contention(name).enter(asked, wanted, pace);
  }

  /** Most find nobody before them, and what is free: only who has to wait pays for what waiting takes. */
  private open(asked: AcquireContext, wanted: Wanted, pace: BackoffSequence | undefined): Promise<Got> {
    const { name, limit } = asked;
    const result = this.tries.try(name, wanted);
    const opening: FirstAttempt<Got> = { result };
    this.openings.set(name, opening);
    const over = (): void => {
      this.openings.delete(name);
      opening.result = undefined;
    };
    const wait = (seen: LastOutcome): Promise<Got> => {
      const { ended } = limit;
      if (ended) throw refusal(asked, ended, seen);
      return this.contention(name).enterFirst(asked, wanted, pace, seen);
    };
    return result.then(
      (found) => {
        over();
        if (!('got' in found)) return wait(found);
        if (!limit.aborted) return found.got;
        this.tries.giveBack(name, found.got);
        return wait(undefined);
      },
      (error: unknown) => {
        over();
        if (!isPassing(error)) throw error;
        return wait(error);
      },
    );
  }

  passOn(name: string, got: Got): boolean {
    return this.contentions.get(name)?.passOn(got) ?? false;
  }

  releasing(name: string): void {
    this.contentions.get(name)?.releasing();
  }

  released(name: string, heard: number): void {
    const contention = this.contentions.get(name);
    if (contention) contention.released(heard);
    else if (heard > 0 && this.channelOf) this.contention(name).yieldTo(heard);
  }

  settled(): Promise<void> {
    return this.tries.settled();
  }

  get contended(): number {
    return this.contentions.size;
  }

  private contention(name: string): WaitQueue<Wanted, Got> {
    let contention = this.contentions.get(name);
    if (!contention) {
      const forget = (): void => {
        // What is over may say so once more when another has taken its place.
        if (this.contentions.get(name) === contention) this.contentions.delete(name);
      };
      const opening = (): Promise<Result<Got>> | undefined => this.openings.get(name)?.result;
      contention = new WaitQueue(name, this.channelOf?.(name), this.tries, this.waiting, forget, opening);
      this.contentions.set(name, contention);
    }
    return contention;
  }
}

/** The one try of somebody who does not wait. */
export const tryOnce = async <Wanted, Got extends object>(
  tries: AttemptStrategy<Wanted, Got>,
  asked: AcquireContext,
  wanted: Wanted,
): Promise<Got> => {
  const { name, limit } = asked;
  const result = await tries.try(name, wanted);
  const { ended } = limit;
  if (ended?.cause === 'aborted') {
    // The signal came while the only try was on its way.
    if ('got' in result) tries.giveBack(name, result.got);
    throw refusal(asked, ended, undefined);
  }
  if ('got' in result) return result.got;
  throw limit.wait === 0 ? conflict(asked, result) : refusal(asked, { cause: 'elapsed' }, result);
};
