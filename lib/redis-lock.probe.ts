import type { Danger } from './backend/redis/probe/dangers.js';
import { describeConnection, type Findings, NodesProbe, probeConnection } from './backend/redis/probe/probe.js';
import { LockUnsafeError } from './errors.js';
import { describe } from './input/describe.js';
import { runOutsideRegions } from './scope/current-region.js';
import type { ConnectionSettings } from './redis-lock.settings.js';
import { onAbort } from './time/on-abort.js';
import type { SteadyScheduler } from './time/steady-scheduler.js';

/** The little of Nest's logger that is used. */
export interface ProbeLog {
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Who is to grant nothing where it would not be safe. */
export interface Refusing {
  readonly backend: { refuse(reason: Error): void };
  readonly masters: { refuse(node: string, reason: Error): void } | undefined;
}

/** A connection to be looked at. */
interface Target {
  /** Where it leads, without user and password. */
  readonly where: string;
  /** @throws LockUnavailableError where it cannot be reached now. */
  look(): Promise<Findings>;
  /** Refuses everything there from now on. */
  refuse(reason: Error): void;
}

type OnFindings = (target: Target, findings: Findings) => void;

/** The start of an application waits for so many command time-outs, and goes on then. */
const PATIENCE = 2;
/** Between two looks at what could not be reached, ms. */
const PAUSE_MS = 1000;

/**
 * Looks at the servers when the application starts, and says what is guaranteed there. What cannot be reached then is
 * looked at as soon as it can.
 */
export class StartUpProbe {
  private readonly stopping = new AbortController();
  private readonly targets: readonly Target[];
  private readonly mode: ConnectionSettings['probe'];
  private readonly patience: number;
  private looks: readonly Promise<void>[] = [];

  constructor(
    settings: ConnectionSettings,
    refusing: Refusing,
    private readonly scheduler: SteadyScheduler,
  ) {
    this.mode = settings.probe;
    this.patience = PATIENCE * settings.commandTimeout;
    this.targets = this.mode === false ? [] : targetsOf(settings, refusing, scheduler, this.stopping.signal);
  }

  /**
   * Resolves when everything was looked at that can be reached, and soon in any case.
   * @throws LockUnsafeError
   */
  async run(log: ProbeLog): Promise<void> {
    const dangers: Danger[] = [];
    let isStarting = true;
    const onFindings: OnFindings = (target, found) => {
      report(found, log);
      if (found.dangers.length === 0) return;
      const error = unsafe(found.dangers);
      if (this.mode === 'warn') return log.warn(error.message);
      target.refuse(error);
      if (isStarting) dangers.push(...found.dangers);
      else log.error(error.message);
    };
    const first = this.targets.map((target) => runOutsideRegions(() => this.look(target, onFindings)));
    this.looks = this.targets.map((target, index) => this.lookAgain(target, first[index], onFindings, log));
    await this.within(this.patience, Promise.all(first));
    isStarting = false;
    if (dangers.length > 0) throw unsafe(dangers);
  }

  /** Ends what is still under way. */
  async close(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.looks);
  }

  /** Resolves with why it was not seen, if it was not. */
  private async look(target: Target, onFindings: OnFindings): Promise<unknown> {
    try {
      const findings = await target.look();
      if (!this.stopping.signal.aborted) onFindings(target, findings);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  private async lookAgain(
    target: Target,
    first: Promise<unknown> | undefined,
    onFindings: OnFindings,
    log: ProbeLog,
  ): Promise<void> {
    let problem = await first;
    if (problem === undefined || this.stopping.signal.aborted) return;
    const why = problem instanceof Error ? problem.message : describe(problem);
    log.warn(`What is guaranteed on ${target.where} will be known when it can be asked: ${why}`);
    while (problem !== undefined) {
      await this.pause(PAUSE_MS);
      if (this.stopping.signal.aborted) return;
      problem = await this.look(target, onFindings);
    }
  }

  /** Resolves with the work, which never rejects, or without it after `ms`. */
  private within(ms: number, work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.scheduler.schedule(ms, resolve, { keepAlive: true });
      void work.then(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  private pause(ms: number): Promise<void> {
    const { signal } = this.stopping;
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel();
        unlisten();
        resolve();
      };
      const timer = this.scheduler.schedule(ms, done);
      const unlisten = onAbort(signal, done);
    });
  }
}

/** One line for each connection. */
const report = ({ summary, doubts }: Findings, log: ProbeLog): void => {
  if (doubts.length === 0) log.log(summary);
  else log.warn([summary, ...doubts].join('; '));
};

const unsafe = (dangers: readonly Danger[]): LockUnsafeError => {
  const reasons = dangers.map(({ where, reason, remedy }) => `${where}: ${reason}; ${remedy}`);
  return new LockUnsafeError(
    `Locks could not be trusted. ${reasons.join('. ')}. To lock all the same give probe: 'warn'`,
    { details: { reasons } },
  );
};

const targetsOf = (
  { connection, absent, redlock, replicas, ...settings }: ConnectionSettings,
  { backend, masters }: Refusing,
  scheduler: SteadyScheduler,
  signal: AbortSignal,
): readonly Target[] => {
  const terms = { commandTimeout: settings.commandTimeout, scheduler, signal };
  // Servers that are there for locks have no other keys.
  const nodes = new NodesProbe({ ...settings, minReplicas: 0, isPrefixChosen: true }, terms);
  const targets: Target[] = [...(redlock?.nodes ?? [])].map(([address, input]) => ({
    where: address,
    look: () => nodes.probe(input),
    refuse: (reason) => masters?.refuse(address, reason),
  }));
  if (connection === undefined || absent !== undefined) return targets;
  const main: Target = {
    where: describeConnection(connection),
    look: () => probeConnection(connection, { ...settings, minReplicas: replicas?.min ?? 0 }, terms),
    refuse: (reason) => backend.refuse(reason),
  };
  return [main, ...targets];
};
