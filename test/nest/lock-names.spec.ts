import { LockNameError, LockService } from 'nest-redis-lock';
import { caught, thrownBy } from '../kit/caught.js';
import { runtimeOf, start } from './applications.js';

describe('A name that cannot be a lock', () => {
  const names: readonly (readonly [what: string, name: unknown, reason: string])[] = [
    ['nothing', '', 'is empty'],
    ['513 letters', 'x'.repeat(513), 'is longer than 512 bytes'],
    ['257 letters of two bytes each', 'é'.repeat(257), 'is longer than 512 bytes'],
    ['ten megabytes', 'x'.repeat(10_000_000), 'is longer than 512 bytes'],
    ['a zero byte', 'order\0', 'contains a control character'],
    ['a line break', 'order\r\nDEL x', 'contains a control character'],
    ['half a surrogate pair', 'order \ud83d', 'is not well-formed'],
    ['an empty hash tag', '{}order', 'empty hash tag'],
    ['braces the wrong way round', '}order{', 'has a "}" before the first "{"'],
    ['an open brace', 'order{', 'has a "{" without a "}"'],
    ['a buffer', Buffer.from('order'), 'is not a string'],
    ['a list', ['order'], 'is not a string'],
    ['a number', 7, 'is not a string'],
    ['undefined', undefined, 'is not a string'],
    ['null', null, 'is not a string'],
    ['an object', { toString: () => 'order' }, 'is not a string'],
    ['a function', () => 'order', 'is not a string'],
    ['a symbol', Symbol('order'), 'is not a string'],
  ];

  it.each(names)('%s is refused by every call, before anything is sent', async (_, name, reason) => {
    const app = await start({});
    const locks = app.get(LockService);
    const acquire = jest.spyOn(runtimeOf(app).backend.lock, 'acquire');
    const bad = name as string;
    const errors = [
      thrownBy(() => locks.getLock(bad), LockNameError),
      await caught(locks.acquire(bad), LockNameError),
      await caught(locks.tryAcquire(bad), LockNameError),
      await caught(
        locks.withLock(bad, () => {}),
        LockNameError,
      ),
    ];
    expect(errors.filter(({ message }) => !message.includes(reason))).toEqual([]);
    expect(Math.max(...errors.map(({ message }) => message.length))).toBeLessThan(300);
    expect(acquire).not.toHaveBeenCalled();
    await app.close();
  });

  it('is refused by currentHold(), too', async () => {
    const app = await start({});
    expect(thrownBy(() => app.get(LockService).currentHold(''), LockNameError).message).toContain('is empty');
    await app.close();
  });

  it('has to fit with its prefix', async () => {
    const app = await start({}, { connection: 'memory', keyPrefix: 'shop:', maxNameBytes: 10 });
    const locks = app.get(LockService);
    expect(locks.getLock('order').name).toBe('shop:order');
    thrownBy(() => locks.getLock('orders'), LockNameError);
    thrownBy(() => locks.getLock(''), LockNameError);
    await app.close();
  });

  it.each(['__proto__', 'constructor', 'e\u0301', 'é', 'a b', '{tag}order', '💳'])('is not %p', async (name) => {
    const app = await start({});
    const locks = app.get(LockService);
    await expect(locks.getLock(name).isLocked()).resolves.toBe(false);
    await expect(locks.withLock(name, (hold) => hold.name)).resolves.toBe(name);
    await app.close();
  });
});
