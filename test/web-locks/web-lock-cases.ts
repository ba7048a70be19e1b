import assert from 'node:assert/strict';
import type { RedisLockManager, WebLock } from '../../lib/integrations/web-locks/index.js';
import { Gate } from '../kit/gate.js';

/** Two programs that use the same locks. */
export interface Place {
  readonly one: Pick<RedisLockManager, 'request' | 'query'>;
  readonly other: Pick<RedisLockManager, 'request' | 'query'>;
  /** Resolves once what was asked for is done, unless it waits for a lock. */
  readonly settle: () => Promise<void>;
}

/** Requests that hold their lock until they are told to end. */
class Requests {
  readonly granted: string[] = [];
  private readonly gates = new Map<string, Gate>();

  /** Begins a request, which is noted under `id` when it is granted. */
  begin(id: string, manager: Place['one'], name: string, options: Parameters<Place['one']['request']>[1] & object) {
    const gate = new Gate();
    this.gates.set(id, gate);
    const done = manager.request(name, options, async (lock) => {
      this.granted.push(lock ? id : `${id} refused`);
      if (lock) await gate.pass();
      return id;
    });
    done.catch(() => {});
    return done;
  }

  end(id: string): void {
    this.gates.get(id)?.open();
  }
}

const nameOf = async (request: Promise<unknown>): Promise<unknown> => {
  try {
    return await request;
  } catch (error) {
    return error instanceof DOMException ? error.name : error;
  }
};

const exclusive = { mode: 'exclusive' } as const;
const shared = { mode: 'shared' } as const;

