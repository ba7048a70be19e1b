const LEASE = ['ttl', 'duration', 'leaseTime', 'releaseTime', 'expire', 'lockTimeout'];
const WAIT = [
  'retryCount',
  'retryDelay',
  'retryJitter',
  'retries',
  'maxAttempts',
  'timeout',
  'waitTime',
  'acquireTimeout',
];
const KEY_PREFIX = ['prefix', 'lockKeyPrefix'];

/** Names of options in other lock libraries: what does their work here, the first that is known in the place. */
const REMEDIES: readonly (readonly [names: readonly string[], option: string, remedy: string])[] = [
  [LEASE, 'lease', 'it is called lease here'],
  [
    LEASE,
    'watchdogTimeout',
    'lease is given where something is locked; holds without one have watchdogTimeout, renewed',
  ],
  [WAIT, 'wait', 'give wait, the longest time to wait, in place of attempts and pauses'],
  [KEY_PREFIX, 'keyPrefix', 'it is called keyPrefix here'],
];

/** What to give in place of an option of another library; `undefined`: it is none. */
export const remedyForOtherName = (name: string, known: readonly string[]): string | undefined =>
  REMEDIES.find(([names, option]) => names.includes(name) && known.includes(option))?.[2];
