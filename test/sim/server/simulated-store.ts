import { MemoryStore } from '../../../lib/backend/memory/store.js';

/** Carries a message to one client. */
export type Push = (what: string, run: () => void) => void;

/** A client's connection that listens. */
export interface Listener {
  readonly push: Push;
  /** Whether the server has forgotten it: what it asked for before comes too late. */
  isGone: boolean;
  onMessage(channel: string): void;
}

/** The memory of a server whose clients are elsewhere: messages go over their connections. */
export class SimulatedStore extends MemoryStore {
  private readonly listening = new Map<string, Set<Listener>>();

  /** @returns How many connections were told. */
  override publish(channel: string): number {
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

  /** The connection is gone. */
  forget(listener: Listener): void {
    listener.isGone = true;
    for (const channel of this.listening.keys()) this.unlisten(channel, listener);
  }

  /** Channels that somebody listens to. */
  get heardChannels(): readonly string[] {
    return [...this.listening.keys()];
  }
}
