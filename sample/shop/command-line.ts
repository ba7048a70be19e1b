import { parseArgs } from 'node:util';

export interface CommandLine {
  /** Exits after the results instead of keeping the shop open. */
  readonly once: boolean;
}

export class CommandLineError extends Error {}

/** @throws CommandLineError with a message for the user. */
export function readCommandLine(args: readonly string[]): CommandLine {
  try {
    const { values } = parseArgs({ args: [...args], options: { once: { type: 'boolean', default: false } } });
    return { once: values.once };
  } catch (error) {
    // The first sentence names the argument; others explain how to pass it all the same.
    const [reason] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new CommandLineError(`${reason}: the sample takes --once, or nothing.`, { cause: error });
  }
}
