/** Token of the module's validated options. */
export const LOCK_SETTINGS = Symbol('LOCK_SETTINGS');

/** Token of the module's connections, each with the services shared by its locks. */
export const LOCK_CONNECTIONS = Symbol('LOCK_CONNECTIONS');
