import type { ProbeError } from '../backend/probe/findings.js';
import { LockUnavailableError, LockUnsafeError, messageOf } from '../errors.js';
import { describeConnection, type Findings, NodesProbe, probeConnection } from '../backend/probe/probe.js';
import type { LockEvents } from '../events/lock-events.js';
import { titleOf } from '../events/outage.js';
import { runOutsideContexts } from '../context/owner-context.js';
import type { ConnectionSettings } from './options/lock-settings.js';
import { abortablePause } from '../time/abortable-pause.js';
import type { MonotonicScheduler } from '../time/scheduler.js';

/** The way to lock although locks could be lost or granted twice. */
export const ADVICE = ". To lock anyway, set probe: 'warn'";

/**
 * @param advice Added if locks would work with it: not with a replica, nor without the rights.
 * @param others Other reasons, for which no lock would work.
 */
export const unsafe = (
  dangers: readonly ProbeError[],
  advice = '',
  others: readonly string[] = [],
): LockUnsafeError => {
  const reasons = [...dangers.map(({ where, reason, remedy }) => `${where}: ${reason}; ${remedy}`), ...others];
  const helps = dangers.every(({ isUsable }) => isUsable);
  return new LockUnsafeError(`Locks could not be trusted. ${reasons.join('. ')}${helps ? advice : ''}`, {
    details: { reasons },
  });
};

/** The part of Nest's logger that the probe uses. */
interface ProbeLog {
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** The backends that must grant no locks if their servers are unsafe. */
interface ProbeRefusals {
  readonly backend: { refuse(reason: Error): void };
  readonly masters: { refuse(node: string, reason: Error): void } | undefined;
}

/** A server or set of servers to probe. */
interface Target {
  /** Address, without user and password. */
  readonly where: string;
  /** Whether it is one of several voting nodes. */
  readonly isNode: boolean;
  /** @throws LockUnavailableError if it cannot be reached now. */
  look(): Promise<Findings>;
  /** Refuses all requests from now on. */
  refuse(reason: Error): void;
}

/**
 * Result of the probe, on the worst server if there are several. `refused`: locks could not be trusted, so none is
 * granted. `unsafe`: the same, with `probe: 'warn'`, so they are granted. `pending`: not all servers have answered.
 * `off`: there is nothing to probe, or `probe` is false.
 */
export type ProbeVerdict = 'passed' | 'unsafe' | 'refused' | 'pending' | 'off';

/** The worst first. */
const SEVERITY: readonly ProbeVerdict[] = ['refused', 'unsafe', 'pending', 'passed'];

type OnFindings = (target: Target, findings: Findings) => void;

/** Identifies an outage that is logged already: that of the connection, or that of one voting node. */
const outageOf = (isNode: boolean, server: string): string => (isNode ? server : 'the connection');

/** Number of command time-outs that the start of an application waits for; then it continues. */
const PATIENCE = 2;
/** Pause before probing an unreachable server again, ms. */
const PAUSE_MS = 1000;

/**
 * Probes the servers when the application starts, and logs the guarantees that they give. An unreachable server is
 * probed once it can be reached; the outage itself is reported by the connection, as at any other time. A permanent
 * refusal, such as a wrong password, prevents the start.
 */
export class StartupProbe {
  /**
   * The database of whose keys the server of the connection tells each deletion; `undefined`: of none, or that is not known.
   * Another master that Sentinels name later may do otherwise: to listen to one that tells nothing does no harm.
   */
  notifiedDatabase: number | undefined = undefined;
  private readonly stopping = new AbortController();
  private readonly targets: readonly Target[];
  private readonly mode: ConnectionSettings['probe'];
  private readonly patience: number;
  private looks: readonly Promise<void>[] = [];
  /** Of the servers that were probed. */
  private readonly verdicts = new Map<Target, ProbeVerdict>();
  /** Servers already reported as unreachable. */
  private readonly outages = new Set<string>();

  constructor(
    settings: ConnectionSettings,
    refusing: ProbeRefusals,
    events: LockEvents,
    private readonly scheduler: MonotonicScheduler,
  ) {
    events.on((event) => {
      if (event.type === 'unavailable') this.outages.add(outageOf(event.affects === 'its-vote', event.server));
    });
    this.mode = settings.probe;
    this.patience = PATIENCE * settings.commandTimeout;
    this.targets = this.mode === false ? [] : targetsOf(settings, refusing, scheduler, this.stopping.signal);
  }

