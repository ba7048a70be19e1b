import { type Duration, MAX_DURATION, parseDuration } from '../../time/duration.js';
import { invalidOption, namesOf, parseFlag, parseOptions } from '../../validation/options.js';
import { Inject, Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { DEFAULT_CONNECTION_NAME, refused } from '../../locks/options/connection-choice.js';
import type { LockSettings } from '../../module/options/lock-settings.js';
import { LOCK_CONNECTIONS, LOCK_SETTINGS } from '../../module/redis-lock.constants.js';
import type { OwnedRuntime } from '../../module/runtime.factory.js';
import type { ConnectionRegistry } from '../../runtime/connection-registry.js';
import { formatValue } from '../../validation/format-value.js';
import { checkConnection, type ConnectionHealth, type LockHealthState, LossCounter } from './connection-health.js';

/** Options of a health check of locks. */
export interface LockHealthOptions {
  /** Names of the connections to check; `default` is the one without a name. Default: all. */
  readonly connections?: readonly string[] | undefined;
  /** How long a server may take to answer, in ms or such as `'500ms'`. Default: the module's `commandTimeout`. */
  readonly timeout?: Duration | undefined;
  /**
   * How late the watchdog may renew before locks count as degraded, in ms or such as `'5s'`. Default: a third of the
   * module's `renewedLease`; holds are lost at two thirds.
   */
  readonly maxLag?: Duration | undefined;
  /** Whether degraded locks are reported as `down`, such as for an alert; not for a readiness probe. Default: false. */
  readonly degradedIsDown?: boolean | undefined;
}

/** The checked options, with `undefined` for what the module decides. */
interface LockHealthTerms {
  readonly connections: readonly string[] | undefined;
  readonly timeout: number | undefined;
  readonly maxLag: number | undefined;
  readonly degradedIsDown: boolean;
}

const OPTIONS = namesOf<LockHealthOptions>()('connections', 'timeout', 'maxLag', 'degradedIsDown');

/** @throws LockOptionsError that names option and value. */
const parseHealthOptions = (options: unknown): LockHealthTerms => {
  const given = parseOptions(options, OPTIONS, { of: 'isHealthy' });
  return {
    connections: parseNames(given.connections),
    timeout: parseMilliseconds(given.timeout, 'timeout'),
    maxLag: parseMilliseconds(given.maxLag, 'maxLag'),
    degradedIsDown: parseFlag(given.degradedIsDown, 'degradedIsDown'),
  };
};

const parseMilliseconds = (value: unknown, option: string): number | undefined =>
  value === undefined ? undefined : parseDuration(value, option, { min: 1, max: MAX_DURATION });

const parseNames = (names: unknown): readonly string[] | undefined => {
  if (names === undefined) return undefined;
  if (Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === 'string')) return names;
  throw invalidOption('connections', names, "a list of names, such as ['billing']");
};

/** The worst first. */
const STATES: readonly LockHealthState[] = ['down', 'degraded', 'up'];

/** Terminus 11 knows only up and down. */
const knowsDegraded = (session: object): boolean => 'degraded' in session;

interface CheckedConnection {
  readonly runtime: OwnedRuntime;
  readonly losses: LossCounter;
}

/**
 * Tells `@nestjs/terminus` whether this process can acquire locks. Provide it in a module that imports `TerminusModule`.
 *
 * @example
 * @Get('ready')
 * @HealthCheck()
 * ready() {
 *   return this.health.check([() => this.locks.isHealthy('locks')]);
 * }
 */
@Injectable()
export class LockHealthIndicator {
  /** By name, each connection that can have locks. */
  private readonly connections: ReadonlyMap<string, CheckedConnection>;

  /** Created by Nest. */
  constructor(...services: [never, never, never]);
  /** @internal */
  constructor(
    registry: ConnectionRegistry<OwnedRuntime>,
    settings: Pick<LockSettings, 'commandTimeout'>,
    indicators: HealthIndicatorService,
  );
  constructor(
    @Inject(LOCK_CONNECTIONS) { base, byName }: ConnectionRegistry<OwnedRuntime>,
    @Inject(LOCK_SETTINGS) private readonly settings: Pick<LockSettings, 'commandTimeout'>,
    @Inject(HealthIndicatorService) private readonly indicators: HealthIndicatorService,
  ) {
    const hasName = [...byName.values()].includes(base);
    const all =
      hasName || base.quorum === undefined ? [...byName] : [[DEFAULT_CONNECTION_NAME, base] as const, ...byName];
    this.connections = new Map(
      all.map(([name, runtime]) => [name, { runtime, losses: new LossCounter(runtime.events, runtime.scheduler) }]),
    );
  }

  /**
   * Asks every server of every connection whether it answers. `down` if no lock can be acquired on one of the connections,
   * because its servers do not answer or the start-up probe has refused them, and from the moment when the shutdown of
   * the application begins. `degraded` (with Terminus 11: `up`) if something else needs attention: `problems` says what.
   * The result names servers, but no lock and no owner.
   * @param key The name of this check in the result, such as `locks`.
   * @throws LockOptionsError
   */
  async isHealthy<const Key extends string>(
    key: Key,
    options?: LockHealthOptions,
  ): Promise<HealthIndicatorResult<Key>> {
    const {
      connections: names,
      timeout = this.settings.commandTimeout,
      maxLag,
      degradedIsDown,
    } = parseHealthOptions(options);
    const chosen = names?.map((name) => [name, this.named(name)] as const) ?? [...this.connections];
    const session = this.indicators.check(key);
    const isDraining = (): boolean => chosen.some(([, { runtime }]) => runtime.shutdown.aborted);
    const draining = { problems: ['The application is shutting down; no more locks are granted'] };
    if (isDraining()) return session.down(draining);
    const checks = chosen.map(async ([name, { runtime, losses }]) => {
      return [name, await checkConnection(runtime, losses, timeout, maxLag)] as const;
    });
    const checked = await Promise.all(checks);
    // The shutdown may have begun meanwhile.
    if (isDraining()) return session.down(draining);
    const details = { problems: problemsOf(checked), connections: Object.fromEntries(checked) };
    const state = STATES.find((each) => checked.some(([, found]) => found.state === each)) ?? 'up';
    if (state === 'down' || (state === 'degraded' && degradedIsDown)) return session.down(details);
    return state === 'degraded' && knowsDegraded(session) ? session.degraded(details) : session.up(details);
  }

  private named(name: string): CheckedConnection {
    const known = this.connections.get(name);
    if (known) return known;
    throw refused([...this.connections.keys()].map((each) => formatValue(each)).join(' or '), name);
  }
}

/** With the name of the connection, if there are several. */
const problemsOf = (checked: readonly (readonly [name: string, ConnectionHealth])[]): readonly string[] =>
  checked.flatMap(([name, { problems }]) =>
    problems.map((problem) => (checked.length > 1 ? `Connection "${name}": ${problem}` : problem)),
  );
