import { MemoryStore } from '../../../lib/backend/memory/memory-store.js';

/** Carries a message to one client. */
export type Push = (what: string, run: () => void) => void;

/** A client's connection with subscriptions. */
export interface Listener {
  readonly push: Push;
  /** Whether the server has forgotten the connection, so that its earlier requests have no effect. */
  isGone: boolean;
  onMessage(channel: string): void;
}

/** Clocks of servers have whole milliseconds, so this fraction keeps a key for its last one. */
const LAST_MS = 0.5;

/** The memory of a server that sends messages over the connections of its clients. */
export class SimulatedStore extends MemoryStore {
  /** Stores of other servers whose listeners get messages as well. */
  peers: readonly SimulatedStore[] = [];
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
  override publish(channel: string): number {
    for (const peer of this.peers) peer.tell(channel);
    return this.tell(channel);
  }

  private tell(channel: string): number {
    const listeners = this.listening.get(channel) ?? new Set();
    for (const listener of listeners) listener.push(`message on ${channel}`, () => listener.onMessage(channel));
    return listeners.size;
  }

  listen(channel: string, listener: Listener): void {
    if (listener.isGone) return;
    const listeners = this.listening.get(channel) ?? new Set();
    this.listening.set(channel, listeners.add(listener));
  }

  unlisten(channel: string, listener: Listener): void {
    const listeners = this.listening.get(channel);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.listening.delete(channel);
  }

  /** Ends all subscriptions of a connection that is gone. */
  forget(listener: Listener): void {
    listener.isGone = true;
    for (const channel of this.listening.keys()) this.unlisten(channel, listener);
  }

  /** Channels that have listeners. */
  get heardChannels(): readonly string[] {
    return [...this.listening.keys()];
  }
}
