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
const SUBSCRIPTIONS = ['subscribe', 'unsubscribe', 'ssubscribe', 'sunsubscribe', 'psubscribe', 'punsubscribe'];
/** Commands that no script of these libraries calls. */
const NEVER_IN_SCRIPTS = [...SUBSCRIPTIONS, 'ping', 'hello', 'script|load'];

/**
 * Usage of the commands that clients sent. The server counts commands called by scripts as well. If scripts ran,
 * commands that they may have called are left out.
 * @param plain Commands that the clients sent beside scripts, and that no script called.
 */
export function sentByClients(done: CommandStats, plain: readonly string[] = []): Usage {
  const ranScripts = SCRIPTS.some((name) => done.has(name));
  const sent = (name: string): boolean =>
    !ranScripts || SCRIPTS.includes(name) || NEVER_IN_SCRIPTS.includes(name) || plain.includes(name);
  return total(done, sent);
}

/** Usage of all scripts together. */
export const scriptUsage = (done: CommandStats): Usage => total(done, (name) => SCRIPTS.includes(name));

/** Usage of the commands that begin and end subscriptions. */
export const subscriptionUsage = (done: CommandStats): Usage => total(done, (name) => SUBSCRIPTIONS.includes(name));

function total(done: CommandStats, counts: (name: string) => boolean): Usage {
  let calls = 0;
  let usec = 0;
  for (const [name, usage] of done) {
    if (!counts(name)) continue;
    calls += usage.calls;
    usec += usage.usec;
  }
  return { calls, usec };
}
