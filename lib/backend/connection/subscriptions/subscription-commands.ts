import { LockUnavailableError } from '../../../errors.js';
import { runInBackground } from '../../../time/background.js';
import { Deadline, type MonotonicScheduler } from '../../../time/scheduler.js';
import { isErrorReply, isPermissionError, unavailable } from '../reply-errors.js';
import { rawReply, withDeadline } from '../with-deadline.js';
import type { Channel } from './channel.js';

/**
 * The most channels whose subscription may be unanswered. All may be answered in one turn of the event loop, and what
 * their listeners do then must not block it.
 */
export const MOST_IN_FLIGHT = 1500;

/** The connection that the commands are sent on. */
export interface SubscriberConnection {
  /** Whether the socket is open. */
  readonly isOpen: boolean;
  /** Whether it is open, and the earlier channels are subscribed to. */
  readonly isReady: boolean;
  /** Channels of different groups cannot be named in one command. */
  groupOf(channel: string): number | undefined;
  subscribe(channels: readonly string[]): Promise<unknown>;
  unsubscribe(channels: readonly string[]): Promise<unknown>;
  reconnect(): void;
}

/** A subscription to one channel that was asked for. */
class Request {
  readonly settled: Promise<void>;
  resolve: () => void = () => {};
  reject: (error: unknown) => void = () => {};

  constructor(readonly channel: Channel) {
    this.settled = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/** One written command, whose time begins with that. */
class Written extends Deadline {
  isLate = false;

  constructor(
    readonly at: number,
    readonly requests: readonly Request[],
  ) {
    super();
  }

  /** The server is slow, or this process too busy to read the reply. */
  override onPassed(): void {
    this.isLate = true;
    for (const { resolve } of this.requests) resolve();
  }
}

/**
 * Subscribes to all channels of one event-loop turn by one command, and ends subscriptions likewise. The time for a reply
 * begins when its command is written, a late reply counts, and only so many channels are under way at once. Otherwise
 * thousands of callers would miss one deadline together, and together try again.
 */
export class SubscriptionCommands {
  private readonly requests = new Map<Channel, Request>();
  private unwritten: Request[] = [];
  private ended: string[] = [];
  private inFlight = 0;
  private isScheduled = false;

  constructor(
    private readonly connection: SubscriberConnection,
    private readonly commandTimeout: number,
    private readonly scheduler: MonotonicScheduler,
  ) {}

  /**
   * Resolves when the channel is live. Resolves without that if the reply is late, which calls the listeners then; if the
   * connection was lost before the command was written, since the next one subscribes to all channels; and if no
   * subscriber wants it any more.
   */
  begin(channel: Channel): Promise<void> {
    const known = this.requests.get(channel);
    if (known) return known.settled;
    const request = new Request(channel);
    this.requests.set(channel, request);
    this.unwritten.push(request);
    this.schedule();
    return request.settled;
  }

  /** Ends the subscription to a channel without listeners. */
  end(channel: Channel): void {
    // One that is not written yet is dropped when it would be.
    if (!channel.isBegun) return;
    this.ended.push(channel.name);
    this.schedule();
  }

  /**
   * Subscribes to earlier channels on a new connection.
   * @throws LockUnavailableError if the connection fails, but not if the server refuses a channel.
   */
  async beginAgain(channels: readonly Channel[]): Promise<void> {
    for (let from = 0; from < channels.length; from += MOST_IN_FLIGHT) {
      const next = channels.slice(from, from + MOST_IN_FLIGHT);
      const groups = grouped(next, ({ name }) => this.connection.groupOf(name));
      await Promise.all([...groups].map((group) => this.sendAgain(group)));
    }
  }

  private async sendAgain(channels: readonly Channel[]): Promise<void> {
    const command = this.connection.subscribe(channels.map(({ name }) => name));
    try {
      await withDeadline(command, this.scheduler.now() + this.commandTimeout, this.scheduler, rawReply());
    } catch (error) {
      if (channels.length > 1 && isPermissionError(error)) {
        await Promise.all(channels.map((channel) => this.sendAgain([channel])));
        return;
      }
      if (error instanceof LockUnavailableError && error.outcome === 'refused') return;
      throw error;
    }
    for (const channel of channels) {
      channel.live = true;
      if (channel.size === 0) this.end(channel);
    }
  }

  private schedule(): void {
    const mayWrite = this.unwritten.length > 0 && this.inFlight < MOST_IN_FLIGHT;
    if (this.isScheduled || !(mayWrite || this.ended.length > 0)) return;
    this.isScheduled = true;
    runInBackground(() => process.nextTick(() => this.write()));
  }

  private write(): void {
    this.isScheduled = false;
    // First: of these, some may be asked for again.
    this.writeEnds();
    for (const requests of grouped(this.takeNext(), ({ channel }) => this.connection.groupOf(channel.name)))
      this.send(requests);
  }

  private writeEnds(): void {
    const { ended } = this;
    this.ended = [];
    // A closed connection has no subscriptions to end.
    if (!this.connection.isOpen) return;
    for (const names of grouped(ended, (name) => this.connection.groupOf(name))) {
      this.connection.unsubscribe(names).catch((error: unknown) => {
        // A server that does not serve the channel any more has ended the subscription by itself.
        if (!isErrorReply(error)) this.connection.reconnect();
      });
    }
  }

  /** The requests to be written now. */
  private takeNext(): readonly Request[] {
    const next: Request[] = [];
    let taken = 0;
    for (const request of this.unwritten) {
      if (this.inFlight + next.length >= MOST_IN_FLIGHT) break;
      taken += 1;
      const { channel } = request;
      if (channel.isWanted) channel.isBegun = true;
      if (channel.isWanted && this.connection.isReady) next.push(request);
      else this.forget(request).resolve();
    }
    this.unwritten = this.unwritten.slice(taken);
    return next;
  }

  private send(requests: readonly Request[]): void {
    this.inFlight += requests.length;
    const written = new Written(this.scheduler.now() + this.commandTimeout, requests);
    this.scheduler.deadlines.add(written);
    const settle = (done: (request: Request) => void): void => {
      this.scheduler.deadlines.delete(written);
      this.inFlight -= requests.length;
      requests.forEach(done);
      this.schedule();
    };
    this.connection.subscribe(requests.map(({ channel }) => channel.name)).then(
      () => settle((request) => this.acknowledged(request, written.isLate)),
      (error: unknown) => {
        // One channel that this user may not subscribe to fails without the others.
        const isForOne = requests.length > 1 && isPermissionError(error);
        settle((request) => (isForOne ? this.send([request]) : this.refused(request, error)));
      },
    );
  }

  private acknowledged(request: Request, isLate: boolean): void {
    const { channel, resolve } = this.forget(request);
    channel.live = this.connection.isReady;
    resolve();
    if (isLate && channel.live) channel.wake();
  }

  private refused(request: Request, error: unknown): void {
    this.forget(request).reject(unavailable(undefined, error));
  }

  private forget(request: Request): Request {
    this.requests.delete(request.channel);
    return request;
  }
}

/** The parts that one command each may name. */
const grouped = <T>(all: readonly T[], groupOf: (one: T) => number | undefined): Iterable<T[]> => {
  const groups = new Map<number | undefined, T[]>();
  for (const one of all) {
    const group = groups.get(groupOf(one));
    if (group) group.push(one);
    else groups.set(groupOf(one), [one]);
  }
  return groups.values();
};
