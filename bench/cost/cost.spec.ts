import type { Redis } from 'ioredis';
import { costEach, costOf } from './cost.js';

/** A server whose counters grow with each operation. */
class Counters {
  operations = 0;

  async info(section: string): Promise<string> {
    if (section === 'cpu') return `used_cpu_sys:${this.operations}.5\r\nused_cpu_user:1.25\r\n`;
    const line = (name: string, calls: number): string => `cmdstat_${name}:calls=${calls},usec=${calls * 3},x=1`;
    return ['', line('evalsha', 2 * this.operations), line('get', this.operations), line('subscribe', 4)].join('\r\n');
  }
}

describe('costOf', () => {
  it('is the difference that the work makes, by the operation', async () => {
    const counters = new Counters();
    const client = { cpuTime: () => Promise.resolve(100 + 30 * counters.operations) };
    const observed = { observer: counters as unknown as Redis, clients: [client, client] };
    const [result, cost] = await costOf(observed, async () => {
      counters.operations = 10;
      return 'done';
    });
    expect(result).toBe('done');
    expect(costEach(cost, 10)).toEqual({
      ...{ clientCpu: 60, serverCpu: 1e6, serverTime: 6 },
      ...{ commands: 2, scripts: 2, subscriptions: 0 },
    });
  });
});
