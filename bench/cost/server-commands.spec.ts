import { between, scriptUsage, sentByClients, subscriptionUsage } from './server-commands.js';

const stats = (calls: Readonly<Record<string, number>>) =>
  new Map(Object.entries(calls).map(([name, count]) => [name, { calls: count, usec: 10 * count }]));

describe('server commands', () => {
  it('are those between two measurements, without the measurements', () => {
    const done = between(stats({ set: 5, get: 1, info: 1 }), stats({ set: 8, get: 1, info: 2, del: 2 }));
    expect([...done]).toEqual([
      ['set', { calls: 3, usec: 30 }],
      ['del', { calls: 2, usec: 20 }],
    ]);
    expect(sentByClients(done)).toEqual({ calls: 5, usec: 50 });
  });

  it('do not count what scripts called', () => {
    const done = stats({ evalsha: 4, hget: 4, publish: 2, subscribe: 1, unsubscribe: 1 });
    expect(sentByClients(done).calls).toBe(6);
    expect(scriptUsage(done)).toEqual({ calls: 4, usec: 40 });
    expect(subscriptionUsage(done)).toEqual({ calls: 2, usec: 20 });
  });

  it('count what clients send beside scripts', () => {
    expect(sentByClients(stats({ evalsha: 4, get: 4, del: 4, set: 3 }), ['set'])).toEqual({ calls: 7, usec: 70 });
  });
});
