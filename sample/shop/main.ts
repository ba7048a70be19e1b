import { setMaxListeners } from 'node:events';
import { CommandLineError, readCommandLine } from './command-line.js';
import { readSettings, SettingsError } from './shop.settings.js';
import { compareLocking } from './comparison/compare-locking.js';

const INTERRUPTED = 130;

async function main(): Promise<number> {
  const interruption = new AbortController();
  setMaxListeners(0, interruption.signal); // one for every request
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());
  try {
    const { once } = readCommandLine(process.argv.slice(2));
    return await compareLocking(once, readSettings(process.env), interruption.signal);
  } catch (error) {
    if (interruption.signal.aborted) return INTERRUPTED;
    console.error(error instanceof Error ? error.message : error);
    return error instanceof CommandLineError || error instanceof SettingsError ? 2 : 1;
  }
}

process.exitCode = await main();
