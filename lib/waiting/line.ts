import type { WakeUps } from '../backend/lock-backend.js';
import { isPassing } from '../errors.js';
import type { SteadyScheduler } from '../time/steady-scheduler.js';
import type { Pace } from './backoff.js';
import { Contention } from './contention.js';
import type { Polling } from './pause.js';
import { type Asked, conflict, type LastSeen, refusal } from './refusal.js';
import type { Acquisitions, Result, Succession, Tries } from './tries.js';

/** What all waiting of one connection shares. */
export interface Waiting {
  readonly wakeUps: WakeUps;
  readonly scheduler: SteadyScheduler;
  readonly polling: Polling;
  /** How many may wait for the same in this process. */
  readonly maxQueue: number;
}

/** By one try, or by waiting in the line of everybody in this process who wants the same. */
export class Line<Wanted, Got extends object> implements Acquisitions<Wanted, Got>, Succession<Got> {
  private readonly contentions = new Map<string, Contention<Wanted, Got>>();
  /** First tries that are on their way, by those who found nobody before them. */
  private readonly openings = new Map<string, Promise<Result<Got>>>();

  /** @param channelOf Where it is announced that trying again may help; absent where it never is. */
  constructor(
    private readonly tries: Tries<Wanted, Got>,
    private readonly waiting: Waiting,
    private readonly channelOf?: (name: string) => string,
  ) {}

  /** @param pace How to pause between two tries where nobody says when. */
  acquire(asked: Asked, wanted: Wanted, pace?: Pace): Promise<Got> {
    const { name, limit } = asked;
    const { ended } = limit;
    if (ended?.cause === 'aborted') return Promise.reject(refusal(asked, ended, undefined));
    if (ended) return tryOnce(this.tries, asked, wanted);
    const isFirst = !this.contentions.has(name) && !this.openings.has(name);
    const isQuick = isFirst && !limit.isAbortable && !this.tries.isShared;
    return isQuick ? this.open(asked, wanted, pace) : this.contention(name).enter(asked, wanted, pace);
  }

  /** Most find nobody before them, and what is free: only who has to wait pays for what waiting takes. */
  private async open(asked: Asked, wanted: Wanted, pace: Pace | undefined): Promise<Got> {
    const { name, limit } = asked;
    const opening = this.tries.try(name, wanted);
    this.openings.set(name, opening);
    let seen: LastSeen;
    try {
      const result = await opening;
      const aborted = limit.ended?.cause === 'aborted' ? limit.ended : undefined;
      if (!('got' in result)) seen = result;
      else if (aborted) this.tries.giveBack(name, result.got);
      else return result.got;
    } catch (error) {
      if (!isPassing(error)) throw error;
      seen = error;
    } finally {
      this.openings.delete(name);
    }
    const { ended } = limit;
    if (ended) throw refusal(asked, ended, seen);
    return this.contention(name).enterFirst(asked, wanted, pace, seen);
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
    else if (heard > 0) this.contention(name).yieldTo(heard);
  }

  settled(): Promise<void> {
    return this.tries.settled();
  }

  get contended(): number {
    return this.contentions.size;
  }

  private contention(name: string): Contention<Wanted, Got> {
    let contention = this.contentions.get(name);
    if (!contention) {
      const forget = (): void => {
        // What is over may say so once more when another has taken its place.
        if (this.contentions.get(name) === contention) this.contentions.delete(name);
      };
      const opening = (): Promise<Result<Got>> | undefined => this.openings.get(name);
      contention = new Contention(name, this.channelOf?.(name), this.tries, this.waiting, forget, opening);
      this.contentions.set(name, contention);
    }
    return contention;
  }
}

/** The one try of somebody who does not wait. */
export const tryOnce = async <Wanted, Got extends object>(
  tries: Tries<Wanted, Got>,
  asked: Asked,
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
