import type { Redis } from 'ioredis';

interface Usage {
  readonly calls: number;
  /** Microseconds that the server spent on them. */
  readonly usec: number;
}

/** Usage of each command since the server started. */
export type CommandStats = ReadonlyMap<string, Usage>;

const LINE = /^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/;

export async function commandStats(observer: Redis): Promise<CommandStats> {
  const lines = (await observer.info('commandstats')).split('\r\n');
  const found = lines.map((line) => LINE.exec(line)).filter((match) => match !== null);
  return new Map(found.map(([, name = '', calls, usec]) => [name, { calls: Number(calls), usec: Number(usec) }]));
}

/** Usage between two readings, without the commands that read it. */
export function between(before: CommandStats, after: CommandStats): CommandStats {
  const done = new Map<string, Usage>();
  for (const [name, { calls, usec }] of after) {
    const earlier = before.get(name) ?? { calls: 0, usec: 0 };
    if (calls > earlier.calls && name !== 'info') {
      done.set(name, { calls: calls - earlier.calls, usec: usec - earlier.usec });
    }
  }
  return done;
}

const SCRIPTS = ['evalsha', 'eval', 'fcall'];
/** Commands that no script of these libraries calls. */
const NEVER_IN_SCRIPTS = ['subscribe', 'unsubscribe', 'ssubscribe', 'sunsubscribe', 'ping', 'hello', 'script|load'];

/**
 * Number of commands that clients sent. The server counts commands called by scripts as well. If scripts ran, commands
 * that they may have called are left out.
 */
export function sentByClients(done: CommandStats): number {
  const ranScripts = SCRIPTS.some((name) => done.has(name));
  let sent = 0;
  for (const [name, { calls }] of done) {
    if (!ranScripts || SCRIPTS.includes(name) || NEVER_IN_SCRIPTS.includes(name)) sent += calls;
  }
  return sent;
}

/** Usage of all scripts together. */
export function scriptUsage(done: CommandStats): Usage {
  let calls = 0;
  let usec = 0;
  for (const name of SCRIPTS) {
    const usage = done.get(name);
    calls += usage?.calls ?? 0;
    usec += usage?.usec ?? 0;
  }
  return { calls, usec };
}
