import { formatValue } from '../validation/format-value.js';
import { type Side, type TestClient, TestConnection } from './test-connection.js';
import { LockConflictError, LockOptionsError } from '../errors.js';
import type { InjectionToken } from '@nestjs/common';
import { runOutsideContexts } from '../context/owner-context.js';
import { LockedExecutor } from '../decorators/locked.executor.js';
import type { Grant } from '../holds/grant.js';
import type { Hold } from '../holds/hold.js';
import { LockService } from '../lock.service.js';
import { fullName } from '../keys/redisson-keys.js';
import { DEFAULT_CONNECTION_NAME } from '../locks/options/connection-choice.js';
import type { LockOptions } from '../locks/options/lock.options.js';
import type { LockSettings } from '../module/options/lock-settings.js';
import type { RedisLockOptions } from '../module/options/redis-lock.options.js';
import { LOCK_CONNECTIONS, LOCK_OPTIONS, LOCK_SETTINGS } from '../module/redis-lock.constants.js';
import { createConnections, type OwnedRuntime } from '../module/runtime.factory.js';
import type { ConnectionRegistry } from '../runtime/connection-registry.js';
import { type Duration, MAX_DURATION, parseDuration } from '../time/duration.js';
import type { Scheduler } from '../time/scheduler.js';
import { invalidOption } from '../validation/options.js';
import { type LockTestingOptions, parseTestingOptions, settingsInMemory } from './lock-testing.options.js';
import { ManualClock, promptClock, settle } from './manual-clock.js';
import { type LockedCallRecord, RecordingExecutor } from './recording-executor.js';

/** A hold in a test, of a lock or of a permit with an id. */
export interface TestHolder {
  /** Without the prefix of the connection. */
  readonly name: string;
  readonly side: Side;
  readonly connection: string;
  /** The kind: plain, fair, spin and fenced locks are all `exclusive`. */
  readonly kind: 'exclusive' | 'read' | 'write' | 'quorum' | 'group' | 'limit' | 'permit';
  /** The owner id, or the id of the permit. */
  readonly owner: string;
  /** The method that acquired it: `@Locked OrderService.pay`. `undefined`: code that called `LockService`. */
  readonly method: string | undefined;
}

/** An acquisition that waits in a test. */
export interface TestWaiter {
  /** Without the prefix of the connection. */
  readonly name: string;
  readonly side: Side;
  readonly connection: string;
  /** Word for the kind that it waits for, as in error messages: `Lock`, `Semaphore`. */
  readonly what: string;
}

const shown = ({ name, kind, method }: TestHolder): string =>
  `${formatValue(name)} (${kind}${method === undefined ? '' : `, ${method}`})`;

const held = (holder: TestHolder): string => `holds ${shown(holder)}`;

const waited = ({ name }: TestWaiter): string => `waits for ${formatValue(name)}`;

/** The application still holds locks, or waits for some, where a test expected neither. */
export class LeakedLocksError extends Error {
  override readonly name = 'LeakedLocksError';

  constructor(
    readonly holders: readonly TestHolder[],
    readonly waiters: readonly TestWaiter[],
  ) {
    const found = [...holders.map(held), ...waiters.map(waited)].join('; ');
    super(`The application still ${found}. Await the work that holds it, and release every hold`);
  }
}

/** Code of the application has fenced locks, and does not use their tokens. */
export class UnreadFencesError extends Error {
  override readonly name = 'UnreadFencesError';

  constructor(readonly holders: readonly TestHolder[]) {
    super(
      `The application acquired ${holders.map(shown).join('; ')}, and no code asked for hold.fence. Only what is written with the token is protected from a stale holder: pass it on, or acquire the lock without fenced`,
    );
  }
}

/** The name as the application calls it. */
const shortName = (name: string, { runtime }: TestClient): string => {
  const { keyPrefix } = runtime.defaults;
  return name.startsWith(keyPrefix) ? name.slice(keyPrefix.length) : name;
};

const holderOf = ({ name, owner, method, kind }: Grant, client: TestClient): TestHolder => {
  const { side, connection } = client;
  return { name: shortName(name, client), side, connection, kind: kind.family, owner, method };
};

/** The holds of a client that its backend confirms. */
export const holdersOf = async (client: TestClient): Promise<readonly TestHolder[]> => {
  const { side, connection, runtime } = client;
  const locks = [...runtime.grants].map(async (grant) => {
    const { count } = await grant.operations.inspect(grant.name, grant.owner);
    return count > 0 ? [holderOf(grant, client)] : [];
  });
  const permits = [...runtime.permitsOut]
    .filter(({ isHeld }) => isHeld)
    .map(({ name, id }): TestHolder => {
      const kind = 'permit';
      return { name: shortName(name, client), side, connection, kind, owner: id, method: undefined };
    });
  return [...(await Promise.all(locks)).flat(), ...permits];
};

/** The acquisitions of a client that wait. */
const waitersOf = (client: TestClient): readonly TestWaiter[] => {
  const { side, connection, pending } = client;
  return [...pending].map(({ name, what }) => ({ name: shortName(name, client), side, connection, what }));
};

