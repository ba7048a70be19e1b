import { messageOf } from '../../errors.js';
import { runOutsideContexts } from '../../context/owner-context.js';
import { onAbort } from '../../time/abort-listeners.js';
import type { MonotonicScheduler, ScheduledTask } from '../../time/scheduler.js';
import type { ConnectTerms, DriverConnection, DriverListener } from '../driver/redis-driver.js';
import type { ServerOptions } from '../driver/server-options.js';
import { connectWithin } from './connect-within.js';
import { addressOf, masterAt, reachable, sentinelAt, sentinelsOf, type ServerTarget } from './target.js';
import { rawReply, withDeadline } from './with-deadline.js';

/** The longest time for each step of asking a Sentinel, ms: the next one may answer. */
const ANSWER_MS = 700;
/** The pause before a Sentinel is connected to again, to be heard, ms. */
const LISTEN_AGAIN_MS = 10_000;

const SWITCHES = '+switch-master';

/** No Sentinel has named the master. Its message is the last reason; '' if all said that they do not know it. */
export class UnknownMasterError extends Error {
  override readonly name = 'UnknownMasterError';
}

const ignore = (): void => {};
const UNHEARD: DriverListener = { onMessage: ignore, onMoved: ignore, onEnd: ignore };

/** The Sentinels of one connection: they name the master, and tell when another one takes its place. */
export class Sentinels {
  /** The one that has named the master goes first. */
  private readonly known: ServerOptions[];
  /** `host port` of the master, as the Sentinels named it. */
  private master = '';
  private readonly pauses = new Set<ScheduledTask>();
  private readonly closing = new AbortController();
  private isWatched = false;

  constructor(
    private readonly target: ServerTarget,
    private readonly scheduler: MonotonicScheduler,
    private readonly onSwitch: () => void,
  ) {
    this.known = [...sentinelsOf(target.options)];
  }

  /**
   * The options for the master.
   * @throws UnknownMasterError
   */
  async locate(signal: AbortSignal): Promise<ServerOptions> {
    let reason = '';
    for (const [index, sentinel] of [...this.known].entries()) {
      try {
        const named = await this.ask(sentinel, { timeout: ANSWER_MS, signal });
        if (!named) continue;
        this.known.splice(index, 1);
        this.known.unshift(sentinel);
        this.master = named.join(' ');
        return masterAt(this.target.options, reachable(this.target.options, named[0], named[1]));
      } catch (error) {
        if (signal.aborted) throw error;
        reason = messageOf(error);
      }
    }
    throw new UnknownMasterError(reason);
  }

  /** Called when the server that was named is no master: the next one is asked first. */
  misled(): void {
    this.known.push(...this.known.splice(0, 1));
  }

  /** Listens to the Sentinels from now on. */
  watch(): void {
    if (this.isWatched) return;
    this.isWatched = true;
    for (const sentinel of this.known) void this.listenTo(sentinel);
  }

  close(): void {
    this.closing.abort();
    for (const pause of this.pauses) pause.cancel();
  }

  private async ask(sentinel: ServerOptions, terms: ConnectTerms): Promise<readonly [string, string] | undefined> {
    const connection = await this.connect(sentinel, terms, UNHEARD);
    try {
      const name = String(this.target.options.name);
      // Of use only if those that are known fail, and not every user may ask for them.
      connection.send(['SENTINEL', 'SENTINELS', name]).then((others) => this.learn(others), ignore);
      const reply = connection.send(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name]);
      const named = await withDeadline(reply, this.scheduler.now() + ANSWER_MS, this.scheduler, rawReply());
      return Array.isArray(named) ? [String(named[0]), String(named[1])] : undefined;
    } finally {
      connection.destroy();
    }
  }

  /** Adds the other Sentinels that one of them knows, each a list of names and values. */
  private learn(others: unknown): void {
    if (!Array.isArray(others)) return;
    for (const other of others) {
      if (!Array.isArray(other)) continue;
      const valueOf = (name: string): string => String(other[other.indexOf(name) + 1]);
      if (/disconnected|s_down/.test(valueOf('flags'))) continue;
      const sentinel = sentinelAt(this.target.options, reachable(this.target.options, valueOf('ip'), valueOf('port')));
      if (this.known.some((known) => addressOf(known) === addressOf(sentinel))) continue;
      this.known.push(sentinel);
      if (this.isWatched) void this.listenTo(sentinel);
    }
  }

  private async listenTo(sentinel: ServerOptions): Promise<void> {
    const { signal } = this.closing;
    const over = (): void => {
      unlisten();
      if (!signal.aborted) this.listenAgain(sentinel);
    };
    let unlisten = ignore;
    const listener = {
      onMessage: (_channel: string, message: string) => this.heard(message),
      onMoved: ignore,
      onEnd: over,
    };
    try {
      const connection = await this.connect(sentinel, { timeout: ANSWER_MS, signal }, listener);
      unlisten = onAbort(signal, () => connection.destroy());
      connection.subscribe([SWITCHES], false).catch(() => connection.destroy());
    } catch {
      // One that cannot be heard now is tried again; the others tell the same.
      over();
    }
  }

  private connect(sentinel: ServerOptions, terms: ConnectTerms, listener: DriverListener): Promise<DriverConnection> {
    const { target, scheduler } = this;
    return runOutsideContexts(() => connectWithin(target.driver, sentinel, terms, listener, scheduler));
  }

  private listenAgain(sentinel: ServerOptions): void {
    const pause = this.scheduler.schedule(LISTEN_AGAIN_MS, () => {
      this.pauses.delete(pause);
      void this.listenTo(sentinel);
    });
    this.pauses.add(pause);
  }

  private heard(message: string): void {
    const [name, , , host, port] = message.split(' ');
    if (name === this.target.options.name && `${host} ${port}` !== this.master) this.onSwitch();
  }
}
