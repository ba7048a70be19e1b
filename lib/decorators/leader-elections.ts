import 'reflect-metadata';
import { LeaderElection } from '../coordination/leader-election.js';
import { LockOptionsError } from '../errors.js';
import type { Hold } from '../holds/hold.js';
import { type ConnectionRegistry, namedLock } from '../runtime/connection-registry.js';
import { onAbort } from '../time/abort-listeners.js';
import { formatValue } from '../validation/format-value.js';

const ELECTIONS = Symbol('elections');

type ElectedWork = (signal: AbortSignal, hold: Hold) => unknown;

/** A method that takes part in an election. */
interface ElectedMethod {
  readonly election: string;
  /** Decorator, class and method, for messages. */
  readonly place: string;
  /** Whether it is called when the process is elected. */
  readonly isCalled: boolean;
}

type ElectedMethods = ReadonlyMap<string | symbol, ElectedMethod>;

const methodsOf = (target: object): ElectedMethods =>
  (Reflect.getMetadata(ELECTIONS, target) as ElectedMethods | undefined) ?? new Map();

/** Makes the process a candidate as soon as an application has an instance of the class. */
export const recordElection = (prototype: object, name: string | symbol, method: ElectedMethod): void =>
  Reflect.defineMetadata(ELECTIONS, new Map([...methodsOf(prototype), [name, method]]), prototype);

export const takesPartInElections = (instance: object): boolean => methodsOf(instance).size > 0;

/**
 * For an instance of a class that is made for each request, or for each use.
 * @throws LockOptionsError if its methods take part in an election: there is no one instance that could be elected.
 */
export const refuseElections = (instance: object): void => {
  const [method] = methodsOf(instance).values();
  if (!method) return;
  const why = 'its class, or one that it depends on, is of request or transient scope';
  throw new LockOptionsError(
    `${method.place} cannot take part in an election: ${why}; move it to one of the default scope`,
  );
};

/** The process as a candidate in one election. */
class Candidate {
  private readonly election: LeaderElection;
  private readonly running = new Set<Promise<unknown>>();
  private hold: Hold | undefined;
  private elected: { readonly place: string; readonly run: ElectedWork } | undefined;

  constructor(connections: Pick<ConnectionRegistry, 'get'>, name: string) {
    const lock = namedLock(connections.get(undefined), name, 'plain');
    this.election = new LeaderElection(lock, { onElected: (signal, hold) => this.lead(signal, hold) });
  }

  /** @throws LockOptionsError for a second method: the first one's failure could not stop it. */
  onElected(place: string, run: ElectedWork): void {
    const { elected } = this;
    if (elected) {
      const both = `${elected.place} and ${place} are both for the leader of ${formatValue(this.election.name)}`;
      throw new LockOptionsError(`${both}; call the one from the other, or give them elections of their own`);
    }
    this.elected = { place, run };
  }

  start(): void {
    this.election.start();
  }

  /** Resolves with `undefined` if this process is not the leader. The lock is not released while `work` runs. */
  async runAsLeader(work: () => unknown): Promise<unknown> {
    const { hold } = this;
    if (!hold || !this.election.isLeader) return undefined;
    const running = hold.run(async () => work());
    this.running.add(running);
    try {
      return await running;
    } finally {
      this.running.delete(running);
    }
  }

  private async lead(signal: AbortSignal, hold: Hold): Promise<void> {
    this.hold = hold;
    try {
      await this.elected?.run(signal, hold);
      if (!signal.aborted) await new Promise<void>((resolve) => void onAbort(signal, resolve));
    } finally {
      this.hold = undefined;
      await Promise.allSettled(this.running);
    }
  }
}

/** The elections of `@OnElected` and `@LeaderOnly` in one application: one candidate for each name. */
export class LeaderElections {
  private readonly candidates = new Map<string, Candidate>();

  constructor(private readonly connections: Pick<ConnectionRegistry, 'get'>) {}

  /**
   * Stands in the elections of these instances.
   * @throws LockNameError, LockOptionsError for two methods of one election that are to run when the process is elected.
   */
  stand(instances: Iterable<object>): void {
    for (const instance of instances) {
      for (const [name, { election, place, isCalled }] of methodsOf(instance)) {
        const candidate = this.candidates.get(election) ?? new Candidate(this.connections, election);
        this.candidates.set(election, candidate);
        // By its name: the method may be overridden, and other decorators may be above.
        if (isCalled)
          candidate.onElected(place, (...given) => (Reflect.get(instance, name) as ElectedWork).apply(instance, given));
      }
    }
    for (const candidate of this.candidates.values()) candidate.start();
  }

  /** Resolves with `undefined` if this process is not the leader. */
  async runAsLeader(election: string, work: () => unknown): Promise<unknown> {
    // Reports a class that Nest did not wire.
    this.connections.get(undefined);
    return this.candidates.get(election)?.runAsLeader(work);
  }
}
