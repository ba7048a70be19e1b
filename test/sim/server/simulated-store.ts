import { MemoryStore } from '../../../lib/backend/memory/memory-store.js';

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

/** Clocks of servers have whole milliseconds, so this fraction keeps a key for its last one. */
const LAST_MS = 0.5;

/** The memory of a server that sends messages over the connections of its clients. */
export class SimulatedStore extends MemoryStore {
  /** Stores of other servers whose listeners get messages as well. */
  peers: readonly SimulatedStore[] = [];
  watcher: ListenerWatcher | undefined;
  private readonly listening = new Map<string, Set<Listener>>();

  /** Stores a key. As in Redis, it still exists in its last millisecond, when its TTL is 0. */
  override set(name: string, type: string, value: unknown, ttl?: number): void {
    super.set(name, type, value, ttl === undefined ? undefined : ttl + LAST_MS);
  }

  override remaining(name: string): number {
    const remaining = super.remaining(name);
    return remaining > 0 ? remaining - 1 : remaining;
  }

  /** @returns The number of connections to this server that got the message. */
  override publish(channel: string, message?: string): number {
    for (const peer of this.peers) peer.tell(channel, message);
    return this.tell(channel, message);
  }

  override subscribers(channel: string): number {
    return this.listening.get(channel)?.size ?? 0;
  }

  private tell(channel: string, message: string | undefined): number {
    const listeners = this.listening.get(channel) ?? new Set();
    for (const listener of listeners) {
      listener.push(`message on ${channel}`, () => listener.onMessage(channel, message));
      this.watcher?.onMessage(channel, message, listener);
    }
    return listeners.size;
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
}
