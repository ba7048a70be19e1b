import { mentions } from '../servers/proxy/fault-proxy.js';
import { settled } from './observe.js';
import { until } from '../kit/until.js';
import { SLOW, useServerFixture } from './server-fixture.js';

describe('F1: the reply of a request about a shared result is lost', () => {
  const fixture = useServerFixture();

  /** Work that goes on until the test ends it, with a count of its runs. */
  const slowWork = () => {
    let end: () => void = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const work = {
      runs: 0,
      end,
      run: async (): Promise<string> => {
        work.runs += 1;
        await ended;
        return 'made';
      },
    };
    return work;
  };

  it('stores it nevertheless, and runs once, after a lost reply to the request that stores it', async () => {
    const { client, proxy } = await fixture().openBehindProxy(SLOW);
    const other = fixture().open();
    const work = slowWork();
    const own = client.locks.singleFlight('f1:left', work.run);
    await until(() => work.runs === 1, 1000, 'it is being made');
    const elsewhere = other.locks.singleFlight('f1:left', work.run);
    await until(() => other.runtime.acquirer.contended === 1, 1000, 'somebody waits for it');
    const cut = proxy.cutAfter(mentions('eval', '{f1:left}:flight', '{f1:left}:result'));
    work.end();
    await cut;
    expect(await Promise.all([own, elsewhere])).toEqual(['made', 'made']);
    expect(work.runs).toBe(1);
    expect(client.events.filter(({ type }) => type === 'result-not-shared')).toEqual([]);
  });

  it('looks for it again, as long as the caller waits, after a lost reply', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const work = slowWork();
    work.end();
    const cut = proxy.cutAfter(mentions('eval', '{f1:found}:result'));
    const call = client.locks.singleFlight('f1:found', { wait: '5s' }, work.run);
    await cut;
    expect(await call).toBe('made');
    const impatient = proxy.cutAfter(mentions('eval', '{f1:one try}:result'));
    const attempt = await settled(() => client.locks.singleFlight('f1:one try', { wait: 0 }, work.run));
    await impatient;
    expect(attempt.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', lockName: 'f1:one try' });
    expect(work.runs).toBe(1);
  });
});
