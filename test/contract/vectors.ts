/** Holders of the conformance vectors: two threads of one Redisson instance, and one thread of another. */
export const A1 = '11111111-1111-1111-1111-111111111111:1';
export const A2 = '11111111-1111-1111-1111-111111111111:2';
export const B7 = '22222222-2222-2222-2222-222222222222:7';

export type Range = readonly [min: number, max: number];

/** An operation in Redisson's words. Hold counts follow from the state: one more to acquire, one less to release. */
export type Operation =
  | { readonly acquire: { readonly name: string; readonly owner: string; readonly lease: number } }
  | { readonly release: { readonly name: string; readonly owner: string } }
  | { readonly forceRelease: { readonly name: string } }
  | { readonly renew: { readonly timeout: number; readonly items: readonly (readonly [string, string])[] } };

export interface ExpectedKey {
  readonly type: 'hash' | 'string';
  readonly value: Readonly<Record<string, string>> | string;
  readonly ttl: Range | 'none';
}

export interface Vector {
  readonly id: string;
  readonly title: string;
  /** Redis commands, arguments separated by blanks. */
  readonly setup: readonly string[];
  readonly operation: Operation;
  /** Milliseconds to wait, or a range of them, where an acquisition finds the lock held. */
  readonly returns: 'acquired' | 'final' | 'partial' | 'notOwner' | boolean | number | Range | readonly (0 | 1)[];
  /** All keys afterwards. */
  readonly state: Readonly<Record<string, ExpectedKey>>;
  readonly messages: readonly (readonly [channel: string, payload: string])[];
  /** Why the vector has no counterpart in memory. */
  readonly notInMemory?: string;
}

const held = (owner: string, count: number, ttl: Range | 'none'): ExpectedKey => ({
  type: 'hash',
  value: { [owner]: String(count) },
  ttl,
});

const WHOLE: Range = [29_000, 30_000];

