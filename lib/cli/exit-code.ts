import { constants } from 'node:os';

/** How the command line ends: the codes of sysexits.h, and those of a shell for a command that was to run. */
export const ExitCode = {
  ok: 0,
  /** A wrong command, option or argument. */
  usage: 64,
  /** Another state than was named: another owner, or a key of something else. Or a name that no lock can have. */
  data: 65,
  /** Redis cannot be reached, or does not answer. */
  unavailable: 69,
  internal: 70,
  /** The lock was not free within the wait limit. */
  notAcquired: 75,
  /** The lock was lost while the command ran. */
  lost: 76,
  /** A wrong password, or a missing right. */
  denied: 77,
  /** Wrong connection settings, or a server that locks cannot be trusted on. */
  configuration: 78,
  cannotRun: 126,
  notFound: 127,
} as const;

/** The code of a process that a signal ended, as shells report it. */
export const exitCodeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];
