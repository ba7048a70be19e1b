import type { PubSub, Subscription } from '../../lib/backend/pubsub.js';
import { type HeldBack, heldBack } from './scripted-nodes.js';

/** Messages of one node: the test answers subscriptions, sends messages, and cuts the connection. */
export class ScriptedPubSub implements PubSub {
  readonly tries: HeldBack<Subscription>[] = [];
  readonly listeners = new Set<() => void>();
  cancelled = 0;
  alive = true;

  subscribe(_channel: string, listener: () => void): Promise<Subscription> {
    const held = heldBack<Subscription>();
    this.tries.push(held);
    return held.promise.then((subscription) => {
      this.listeners.add(listener);
      return subscription;
    });
  }

  /** Acknowledges the last subscription. */
  acknowledge(): void {
    const isAlive = (): boolean => this.alive;
    this.tries.at(-1)?.resolve({
      get alive() {
        return isAlive();
      },
      cancel: () => {
        this.cancelled += 1;
        this.listeners.clear();
      },
    });
  }

  fail(error: Error): void {
    this.tries.at(-1)?.reject(error);
  }

  send(): void {
    for (const listener of this.listeners) listener();
  }
}
