/** Somebody who wants to know when a signal aborts. */
export interface AbortListener {
  onAborted(signal: AbortSignal): void;
}

/** Everybody who waits for one signal. */
class AbortFanOut {
  readonly listeners = new Set<AbortListener>();

  constructor(private readonly signal: AbortSignal) {}

  readonly tell = (): void => {
    for (const listener of this.listeners) listener.onAborted(this.signal);
  };
}

const audiences = new WeakMap<AbortSignal, AbortFanOut>();

/**
 * Tells `listener` when the signal aborts, until {@link unlistenForAbort}. However many wait, the signal carries one
 * listener: Node warns of a leak at the eleventh, and a signal that a thousand requests share is no leak.
 */
export const listenForAbort = (signal: AbortSignal, listener: AbortListener): void => {
  const audience = audiences.get(signal) ?? new AbortFanOut(signal);
  audiences.set(signal, audience);
  if (audience.listeners.size === 0) signal.addEventListener('abort', audience.tell);
  audience.listeners.add(listener);
};

export const unlistenForAbort = (signal: AbortSignal, listener: AbortListener): void => {
  const audience = audiences.get(signal);
  if (audience?.listeners.delete(listener) && audience.listeners.size === 0) {
    signal.removeEventListener('abort', audience.tell);
  }
};

/** Calls `listener` when the signal aborts, until the function that is returned is called. */
export const onAbort = (signal: AbortSignal, listener: () => void): (() => void) => {
  const one = { onAborted: listener };
  listenForAbort(signal, one);
  return () => unlistenForAbort(signal, one);
};
