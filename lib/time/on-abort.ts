/** Everybody who waits for one signal. */
class Audience {
  readonly listeners = new Set<() => void>();

  readonly tell = (): void => {
    for (const listener of this.listeners) listener();
  };
}

const audiences = new WeakMap<AbortSignal, Audience>();

/**
 * Calls `listener` when the signal aborts, until the function that is returned is called. However many wait, the signal
 * carries one listener: Node warns of a leak at the eleventh, and a signal that a thousand requests share is no leak.
 */
export const onAbort = (signal: AbortSignal, listener: () => void): (() => void) => {
  const audience = audiences.get(signal) ?? new Audience();
  audiences.set(signal, audience);
  if (audience.listeners.size === 0) signal.addEventListener('abort', audience.tell);
  audience.listeners.add(listener);
  return () => {
    audience.listeners.delete(listener);
    if (audience.listeners.size === 0) signal.removeEventListener('abort', audience.tell);
  };
};
