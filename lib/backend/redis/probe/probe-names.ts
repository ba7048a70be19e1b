import {
  fairDeadlines,
  fairQueue,
  latchChannel,
  lockChannel,
  lockToken,
  permitDeadlines,
  readWriteLockChannel,
  readWriteStem,
  requestMarker,
  semaphoreChannel,
} from '../../../keys/redisson-keys.js';

/** What the probe uses: a lock that nobody else has, and what belongs to it. */
export interface ProbeNames {
  readonly lock: string;
  /** The ACL rule that allows it. */
  readonly rule: string;
  /** Other keys that some kind has under the name of a lock, by the ACL rule that allows them. */
  readonly keys: ReadonlyMap<string, string>;
  /** Channels, in the same way; the first is listened to. */
  readonly channel: string;
  readonly channels: ReadonlyMap<string, string>;
}

/** @param part Makes it another name, which may have another place in a cluster. */
export const probeNames = (keyPrefix: string, part = ''): ProbeNames => {
  const lock = `${keyPrefix}nest-redis-lock:probe${part}`;
  const channel = lockChannel(lock);
  const named = [lockToken(lock), fairQueue(lock), fairDeadlines(lock), requestMarker(lock, 'probe')];
  const suffixed = [permitDeadlines(lock), readWriteStem(lock)];
  // What has braces of its own gets none.
  const suffixRule = lock.includes('{') ? `~${keyPrefix}*` : `~{${keyPrefix}*`;
  const companions = keyPrefix === '' ? 'redisson_*' : `redisson_*${keyPrefix}*`;
  const channels = [channel, semaphoreChannel(lock), latchChannel(lock), readWriteLockChannel(lock)];
  return {
    lock,
    rule: `~${keyPrefix}*`,
    keys: new Map([
      ...named.map((key) => [key, `~${companions}`] as const),
      ...suffixed.map((key) => [key, suffixRule] as const),
    ]),
    channel,
    channels: new Map(channels.map((name) => [name, `&${companions}`])),
  };
};