  /**
   * Resolves when every reachable server has been probed, and after a time limit in any case.
   * @throws LockUnsafeError if locks could not be trusted.
   * @throws LockUnavailableError if a server refuses the connection permanently.
   */
  async run(log: ProbeLog): Promise<void> {
    const start = new Start(log);
    const onFindings: OnFindings = (target, found) => {
      // Without a node that cannot be used, the others decide.
      const dangers = found.dangers.map((danger) => ({ ...danger, isUsable: danger.isUsable || target.isNode }));
      this.verdicts.set(target, this.judge(found));
      if (!target.isNode) this.notifiedDatabase = found.notifiedDatabase;
      if (dangers.length > 0 && this.mode !== 'warn') {
        const error = unsafe(dangers, ADVICE);
        target.refuse(error);
        if (!start.isOver) start.dangers.push(...dangers);
        else log.error(error.message);
        return;
      }
      start.say(() => {
        if (dangers.length > 0) log.warn(unsafe(dangers).message);
        if (dangers.every(({ isUsable }) => isUsable)) report(found, log);
      });
    };
    const first = this.targets.map((target) => runOutsideContexts(() => this.look(target, onFindings)));
    this.looks = runOutsideContexts(() =>
      this.targets.map((target, index) => this.lookAgain(target, first[index], onFindings, start)),
    );
    const problems = (await this.within(this.patience, Promise.all(first))) ?? [];
    for (const [index, problem] of problems.entries()) {
      if (this.mode !== 'refuse' || !isForGood(problem)) continue;
      start.refusals.push({ problem, isNode: this.targets[index]?.isNode === true });
    }
    start.end();
  }

  get verdict(): ProbeVerdict {
    const found = this.targets.map((target) => this.verdicts.get(target) ?? 'pending');
    return SEVERITY.find((verdict) => found.includes(verdict)) ?? 'off';
  }

  /** Stops the probes in progress. */
  async close(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.looks);
  }

  private judge({ dangers }: Findings): ProbeVerdict {
    if (dangers.length === 0) return 'passed';
    return this.mode === 'warn' ? 'unsafe' : 'refused';
  }

  /** Resolves with the error if the probe failed, otherwise with `undefined`. */
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
    start: Start,
  ): Promise<void> {
    let problem = await first;
    if (problem === undefined || this.stopping.signal.aborted) return;
    if (!this.outages.has(outageOf(target.isNode, target.where))) {
      const why = messageOf(problem);
      start.say(() =>
        start.log.warn(`${titleOf(target.where)} could not be checked yet, and will be checked later: ${why}`),
      );
    }
    while (problem !== undefined) {
      await abortablePause(this.scheduler, PAUSE_MS, this.stopping.signal);
      if (this.stopping.signal.aborted) return;
      problem = await this.look(target, onFindings);
    }
  }

  /** Resolves with the result of the work, which never rejects, or with `undefined` after `ms`. */
  private within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      const timer = this.scheduler.schedule(ms, () => resolve(undefined), { keepAlive: true });
      void work.then((result) => {
        timer.cancel();
        resolve(result);
      });
    });
  }
}

/** The start of an application, as decided by one connection. */
class Start {
  isOver = false;
  readonly dangers: ProbeError[] = [];
  readonly refusals: { readonly problem: LockUnavailableError; readonly isNode: boolean }[] = [];
  private readonly lines: (() => void)[] = [];

  constructor(readonly log: ProbeLog) {}

  /** Logs once it is known that the application starts: a failed start must not log that all is well. */
  say(line: () => void): void {
    if (this.isOver) line();
    else this.lines.push(line);
  }

  /** @throws LockUnsafeError or LockUnavailableError if the application must not start. */
  end(): void {
    this.isOver = true;
    const refused = this.refusals.map(({ problem }) => problem.message);
    const advice = this.refusals.every(({ isNode }) => isNode) ? ADVICE : '';
    if (this.dangers.length > 0) throw unsafe(this.dangers, advice, refused);
    const [first] = this.refusals;
    if (first) {
      const { outcome, cause } = first.problem;
      throw new LockUnavailableError(refused.join('. ') + advice, outcome, true, {
        details: { reasons: refused },
        cause,
      });
    }
    for (const line of this.lines) line();
  }
}

/** Whether the error is permanent, so that waiting for the server cannot help. */
const isForGood = (problem: unknown): problem is LockUnavailableError =>
  problem instanceof LockUnavailableError && problem.permanent;

/** Logs one line per connection. */
const report = ({ summary, doubts }: Findings, log: ProbeLog): void => {
  if (doubts.length === 0) log.log(summary);
  else log.warn([summary, ...doubts].join('; '));
};

const targetsOf = (
  { target, redLock, replicas, ...settings }: ConnectionSettings,
  { backend, masters }: ProbeRefusals,
  scheduler: MonotonicScheduler,
  signal: AbortSignal,
): readonly Target[] => {
  const terms = { commandTimeout: settings.commandTimeout, scheduler, signal };
  // Servers dedicated to locks hold no other keys, so they need no prefix.
  const nodes = new NodesProbe({ ...settings, minReplicas: 0, needsDisk: false, isPrefixChosen: true }, terms);
  const targets: Target[] = [...(redLock?.nodes ?? [])].map(([address, server]) => ({
    where: address,
    isNode: true,
    look: () => nodes.probe(server),
    refuse: (reason) => masters?.refuse(address, reason),
  }));
  if (target.kind !== 'redis') return targets;
  const main: Target = {
    where: describeConnection(target.servers),
    isNode: false,
    look: () => {
      const { min = 0, aof = false } = replicas ?? {};
      return probeConnection(target.servers, { ...settings, minReplicas: min, needsDisk: aof }, terms);
    },
    refuse: (reason) => backend.refuse(reason),
  };
  return [main, ...targets];
};
