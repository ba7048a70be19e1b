/** A subscription that the backend has acknowledged, or will. */
export interface Subscription {
  /** False while messages may be missed: before the acknowledgement, and from a disconnection to the next one. */
  readonly alive: boolean;
  cancel(): void;
}

/**
 * Called with a message; without one after every re-subscription, and when messages may have been missed for another
 * reason.
 */
export type MessageListener = (message?: string) => void;

/** Asks for a subscription. */
export interface Subscriber {
  /** Whether it still wants what it asked for. A subscription of others only need not begin. */
  readonly isInterested: boolean;
}

/** Source of messages. A message is a hint to try again: it may be lost, doubled or late. */
export interface PubSub {
  /**
   * Resolves when the channel is subscribed to. Resolves earlier, with a subscription that is not alive yet, if the reply
   * is late, and if `subscriber` has lost interest; rejects with `LockUnavailableError` if the backend cannot be asked, or
   * refuses.
   * @param listener Called as well when a subscription that was not alive yet begins.
   */
  subscribe(channel: string, listener: MessageListener, subscriber?: Subscriber): Promise<Subscription>;
}
