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
