import type { Profiler, Runtime } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import type { SharedStack } from './shared-stack.js';
import { sharedNow } from './shared-times.js';

/** How long the main thread is profiled, ms: V8 looks at it about once a millisecond. */
const PROFILE_MS = 100;
/**
 * How long a session is open at most, ms. While native code runs, nobody answers; and a process that ends with an open
 * session tells its user to wait for a debugger.
 */
const LONGEST_MS = 1000;

/** The part of a session of `node:inspector` that is used. */
export interface InspectorSession {
  connectToMainThread(): void;
  post(method: string, callback: (error: Error | null, result?: object) => void): void;
  disconnect(): void;
}

const newSession = (): InspectorSession | undefined => {
  // Closing a session that has profiled may end the coverage of the process: V8 has one setting for all sessions.
  if (!process.features.inspector || process.env['NODE_V8_COVERAGE']) return undefined;
  // Not imported: a Node without an inspector would not start the thread.
  const { Session } = process.getBuiltinModule('node:inspector');
  return new Session();
};

/** @throws the error of the inspector, also if the session is closed meanwhile. */
const ask = (session: InspectorSession, method: string): Promise<object | undefined> =>
  new Promise((resolve, reject) => {
    session.post(method, (error, result) => (error ? reject(error) : resolve(result)));
  });

/** A function as in the stack of an error, but with the place where it begins: that of the running line is not known. */
const lineOf = ({ functionName, url, lineNumber, columnNumber }: Runtime.CallFrame): string => {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  const place = `${file}:${lineNumber + 1}:${columnNumber + 1}`;
  return (functionName === '' ? place : `${functionName} (${place})`).replaceAll(/\p{Cc}/gu, ' ');
};

/** Frames of V8 have no file, and those of Node are named `node:…`. */
const isOfNode = ({ url }: Runtime.CallFrame): boolean => url === '' || url.startsWith('node:');

/**
 * The stack that was seen most often: its functions, innermost first, each once, so that a recursion does not hide what
 * has called it. Empty: no code of the application was running.
 */
export const mostSampled = ({ nodes }: Pick<Profiler.Profile, 'nodes'>): readonly string[] => {
  const callers = new Map<number, Profiler.ProfileNode>();
  for (const node of nodes) for (const child of node.children ?? []) callers.set(child, node);
  const seen = new Map<string, { readonly lines: readonly string[]; times: number }>();
  for (const node of nodes) {
    if (!node.hitCount) continue;
    const lines = new Set<string>();
    for (let at: Profiler.ProfileNode | undefined = node; at; at = callers.get(at.id)) {
      if (!isOfNode(at.callFrame)) lines.add(lineOf(at.callFrame));
    }
    if (lines.size === 0) continue;
    const key = [...lines].join('\n');
    const stack = seen.get(key) ?? { lines: [...lines], times: 0 };
    stack.times += node.hitCount;
    seen.set(key, stack);
  }
  const [most] = [...seen.values()].toSorted((a, b) => b.times - a.times);
  return most?.lines ?? [];
};

/**
 * Finds the code in which the main thread stands, by a short profile: V8 begins and ends one between two steps of running
 * JavaScript. That thread is never paused. Where it does not answer, because native code runs, nothing is found.
 */
export class MainThreadProfile {
  private isOpen = false;
  /** The last beat before the standing whose code was found. */
  private found: number | undefined;

  /** @param beat Returns the last time when the event loop of the main thread ran. */
  constructor(
    private readonly scheduler: Pick<MonotonicScheduler, 'pause' | 'schedule'>,
    private readonly beat: () => number,
    private readonly stack: SharedStack,
    private readonly open = newSession,
  ) {}

  /** Called whenever the main thread is found standing; finds the code once for each time that it stands. Never rejects. */
  async take(): Promise<void> {
    const beat = this.beat();
    if (this.isOpen || beat === this.found) return;
    this.isOpen = true;
    const at = sharedNow();
    try {
      const session = this.open();
      const profile = session && (await this.profile(session, beat));
      const lines = profile ? mostSampled(profile) : [];
      if (lines.length === 0) return;
      this.found = beat;
      this.stack.write(lines, at);
    } catch {
      // No answer in time, or an inspector that this process must not use: the event is told without the code.
    } finally {
      this.isOpen = false;
    }
  }

  private async profile(session: InspectorSession, beat: number): Promise<Profiler.Profile | undefined> {
    const limit = this.scheduler.schedule(LONGEST_MS, () => session.disconnect());
    try {
      session.connectToMainThread();
      await ask(session, 'Profiler.enable');
      await ask(session, 'Profiler.start');
      await this.scheduler.pause(PROFILE_MS);
      // Other code runs by now, and is not to blame.
      if (this.beat() !== beat) return undefined;
      return ((await ask(session, 'Profiler.stop')) as Profiler.StopReturnType).profile;
    } finally {
      limit.cancel();
      session.disconnect();
    }
  }
}
