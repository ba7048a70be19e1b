import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isReachable } from './redis-reachable.js';
import { RedisProcess } from './redis-process.js';

/** The Redis for stock, orders and locks. */
export interface FoundRedis extends AsyncDisposable {
  /** Absent: one process, in memory. */
  readonly url: string | undefined;
  readonly description: string;
}

/** The given Redis, else one started from PATH, else none. */
export async function findRedis(env: NodeJS.ProcessEnv, named: string | undefined): Promise<FoundRedis> {
  if (named !== undefined) {
    if (!(await isReachable(named))) throw new Error('The Redis of REDIS_URL does not answer.');
    return { url: named, description: 'Redis: the one of REDIS_URL.', [Symbol.asyncDispose]: async () => undefined };
  }
  const executable = firstInPath(env['PATH'] ?? '', ['redis-server', 'valkey-server']);
  if (executable === undefined) {
    return {
      url: undefined,
      description:
        'No REDIS_URL, and neither redis-server nor valkey-server in PATH: ' +
        'the shop runs as one process on the in-memory backend.',
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
  const redis = await RedisProcess.start(executable);
  return {
    url: redis.url,
    description: `Redis: ${executable}, started for this run at ${redis.url}.`,
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
