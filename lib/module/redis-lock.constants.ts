/** The checked options of the module. */
export const LOCK_SETTINGS = Symbol('LOCK_SETTINGS');

/** The connections of the module, each with what all locks on it share. */
export const LOCK_CONNECTIONS = Symbol('LOCK_CONNECTIONS');
