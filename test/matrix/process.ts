import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { RedisServer } from '../servers/redis/redis-server.js';
import { type Environment, folderOf, suiteOf } from './environments.js';
import { type CellResult, keyOf, type Message, type PlannedCell } from './messages.js';
import type { Run } from './runs.js';

const LIMIT_MS = 240_000;

/** The plan and the results of one process of the suite. */
export interface ProcessReport {
  readonly plan: readonly PlannedCell[];
  readonly results: readonly CellResult[];
  /** Errors outside of cells. */
  readonly problems: readonly string[];
}

/** Runs the cells of one file of kinds in a process, with a redis-server of its own if it needs one. */
export const runProcess = async (environment: Environment, run: Run): Promise<ProcessReport> => {
  const server = run.needsServer ? await RedisServer.start() : undefined;
  try {
    return await listen(environment, run, server?.url);
  } finally {
    await server?.stop();
  }
};

const listen = async (
  environment: Environment,
  { kinds, backend, wanted = '' }: Run,
  url = '',
): Promise<ProcessReport> => {
  const main = join(suiteOf(environment), 'main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', main, kinds, folderOf(environment.nest), wanted], {
    env: { ...process.env, MATRIX_NEST: environment.nest, MATRIX_BACKEND: backend, REDIS_URL: url },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const killTimer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const printed = Promise.all(child.stdio.slice(1, 3).map((stream) => text(stream as Readable)));
  const plan: PlannedCell[] = [];
  const results: CellResult[] = [];
  const problems: string[] = [];
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const message = JSON.parse(line) as Message;
    plan.push(...(message.plan ?? []));
    if (message.result) results.push(message.result);
    problems.push(...(message.unhandled ?? []).map((reason) => `unhandled rejection: ${reason}`));
  }
  const [code, signal] = await exit;
  clearTimeout(killTimer);
  if (code !== 0) {
    const end = `the process ended with ${signal ?? code}\n${(await printed).join('')}`;
    problems.push(end);
    results.push(...unanswered(plan, results).map((cell) => ({ ...cell, error: end })));
  }
  return { plan, results, problems };
};

/** Planned cells without a result. */
const unanswered = (plan: readonly PlannedCell[], results: readonly CellResult[]): PlannedCell[] => {
  const answered = new Set(results.map(keyOf));
  return plan.filter((cell) => cell.reason === undefined && !answered.has(keyOf(cell)));
};
