import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { answers } from './redis-answers.js';
import { RedisProcess } from './redis-process.js';

/** Where stock, orders and locks are to live. */
export interface FoundRedis extends AsyncDisposable {
  /** Absent: in the memory of the one process there is then. */
  readonly url: string | undefined;
  readonly sentence: string;
}

/** The Redis that was named, else one started from PATH, else none. */
export async function findRedis(env: NodeJS.ProcessEnv, named: string | undefined): Promise<FoundRedis> {
  if (named !== undefined) {
    if (!(await answers(named))) throw new Error('The Redis of REDIS_URL does not answer.');
    return { url: named, sentence: 'Redis: the one of REDIS_URL.', [Symbol.asyncDispose]: async () => undefined };
  }
  const executable = firstInPath(env['PATH'] ?? '', ['redis-server', 'valkey-server']);
  if (executable === undefined) {
    return {
      url: undefined,
      sentence:
        'No REDIS_URL, and neither redis-server nor valkey-server in PATH: ' +
        'the shop runs as one process on the in-memory backend.',
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
  const redis = await RedisProcess.start(executable);
  return {
    url: redis.url,
    sentence: `Redis: ${executable}, started for this run at ${redis.url}.`,
    [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
  };
}

function firstInPath(path: string, names: readonly string[]): string | undefined {
  const directories = path.split(delimiter).filter((directory) => directory !== '');
  return names.flatMap((name) => directories.map((directory) => join(directory, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