const kits = new WeakMap<object, object>();

/**
 * Notes that an application, its connections or its builder have the locks of this kit.
 * @throws LockOptionsError if they have those of another one, which would see no lock: holders, waiters and clock would
 *   be those of nothing.
 */
export const claim = (owned: object, kit: object): void => {
  const other = kits.get(owned);
  if (other === undefined) kits.set(owned, kit);
  else if (other !== kit)
    throw new LockOptionsError(
      'two LockTesting were given for one application, and one of them would see none of its locks; give one',
    );
};

/** The part of Nest's `TestingModuleBuilder` that replaces providers. */
export interface ProviderOverrides {
  overrideProvider(token: unknown): {
    useFactory(options: { factory: (...given: never[]) => unknown; inject: unknown[] }): unknown;
  };
}

/** A provider that takes the place of one of the module. */
export interface LockTestingProvider {
  readonly provide: InjectionToken;
  readonly inject: unknown[];
  readonly useFactory: (...given: never[]) => unknown;
}

/**
 * The locks of a test: in memory, on a clock that only the test advances. Injected from `LockTestingModule`, or created
 * before the application and put in place of its locks by {@link override}.
 *
 * @example
 * const testing = new LockTesting();
 * const app = await testing.override(Test.createTestingModule({ imports: [AppModule] })).compile();
 */
export class LockTesting {
  /** The clock of the locks. */
  readonly clock: Scheduler;
  private readonly connections = new Map<string, TestConnection>();
  private readonly clients: TestClient[] = [];
  private readonly calls: LockedCallRecord[] = [];
  /** For each application another process, with the settings of that application. */
  private readonly others: ConnectionRegistry<OwnedRuntime>[] = [];
  private failing = 0;

  /** @throws LockOptionsError */
  constructor(options?: LockTestingOptions) {
    this.clock = parseTestingOptions(options).clock;
  }

  /** The providers that take the place of those of `RedisLockModule`. */
  get providers(): readonly LockTestingProvider[] {
    return [
      {
        provide: LOCK_SETTINGS,
        inject: [LOCK_OPTIONS],
        useFactory: (given: RedisLockOptions) => settingsInMemory(given),
      },
      {
        provide: LOCK_CONNECTIONS,
        inject: [LOCK_SETTINGS],
        useFactory: (settings: LockSettings) => this.connect(settings),
      },
      {
        provide: LockedExecutor,
        inject: [LOCK_CONNECTIONS],
        useFactory: (given: ConnectionRegistry) => new RecordingExecutor(given, (call) => this.calls.push(call)),
      },
    ];
  }

  /**
   * Puts these locks in place of those of an application, for `LockService` and for every decorator. The application's
   * own options still apply, except those about servers.
   * @param builder Nest's `Test.createTestingModule({ imports: [AppModule] })`.
   * @throws LockOptionsError if another `LockTesting` has been put there.
   */
  override<B extends ProviderOverrides>(builder: B): B {
    claim(builder, this);
    for (const { provide, inject, useFactory } of this.providers) {
      builder.overrideProvider(provide).useFactory({ factory: useFactory, inject });
    }
    return builder;
  }

  /**
   * Holds a lock as another process would: by default renewed until its release, and with a `lease` until that ends, as
   * of a process that died. The name gets the key prefix of the applications.
   * @param options As for `locks.tryAcquire`: makes one attempt, unless `wait` is given.
   * @throws LockConflictError if the lock is held already; LockOptionsError if applications with different key prefixes use
   *   the connection.
   */
  async holdElsewhere(name: string, options?: LockOptions): Promise<Hold> {
    const other = this.elsewhere(options);
    const hold = await runOutsideContexts(() => other.tryAcquire(name, options));
    if (hold) return hold;
    const [holder] = (await this.holders()).filter((each) => each.name === name);
    const by = holder ? ` by the ${holder.side === 'application' ? 'application' : 'other process'}` : '';
    throw new LockConflictError(`holdElsewhere(${formatValue(name)}): the lock is held already${by}`, {
      lockName: name,
    });
  }

  /**
   * Takes a lock away from the application, as if its lease had ended on the server: the signal of the hold aborts with
   * `LockLostError`, and the next waiter gets the lock.
   * @param connection Default: the default one.
   * @throws LockOptionsError if the application does not hold it; LockNameError
   */
  async loseLock(name: string, connection: string = DEFAULT_CONNECTION_NAME): Promise<void> {
    await settle();
    const clients = this.clients.filter((each) => each.side === 'application' && each.connection === connection);
    if (clients.length === 0) throw this.unused('loseLock', connection);
    const taken = clients.flatMap(({ runtime: { grants, defaults } }) => {
      const full = fullName(name, defaults);
      return [...grants].filter((grant) => grant.name === full && !grant.isLost);
    });
    if (taken.length === 0) throw this.notHeld(name);
    for (const grant of taken) {
      // While a command of the hold is in flight, it is not verified; that command may also be executed after a release.
      do {
        await grant.operations.release({ name: grant.name, owner: grant.owner, lease: 0 });
        await grant.verify();
        await settle();
      } while (grant.isJoinable && !grant.isLost);
    }
  }

