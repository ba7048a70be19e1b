/** The checked options of the module. */
export const LOCK_SETTINGS = Symbol('LOCK_SETTINGS');

/** What all locks of the module share. */
export const LOCK_RUNTIME = Symbol('LOCK_RUNTIME');
