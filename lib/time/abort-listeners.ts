/** Receives the abort of a signal. */
export interface AbortListener {
  onAborted(signal: AbortSignal): void;
}

/** All listeners of one signal. */
class AbortFanOut {
  readonly listeners = new Set<AbortListener>();

  constructor(private readonly signal: AbortSignal) {}

  readonly tell = (): void => {
    for (const listener of this.listeners) listener.onAborted(this.signal);
  };
}

const fanOuts = new WeakMap<AbortSignal, AbortFanOut>();

/**
 * Calls `listener` when the signal aborts, until {@link unlistenForAbort}. The signal itself has one listener, however
 * many wait: Node warns of a leak from the eleventh on, and a signal shared by a thousand requests is not a leak.
 */
export const listenForAbort = (signal: AbortSignal, listener: AbortListener): void => {
  const fanOut = fanOuts.get(signal) ?? new AbortFanOut(signal);
  fanOuts.set(signal, fanOut);
  if (fanOut.listeners.size === 0) signal.addEventListener('abort', fanOut.tell);
  fanOut.listeners.add(listener);
};

export const unlistenForAbort = (signal: AbortSignal, listener: AbortListener): void => {
  const fanOut = fanOuts.get(signal);
  if (fanOut?.listeners.delete(listener) && fanOut.listeners.size === 0) {
    signal.removeEventListener('abort', fanOut.tell);
  }
};

/** Calls `listener` when the signal aborts, until the returned function is called. */
export const onAbort = (signal: AbortSignal, listener: () => void): (() => void) => {
  const one = { onAborted: listener };
  listenForAbort(signal, one);
  return () => unlistenForAbort(signal, one);
};