/** What the Web Locks API promises, in Redis and in Node alike. */
export const webLockCases: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  'resolves with the result, and tells the callback its lock': async ({ one }) => {
    let told: Pick<WebLock, 'name' | 'mode'> | null = null;
    const result = await one.request('n', async (lock) => {
      told = lock && { name: lock.name, mode: lock.mode };
      return 7;
    });
    assert.equal(result, 7);
    assert.deepEqual(told, { name: 'n', mode: 'exclusive' });
    assert.equal(await one.request('n', shared, (lock) => lock?.mode), 'shared');
  },

  'rejects with the error of the callback, and is free again': async ({ one, other, settle }) => {
    const error = new Error('no');
    await assert.rejects(
      one.request('n', () => Promise.reject(error)),
      (found) => found === error,
    );
    await settle();
    assert.equal(await other.request('n', { ifAvailable: true }, (lock) => lock !== null), true);
  },

  'lets one exclusive request in at a time': async ({ one, other, settle }) => {
    const requests = new Requests();
    const first = requests.begin('first', one, 'n', exclusive);
    await settle();
    const second = requests.begin('second', other, 'n', exclusive);
    const elsewhere = requests.begin('elsewhere', other, 'm', exclusive);
    await settle();
    assert.deepEqual(requests.granted, ['first', 'elsewhere']);
    requests.end('first');
    await first;
    await settle();
    assert.deepEqual(requests.granted, ['first', 'elsewhere', 'second']);
    requests.end('second');
    requests.end('elsewhere');
    assert.deepEqual(await Promise.all([second, elsewhere]), ['second', 'elsewhere']);
  },

  'lets shared requests in together, and none behind an exclusive one that waits': async ({ one, other, settle }) => {
    const requests = new Requests();
    const readers = [requests.begin('a', one, 'n', shared), requests.begin('b', other, 'n', shared)];
    await settle();
    const writer = requests.begin('writer', other, 'n', exclusive);
    await settle();
    const late = requests.begin('late', one, 'n', shared);
    const refused = requests.begin('hasty', one, 'n', { mode: 'shared', ifAvailable: true });
    await settle();
    assert.deepEqual([...requests.granted].sort(), ['a', 'b', 'hasty refused']);
    requests.end('a');
    requests.end('b');
    await Promise.all(readers);
    await settle();
    assert.deepEqual(requests.granted.slice(3), ['writer']);
    requests.end('writer');
    await writer;
    await settle();
    assert.deepEqual(requests.granted.slice(4), ['late']);
    requests.end('late');
    await Promise.all([late, refused]);
  },

  'calls the callback with null if the lock is not available': async ({ one, other, settle }) => {
    const requests = new Requests();
    const first = requests.begin('first', one, 'n', shared);
    await settle();
    const modes = ['exclusive', 'shared'] as const;
    const answers = modes.map((mode) => other.request('n', { mode, ifAvailable: true }, (lock) => lock?.mode ?? null));
    assert.deepEqual(await Promise.all(answers), [null, 'shared']);
    requests.end('first');
    await first;
  },

  'is no re-entry in the callback of another request': async ({ one }) => {
    for (const mode of ['exclusive', 'shared'] as const) {
      const inner = await one.request('n', { mode }, () =>
        one.request('n', { mode: 'exclusive', ifAvailable: true }, (lock) => lock),
      );
      assert.equal(inner, null);
    }
  },

  'ends a wait with the reason of the signal, and not a hold': async ({ one, other, settle }) => {
    const requests = new Requests();
    const over = new AbortController();
    const first = requests.begin('first', one, 'n', { signal: over.signal });
    await settle();
    const [reason, wait] = [new Error('enough'), new AbortController()];
    const second = requests.begin('second', other, 'n', { signal: wait.signal });
    await settle();
    over.abort();
    wait.abort(reason);
    assert.equal(await nameOf(second), reason);
    assert.equal(await nameOf(requests.begin('third', other, 'n', { signal: wait.signal })), reason);
    await settle();
    assert.deepEqual(requests.granted, ['first']);
    requests.end('first');
    assert.equal(await first, 'first');
  },

  'steals a lock from its holder': async ({ one, other, settle }) => {
    const requests = new Requests();
    const first = requests.begin('first', one, 'n', exclusive);
    await settle();
    const thief = requests.begin('thief', other, 'n', { steal: true });
    assert.equal(await nameOf(first), 'AbortError');
    await settle();
    assert.deepEqual(requests.granted, ['first', 'thief']);
    requests.end('thief');
    assert.equal(await thief, 'thief');
  },

  'steals from all that share it': async ({ one, other, settle }) => {
    const requests = new Requests();
    const readers = [requests.begin('a', one, 'n', shared), requests.begin('b', other, 'n', shared)];
    await settle();
    const thief = requests.begin('thief', other, 'n', { steal: true });
    assert.deepEqual(await Promise.all(readers.map(nameOf)), ['AbortError', 'AbortError']);
    requests.end('thief');
    assert.equal(await thief, 'thief');
  },

  'refuses what excludes each other': async ({ one }) => {
    const { signal } = new AbortController();
    const refused = [
      one.request('n', { mode: 'shared', steal: true }, () => {}),
      one.request('n', { ifAvailable: true, steal: true }, () => {}),
      one.request('n', { ifAvailable: true, signal }, () => {}),
      one.request('n', { steal: true, signal }, () => {}),
      one.request('-n', () => {}),
    ];
    assert.deepEqual(
      await Promise.all(refused.map(nameOf)),
      refused.map(() => 'NotSupportedError'),
    );
  },

  'tells what is held and what waits': async ({ one, other, settle }) => {
    const requests = new Requests();
    const held = [requests.begin('a', one, 'n', shared), requests.begin('b', other, 'm', exclusive)];
    await settle();
    const waiting = requests.begin('waiting', one, 'm', shared);
    await settle();
    const found = await one.query();
    const shown = (infos: typeof found.held) => infos.map(({ name, mode }) => `${name} ${mode}`).sort();
    assert.deepEqual(shown(found.held), ['m exclusive', 'n shared']);
    assert.deepEqual(shown(found.pending), ['m shared']);
    for (const id of ['a', 'b', 'waiting']) requests.end(id);
    await Promise.all([...held, waiting]);
    await settle();
    const after = await one.query();
    assert.deepEqual([after.held, after.pending], [[], []]);
  },
};
