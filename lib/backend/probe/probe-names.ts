import {
  fairDeadlines,
  fairQueue,
  idempotencyKeyOf,
  latchChannel,
  lockChannel,
  lockToken,
  permitDeadlines,
  readWriteLockChannel,
  readWriteStem,
  semaphoreChannel,
} from '../../keys/redisson-keys.js';

/** Names for the probe: a lock that no other client uses, with its companion keys and channels. */
export interface ProbeNames {
  readonly lock: string;
  /** The ACL rule that allows it. */
  readonly rule: string;
  /** Companion keys that some kind has under the name of a lock, each with the ACL rule that allows it. */
  readonly keys: ReadonlyMap<string, string>;
  /** Channels, each with the ACL rule that allows it; the first is subscribed to. */
  readonly channel: string;
  /** The ACL rule that allows all of them. */
  readonly channelRule: string;
  readonly channels: ReadonlyMap<string, string>;
}

/** @param part Makes a different name, which may be in another slot of a cluster. */
export const probeNames = (keyPrefix: string, part = ''): ProbeNames => {
  const lock = `${keyPrefix}nest-redis-lock:probe${part}`;
  const channel = lockChannel(lock);
  const named = [lockToken(lock), fairQueue(lock), fairDeadlines(lock), idempotencyKeyOf(lock, 'probe')];
  const suffixed = [permitDeadlines(lock), readWriteStem(lock)];
  // A name with braces of its own gets none.
  const suffixRule = lock.includes('{') ? `~${keyPrefix}*` : `~{${keyPrefix}*`;
  const companions = keyPrefix === '' ? 'redisson_*' : `redisson_*${keyPrefix}*`;
  const channelRule = `&${companions}`;
  const channels = [channel, semaphoreChannel(lock), latchChannel(lock), readWriteLockChannel(lock)];
  return {
    lock,
    rule: `~${keyPrefix}*`,
    keys: new Map([
      ...named.map((key) => [key, `~${companions}`] as const),
      ...suffixed.map((key) => [key, suffixRule] as const),
    ]),
    channel,
    channelRule,
    channels: new Map(channels.map((name) => [name, channelRule])),
  };
};
