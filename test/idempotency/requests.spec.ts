import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './payments.worker.js';

const redis = new RedisWorld();
/** Watchdog time-out of a process that is killed, ms. */
const WATCHDOG = 900;
/** One that no stall outlasts, ms. */
const LONG_WATCHDOG = 30_000;

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

inWorld(redis, ({ time }) => {
  const start = (renewedLease = LONG_WATCHDOG, adapter = 'Express'): Promise<Worker<typeof api>> => {
    const file = new URL('./payments.worker.ts', import.meta.url);
    return Worker.start<typeof api>(file, { args: [redis.server.url, String(renewedLease), adapter] });
  };

  const pay = async (process: Worker<typeof api>, key: string | undefined, amount: number): Promise<Reply> => {
    const response = await fetch(`${await process.call('url')}/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) },
      body: JSON.stringify({ amount }),
    });
    return { status: response.status, body: await response.json() };
  };

  const calls = async (): Promise<number> => Number(await redis.admin.get('calls'));
  const charges = (): Promise<number> => redis.admin.hlen('charges');

  describe('A request with an Idempotency-Key', () => {
    let one: Worker<typeof api>;
    let other: Worker<typeof api>;

    beforeAll(async () => {
      [one, other] = await Promise.all([start(), start(LONG_WATCHDOG, 'Fastify')]);
    });
    afterAll(() => Promise.all([one.stop(), other.stop()]));

    it('is answered once by the handler, and again from the store of any process', async () => {
      const first = await pay(one, '"a"', 7);
      expect(first).toEqual({ status: 201, body: { id: `charge-${one.pid}`, amount: 7 } });
      await expect(pay(one, '"a"', 7)).resolves.toEqual(first);
      await expect(pay(other, '"a"', 7)).resolves.toEqual(first);
      await expect(calls()).resolves.toBe(1);
      await expect(pay(other, '"b"', 7)).resolves.toMatchObject({ status: 201 });
      await expect(calls()).resolves.toBe(2);
    });

    it('is refused while the first one runs, with 409', async () => {
      const running = pay(one, '"a"', 1);
      await time.until(async () => (await charges()) === 1, 5000);
      await expect(pay(other, '"a"', 1)).resolves.toMatchObject({ status: 409 });
      await expect(pay(one, '"a"', 1)).resolves.toMatchObject({ status: 409 });
      await one.call('goOn');
      const first = await running;
      expect(first).toMatchObject({ status: 201 });
      await expect(pay(other, '"a"', 1)).resolves.toEqual(first);
      await expect(calls()).resolves.toBe(1);
    });

    it('is refused if its body is another one, with 422', async () => {
      await pay(one, '"a"', 7);
      await expect(pay(one, '"a"', 8)).resolves.toMatchObject({ status: 422 });
      await expect(calls()).resolves.toBe(1);
    });

    it('is refused without a key, with 400', async () => {
      await expect(pay(one, undefined, 7)).resolves.toMatchObject({ status: 400 });
      await expect(pay(other, '', 7)).resolves.toMatchObject({ status: 400 });
      await expect(calls()).resolves.toBe(0);
    });

    it('gets an error of its own again, and after a failure of the server a new attempt', async () => {
      const refused = await pay(one, '"a"', 400);
      expect(refused).toMatchObject({ status: 400, body: { message: 'No such card' } });
      await expect(pay(one, '"a"', 400)).resolves.toEqual(refused);
      await expect(calls()).resolves.toBe(1);
      await expect(pay(one, '"b"', 500)).resolves.toMatchObject({ status: 503 });
      await expect(pay(one, '"b"', 500)).resolves.toMatchObject({ status: 503 });
      await expect(calls()).resolves.toBe(3);
    });

    it('runs again, and charges once, if the process dies before the answer is stored', async () => {
      await using dying = await start(WATCHDOG);
      const cut = pay(dying, '"a"', 1).catch(() => 'cut');
      await time.until(async () => (await charges()) === 1, 5000);
      await other.call('goOn');
      dying.kill('SIGKILL');
      await expect(cut).resolves.toBe('cut');
      // 409 until the lease of the dead process has ended.
      let reply: Reply | undefined;
      await time.until(async () => {
        reply = await pay(other, '"a"', 1);
        return reply.status === 201;
      }, WATCHDOG + 5000);
      expect(reply).toEqual({ status: 201, body: { id: `charge-${dying.pid}`, amount: 1 } });
      await expect(calls()).resolves.toBe(2);
      await expect(charges()).resolves.toBe(1);
    });
  });
});
