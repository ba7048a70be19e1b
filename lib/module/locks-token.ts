import { Inject, type InjectionToken } from '@nestjs/common';
import { LockService } from '../lock.service.js';
import { invalidOption } from '../validation/options.js';

/**
 * The token of the {@link LockService} of one of the module's `connections`, for custom providers and for
 * `overrideProvider` in tests. Without a name it is `LockService` itself.
 *
 * @example
 * { provide: getLocksToken('billing'), useValue: { withLock: (_name, work) => work() } }
 */
export const getLocksToken = (connection?: string): InjectionToken<LockService> => {
  if (connection === undefined) return LockService;
  if (typeof connection !== 'string' || connection === '')
    throw invalidOption('the connection of getLocksToken', connection, 'the name of a connection');
  // Nest prints it if the provider is missing.
  return `LockService of "${connection}" (name it in connections of forRoot(), or in connectionNames of forRootAsync())`;
};

/**
 * Injects the {@link LockService} of one of the module's `connections`, which is `locks.forConnection(name)`. With
 * `forRootAsync`, name the connections in `connectionNames` as well, since the options are not known yet when providers
 * are registered.
 *
 * @example
 * constructor(@InjectLocks('billing') private readonly billing: LockService) {}
 */
export const InjectLocks = (connection?: string): PropertyDecorator & ParameterDecorator =>
  Inject(getLocksToken(connection));
