import { Keyspace } from '../../../lib/backend/memory/keyspace.js';

/** Carries a message to one client. */
export type Push = (what: string, run: () => void) => void;

/** A client's connection with subscriptions. */
export interface Listener {
  readonly push: Push;
  /** Whether the server has forgotten the connection, so that its earlier requests have no effect. */
  isGone: boolean;
  onMessage(channel: string, message: string | undefined): void;
}

/** Is told of the listeners of a store, and of what they are sent. */
export interface ListenerWatcher {
  onListen(channel: string, listener: Listener): void;
  onUnlisten(channel: string, listener: Listener): void;
  onGone(listener: Listener): void;
  onMessage(channel: string, message: string | undefined, listener: Listener): void;
}

/** As on a server, a key exists throughout the ms in which it ends. */
const LAST_MS = 1;

/** The keys of a server that sends messages over the connections of its clients. */
export class SimulatedStore extends Keyspace {
  /** Stores of other servers whose listeners get messages as well. */
  peers: readonly SimulatedStore[] = [];
  watcher: ListenerWatcher | undefined;
  private readonly listening = new Map<string, Set<Listener>>();

  /** @param now Its clock, whole ms. */
  constructor(now: () => number) {
    super(
      now,
      { publish: (...message) => this.send(...message), receivers: (name) => this.subscribers(name) },
      LAST_MS,
    );
  }

  subscribers(channel: string): number {
    return this.listening.get(channel)?.size ?? 0;
  }

  listen(channel: string, listener: Listener): void {
    if (listener.isGone) return;
    this.watcher?.onListen(channel, listener);
    const listeners = this.listening.get(channel) ?? new Set();
    this.listening.set(channel, listeners.add(listener));
  }

  unlisten(channel: string, listener: Listener): void {
    const listeners = this.listening.get(channel);
    if (listeners?.delete(listener)) this.watcher?.onUnlisten(channel, listener);
    if (listeners?.size === 0) this.listening.delete(channel);
  }

  /** Ends all subscriptions of a connection that is gone. */
  forget(listener: Listener): void {
    listener.isGone = true;
    for (const channel of this.listening.keys()) this.unlisten(channel, listener);
    this.watcher?.onGone(listener);
  }

  /** Channels that have listeners. */
  get heardChannels(): readonly string[] {
    return [...this.listening.keys()];
  }

  /** @returns The number of connections to this server that got the message. */
  private send(channel: string, message: string): number {
    for (const peer of this.peers) peer.tell(channel, message);
    return this.tell(channel, message);
  }

  private tell(channel: string, message: string): number {
    const listeners = this.listening.get(channel) ?? new Set();
    for (const listener of listeners) {
      listener.push(`message on ${channel}`, () => listener.onMessage(channel, message));
      this.watcher?.onMessage(channel, message, listener);
    }
    return listeners.size;
  }
}
