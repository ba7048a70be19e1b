import {
  type BeforeApplicationShutdown,
  Inject,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { ConnectionRegistry } from '../runtime/connection-registry.js';
import { type LoggerOf, named, openConnections } from './open-connections.js';
import type { OwnedRuntime } from './runtime.factory.js';
import { ShutdownDrain } from './shutdown-drain.js';
import { DiscoveryService, ModuleRef, ModulesContainer } from '@nestjs/core';
import { adopt, executorIn } from '../decorators/instance-wiring.js';
import { isFunction, type LockedMethodInfo, lockedMethodsOf } from '../decorators/decorated-method.js';
import { refuseElections, takesPartInElections } from '../decorators/leader-elections.js';
import { LockedExecutor } from '../decorators/locked.executor.js';
import { LockNotWiredError, LockOptionsError } from '../errors.js';
import type { LockSettings } from './options/lock-settings.js';
import { LOCK_CONNECTIONS, LOCK_SETTINGS } from './redis-lock.constants.js';

type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];

const loggerOf: LoggerOf = (connection) => new Logger(named('RedisLockModule', connection));

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Wires instances from useFactory and useValue: Nest injects no properties into them. */
class ForeignInstances {
  constructor(
    private readonly executor: LockedExecutor,
    private readonly moduleRef: Pick<ModuleRef, 'get'>,
  ) {}

  /** @throws LockNotWiredError for an instance that needs a module which the application does not import. */
  wireAll(providers: readonly ProviderWrapper[]): void {
    for (const provider of providers) {
      if (!provider.isNotMetatype) continue;
      const transient: readonly unknown[] = provider.getStaticTransientInstances().map((host) => host?.instance);
      for (const instance of [provider.instance, ...transient]) this.wire(instance);
      this.wireLater(provider);
    }
  }

  /** Of request scope, instances are made for each request, and others when they are asked for. */
  private wireLater(provider: ProviderWrapper): void {
    const factory: unknown = provider.metatype;
    if (!isFunction(factory)) return;
    provider.metatype = (...dependencies: unknown[]): unknown => {
      const made = factory(...dependencies);
      return made instanceof Promise ? made.then((instance) => this.wire(instance)) : this.wire(made);
    };
  }

  private wire<T>(instance: T): T {
    if (isObject(instance)) {
      adopt(instance, (token, description) =>
        token === LockedExecutor ? this.executor : this.find(token, description, instance),
      );
    }
    return instance;
  }

  private find(token: Parameters<ModuleRef['get']>[0], description: string, { constructor }: object): unknown {
    try {
      return this.moduleRef.get<unknown>(token, { strict: false });
    } catch (cause) {
      throw new LockNotWiredError(
        `${constructor.name}, an instance from useFactory or useValue, needs ${description}`,
        { cause },
      );
    }
  }
}

/**
 * Starts and stops the module with the application. At shutdown, new acquisitions are refused and waiters rejected at
 * once, while Nest lets running requests finish; holders get most of the shutdown time-out, then their signals abort.
 * Locks that are still held after that are never released under running code: their leases expire. The library's own
 * connections close last.
 */
export class RedisLockLifecycle
  implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly draining: ShutdownDrain;

  constructor(
    @Inject(LOCK_CONNECTIONS) private readonly connections: ConnectionRegistry<OwnedRuntime>,
    @Inject(LOCK_SETTINGS) private readonly settings: Pick<LockSettings, 'shutdownTimeout' | 'target'>,
    @Inject(LockedExecutor) private readonly executor: LockedExecutor,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
  ) {
    this.draining = new ShutdownDrain(connections, settings.shutdownTimeout, loggerOf(undefined));
  }

  async onModuleInit(): Promise<void> {
    this.refuseDuplicates();
    this.refuseMissingConnections();
    new ForeignInstances(this.executor, this.moduleRef).wireAll(this.discovery.getProviders());
    await openConnections(this.connections, this.draining, loggerOf);
  }

  onApplicationBootstrap(): void {
    // A provider may be listed in several modules, or under several tokens.
    const instances = new Set<object>();
    for (const wrapper of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      const instance: unknown = wrapper.instance;
      // Properties of others are not read: a proxy of the application may refuse that.
      if (!isObject(instance) || !takesPartInElections(instance)) continue;
      if (wrapper.isTransient || !wrapper.isDependencyTreeStatic()) refuseElections(instance);
      else if (executorIn(instance) === this.executor) instances.add(instance);
    }
    this.executor.elections.stand(instances);
  }

  beforeApplicationShutdown(): void {
    void this.draining.drain();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.draining.drain();
    await this.draining.close();
  }

  /** With two global modules, the last one imported would silently win. */
  private refuseDuplicates(): void {
    if (this.ownModules.filter(({ isGlobal }) => isGlobal).length < 2) return;
    throw new LockOptionsError('RedisLockModule.forRoot() is imported twice; import it once, or set isGlobal: false');
  }

  private get ownModules(): readonly { readonly isGlobal: boolean }[] {
    return [...this.modules.values()].filter(({ providers }) => providers.has(LOCK_CONNECTIONS));
  }

  /** Reported at start-up, not at the first call. With several modules, only the call shows which one a class uses. */
  private refuseMissingConnections(): void {
    if (this.ownModules.length > 1) return;
    for (const { providers, controllers, injectables } of this.modules.values()) {
      for (const { instance } of [...providers.values(), ...controllers.values(), ...injectables.values()]) {
        // Request-scoped providers have a prototype instance; its metadata is enough.
        for (const locking of lockedMethodsOf(instance)) this.refuseMissing(locking);
      }
    }
  }

  private refuseMissing({ place, connection, usesMasters }: LockedMethodInfo): void {
    const { target } = this.settings;
    try {
      this.connections.get(connection);
      if (connection === undefined && target.kind === 'none' && !usesMasters)
        throw new LockOptionsError(target.reason, { details: { option: 'connection' } });
    } catch (error) {
      if (!(error instanceof LockOptionsError)) throw error;
      throw new LockOptionsError(`${place} cannot be locked: ${error.message}`, { details: error.details });
    }
  }
}
