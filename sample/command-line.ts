export interface CommandLine {
  /** Exits after the results instead of keeping the shop open. */
  readonly once: boolean;
}

export class CommandLineError extends Error {}

/** @throws CommandLineError with a message for the user. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const unknown = args.find((arg) => arg !== '--once');
  if (unknown !== undefined) {
    throw new CommandLineError(`Unknown argument "${unknown}": the sample takes --once, or nothing.`);
  }
  return { once: args.includes('--once') };
}
