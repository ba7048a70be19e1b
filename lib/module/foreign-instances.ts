import type { DiscoveryService, ModuleRef } from '@nestjs/core';
import { adopt } from '../decorators/instance-wiring.js';
import { isFunction } from '../decorators/decorated-method.js';
import { LockedExecutor } from '../decorators/locked.executor.js';
import { LockNotWiredError } from '../errors.js';

type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Wires instances from useFactory and useValue: Nest injects no properties into them. */
export class ForeignInstances {
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
