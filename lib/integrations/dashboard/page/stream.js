/** After this time without a snapshot the page is shown as out of date, ms. Looks are rarer if they take long. */
const SILENCE_MS = 10_000;
const RECONNECT_MS = 2000;

/** The address of the page, whatever prefix or proxy is in front of it. */
export const base = location.pathname.replace(/\/+$/, '');

/**
 * Calls `onSnapshot` with each state of the locks, and `onSilence` when none comes any more, with whether the last answer
 * was a refusal. Connects again until it succeeds.
 */
export const listen = (onSnapshot, onSilence) => {
  let last = 0;
  let isRefused = false;
  const connect = () => {
    const events = new EventSource(`${base}/events`);
    events.addEventListener('snapshot', ({ data }) => {
      last = Date.now();
      isRefused = false;
      onSnapshot(JSON.parse(data));
    });
    // The server ends each stream after a while, so that its guard is asked again.
    events.addEventListener('renew', () => {
      events.close();
      connect();
    });
    events.addEventListener('error', () => {
      // It reconnects by itself, unless the answer was no stream: a refusal, or an error of a proxy.
      isRefused = events.readyState === EventSource.CLOSED;
      onSilence(isRefused);
      if (isRefused) setTimeout(connect, RECONNECT_MS);
    });
  };
  setInterval(() => {
    if (last > 0 && Date.now() - last > SILENCE_MS) onSilence(isRefused);
  }, 1000);
  connect();
};
