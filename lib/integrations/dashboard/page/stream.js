/** After this time without a snapshot the page is shown as out of date, ms. Looks are rarer if they take long. */
const SILENCE_MS = 10_000;
const RECONNECT_MS = 2000;

/** The address of the page, whatever prefix or proxy is in front of it. */
export const base = location.pathname.replace(/\/+$/, '');

/**
 * Calls `onSnapshot` with each state of the locks, and `onSilence` when none comes any more. Connects again until it
 * succeeds.
 */
export const listen = (onSnapshot, onSilence) => {
  let last = 0;
  const connect = () => {
    const events = new EventSource(`${base}/events`);
    events.addEventListener('snapshot', ({ data }) => {
      last = Date.now();
      onSnapshot(JSON.parse(data));
    });
    events.addEventListener('error', () => {
      onSilence();
      // It reconnects by itself, unless the answer was no stream: a refusal, or an error of a proxy.
      if (events.readyState === EventSource.CLOSED) setTimeout(connect, RECONNECT_MS);
    });
  };
  setInterval(() => {
    if (last > 0 && Date.now() - last > SILENCE_MS) onSilence();
  }, 1000);
  connect();
};