/** Section 16.1 of the wire format: L01 to L15. Redisson writes its private unlock latches beside them, we do not. */
export const vectors: readonly Vector[] = [
  {
    id: 'L01',
    title: 'first acquire',
    setup: [],
    operation: { acquire: { name: 'lk', owner: A1, lease: 30_000 } },
    returns: 'acquired',
    state: { lk: held(A1, 1, WHOLE) },
    messages: [],
  },
  {
    id: 'L02',
    title: 'reentrant acquire with shorter lease shortens the TTL',
    setup: [`HSET lk ${A1} 1`, 'PEXPIRE lk 30000'],
    operation: { acquire: { name: 'lk', owner: A1, lease: 10_000 } },
    returns: 'acquired',
    state: { lk: held(A1, 2, [9000, 10_000]) },
    messages: [],
  },
  {
    id: 'L03',
    title: 'held by another, returns remaining TTL, no change',
    setup: [`HSET lk ${A1} 1`, 'PEXPIRE lk 20000'],
    operation: { acquire: { name: 'lk', owner: B7, lease: 30_000 } },
    returns: [19_000, 20_000],
    state: { lk: held(A1, 1, [19_000, 20_000]) },
    messages: [],
  },
  {
    id: 'L04',
    title: 'same client id, other thread id is another holder',
    setup: [`HSET lk ${A1} 1`, 'PEXPIRE lk 20000'],
    operation: { acquire: { name: 'lk', owner: A2, lease: 30_000 } },
    returns: [19_000, 20_000],
    state: { lk: held(A1, 1, [19_000, 20_000]) },
    messages: [],
  },
  {
    id: 'L05',
    title: 'held hash without TTL returns -1',
    setup: [`HSET lk ${A1} 1`],
    operation: { acquire: { name: 'lk', owner: B7, lease: 30_000 } },
    returns: -1,
    state: { lk: held(A1, 1, 'none') },
    messages: [],
    notInMemory: 'only a peer that makes a mistake leaves a lock without a TTL',
  },
  {
    id: 'L06',
    title: 'partial release restores the TTL and does not publish',
    setup: [`HSET lk ${A1} 2`, 'PEXPIRE lk 5000'],
    operation: { release: { name: 'lk', owner: A1 } },
    returns: 'partial',
    state: { lk: held(A1, 1, WHOLE) },
    messages: [],
  },
  {
    id: 'L07',
    title: 'final release',
    setup: [`HSET lk ${A1} 1`, 'PEXPIRE lk 5000'],
    operation: { release: { name: 'lk', owner: A1 } },
    returns: 'final',
    state: {},
    messages: [['redisson_lock__channel:{lk}', '0']],
  },
  {
    id: 'L08',
    title: 'release by a non-owner changes nothing',
    setup: [`HSET lk ${A1} 1`, 'PEXPIRE lk 5000'],
    operation: { release: { name: 'lk', owner: B7 } },
    returns: 'notOwner',
    state: { lk: held(A1, 1, [4000, 5000]) },
    messages: [],
  },
  {
    id: 'L09',
    title: 'release of a missing lock is a non-owner error and silent',
    setup: [],
    operation: { release: { name: 'lk', owner: A1 } },
    returns: 'notOwner',
    state: {},
    messages: [],
  },
  {
    id: 'L10',
    // Redisson recognises a repeated release by a latch key, because its holder ids come back. Ours never do: a repeat
    // finds that its owner holds nothing. What a peer can observe is the same, nothing changes; the latch is not read.
    title: 'repeated release changes nothing, whoever has the lock by now, and leaves the latch of a peer alone',
    setup: [
      'SET redisson_unlock_latch:{lk}:0123456789abcdef0123456789abcdef 1 PX 15000',
      `HSET lk ${B7} 1`,
      'PEXPIRE lk 5000',
    ],
    operation: { release: { name: 'lk', owner: A1 } },
    returns: 'notOwner',
    state: {
      lk: held(B7, 1, [4000, 5000]),
      'redisson_unlock_latch:{lk}:0123456789abcdef0123456789abcdef': { type: 'string', value: '1', ttl: [1, 15_000] },
    },
    messages: [],
    notInMemory: 'there are no peers with keys of their own',
  },
  {
    id: 'L11',
    title: 'force release by anybody',
    setup: [`HSET lk ${A1} 3`, 'PEXPIRE lk 5000'],
    operation: { forceRelease: { name: 'lk' } },
    returns: true,
    state: {},
    messages: [['redisson_lock__channel:{lk}', '0']],
  },
  {
    id: 'L12',
    title: 'force release of a missing lock is silent',
    setup: [],
    operation: { forceRelease: { name: 'lk' } },
    returns: false,
    state: {},
    messages: [],
  },
  {
    id: 'L13',
    title: 'name with braces is not wrapped again',
    setup: [`HSET a{b}c ${A1} 1`, 'PEXPIRE a{b}c 5000'],
    operation: { release: { name: 'a{b}c', owner: A1 } },
    returns: 'final',
    state: {},
    messages: [['redisson_lock__channel:a{b}c', '0']],
  },
  {
    id: 'L14',
    title: 'batched renewal, renews only what is still held',
    setup: [`HSET l1 ${A1} 1`, 'PEXPIRE l1 1500', `HSET l2 ${B7} 1`, 'PEXPIRE l2 9000'],
    operation: {
      renew: {
        timeout: 30_000,
        items: [
          ['l1', A1],
          ['l2', A1],
          ['l3', A1],
        ],
      },
    },
    returns: [1, 0, 0],
    state: { l1: held(A1, 1, WHOLE), l2: held(B7, 1, [8000, 9000]) },
    messages: [],
  },
  {
    id: 'L15',
    title: 'renewal shortens a longer TTL',
    setup: [`HSET l1 ${A1} 1`, 'PEXPIRE l1 90000'],
    operation: { renew: { timeout: 30_000, items: [['l1', A1]] } },
    returns: [1],
    state: { l1: held(A1, 1, WHOLE) },
    messages: [],
  },
];