  /**
   * Fails the next renewals that the watchdog of the application sends. It retries them, so a hold is lost only if they
   * fail until its lease is over.
   * @param times Default: 1. `Infinity`: all.
   * @throws LockOptionsError
   */
  failNextRenewal(times = 1): void {
    const isCount = Number.isSafeInteger(times) || times === Number.POSITIVE_INFINITY;
    if (!isCount || times < 0) throw invalidOption('times', times, 'a whole number from 0, or Infinity');
    this.failing = times;
  }

  /**
   * Advances the manual clock, and resolves when all that became due has happened.
   * @param duration Milliseconds, or such as `'10s'`.
   * @throws LockOptionsError for a value that is no duration, and with another clock than the manual one.
   */
  async advance(duration: Duration): Promise<void> {
    const ms = parseDuration(duration, 'duration', { min: 0, max: MAX_DURATION });
    if (!(this.clock instanceof ManualClock)) {
      throw new LockOptionsError(
        'advance() moves the manual clock only, and this LockTesting was created with another clock: advance that one',
        { details: { option: 'clock' } },
      );
    }
    await this.clock.advance(ms);
  }

  /** The holds that the server has, of the application and of other processes. */
  async holders(): Promise<readonly TestHolder[]> {
    await settle();
    return (await Promise.all(this.clients.map(holdersOf))).flat();
  }

  /** The acquisitions that wait, in order of arrival on each connection. */
  async waiters(): Promise<readonly TestWaiter[]> {
    await settle();
    return this.clients.flatMap(waitersOf);
  }

  /** @throws LeakedLocksError if the application holds a lock or waits for one. */
  async expectNoLeakedLocks(): Promise<void> {
    const isOwn = ({ side }: { readonly side: Side }): boolean => side === 'application';
    const holders = (await this.holders()).filter(isOwn);
    const waiters = (await this.waiters()).filter(isOwn);
    if (holders.length > 0 || waiters.length > 0) throw new LeakedLocksError(holders, waiters);
  }

  /**
   * For applications that write with fencing tokens.
   * @throws UnreadFencesError if the application acquired a fenced lock, and no code has asked for its `hold.fence`. Locks of
   *   chosen owners are not looked at.
   */
  expectFencesRead(): void {
    const unread = this.clients
      .filter(({ side }) => side === 'application')
      .flatMap((client) => [...client.unreadFences].map((grant) => holderOf(grant, client)));
    if (unread.length > 0) throw new UnreadFencesError(unread);
  }

  /** The calls of decorated methods and handlers that asked for locks so far, with the names they asked for. */
  lockedCalls(): readonly LockedCallRecord[] {
    return [...this.calls];
  }

  private connect(settings: LockSettings): ConnectionRegistry<OwnedRuntime> {
    const renews = (): boolean => this.failing > 0 && this.failing-- > 0;
    this.others.push(this.clientsOf(settings, 'elsewhere', () => false));
    const application = this.clientsOf(settings, 'application', renews);
    claim(application, this);
    return application;
  }

  /** The locks of the process that holds what these options of `holdElsewhere()` ask for. */
  private elsewhere(options: LockOptions | undefined): LockService {
    const connection = options?.connection ?? DEFAULT_CONNECTION_NAME;
    const known = this.others.filter(({ byName }) => byName.has(connection));
    // An unknown connection is refused when it is used.
    const other = known[0] ?? this.others[0];
    if (!other) throw this.unused('holdElsewhere');
    const prefixes = [...new Set(known.map((each) => each.named(connection).defaults.keyPrefix))];
    if (prefixes.length > 1) throw prefixesDiffer(connection, prefixes);
    return new LockService(other.base, other);
  }

  private clientsOf(settings: LockSettings, side: Side, isFailing: () => boolean): ConnectionRegistry<OwnedRuntime> {
    return createConnections(settings, this.clock, (ofConnection, _, name) => {
      const connection = this.connections.get(name) ?? new TestConnection(name, promptClock(this.clock));
      this.connections.set(name, connection);
      const client = connection.open(side, ofConnection, isFailing);
      this.clients.push(client);
      return client.runtime;
    });
  }

  private notHeld(name: string): LockOptionsError {
    return new LockOptionsError(`loseLock(${formatValue(name)}): the application does not hold this lock`, {
      lockName: name,
      details: { value: name },
    });
  }

  private unused(call: string, connection = DEFAULT_CONNECTION_NAME): LockOptionsError {
    return new LockOptionsError(
      `${call}() needs an application with the connection ${formatValue(connection)}: compile one with LockTestingModule.forRoot(), or with override()`,
      { details: { connection } },
    );
  }
}

const prefixesDiffer = (connection: string, prefixes: readonly string[]): LockOptionsError =>
  new LockOptionsError(
    `holdElsewhere() holds a lock under one key, and the applications use ${prefixes.map((each) => formatValue(each)).join(' and ')} as keyPrefix of the connection ${formatValue(connection)}: create a LockTesting for each`,
    { details: { option: 'keyPrefix', connection } },
  );
