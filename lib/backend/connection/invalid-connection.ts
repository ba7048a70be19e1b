import { LockOptionsError } from '../../errors.js';

/** The error for an invalid connection. Never shows it: it may contain a password. */
export const invalidConnection = (fault: string): LockOptionsError =>
  new LockOptionsError(`connection ${fault}`, { details: { option: 'connection' } });
