import * as nest from '@nestjs/common';
import { type ErrorClass, isErrorClass } from '../coordination/error-codec.js';

/** Token of the options given to `RedisLockModule`, or returned by its factory. */
export const LOCK_OPTIONS = Symbol('LOCK_OPTIONS');

/**
 * Token of the module's validated options. Not public: the module exports it to Nest for a `LockExceptionFilter` that the
 * application binds itself, whose constructor injects it.
 */
export const LOCK_SETTINGS = Symbol('LOCK_SETTINGS');

/**
 * Token of the module's connections, each with the services shared by its locks. Not public: exported to Nest for a
 * `LockHealthIndicator` that the application provides, whose constructor injects it.
 */
export const LOCK_CONNECTIONS = Symbol('LOCK_CONNECTIONS');

/** Nest's exceptions, such as `NotFoundException`: thrown in another process, they get the same HTTP response here. */
export const HTTP_ERRORS: readonly ErrorClass[] = Object.values<unknown>(nest).filter(isErrorClass);
