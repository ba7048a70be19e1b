import type { Script } from './script.js';
import { scripts } from './scripts.generated.js';

/** One of the Lua scripts that locks are made of. */
export interface LockScript {
  /** Such as `lock/acquire`. */
  readonly name: string;
  readonly text: string;
}

/**
 * Every script, for servers whose users may not EVAL: load them with `SCRIPT LOAD`, into each server, and again when it
 * was restarted.
 */
export const lockScripts: readonly LockScript[] = Object.values(scripts).flatMap((kind) =>
  Object.values<Script>(kind).map(({ name, text }) => ({ name, text })),
);
