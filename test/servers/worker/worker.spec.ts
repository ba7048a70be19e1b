import type { api } from './fixtures/echo.worker.js';
import { Worker } from './worker.js';

const file = new URL('./fixtures/echo.worker.ts', import.meta.url);

describe('Worker', () => {
  let worker: Worker<typeof api>;

  beforeEach(async () => {
    worker = await Worker.start<typeof api>(file, { args: ['hello'] });
  });

  afterEach(async () => {
    await worker.stop();
  });

  it('runs the TypeScript of the library in a process of its own', async () => {
    await expect(worker.call('pid')).resolves.toBe(worker.pid);
    expect(worker.pid).not.toBe(process.pid);
    await expect(worker.call('add', 2, 3)).resolves.toBe(5);
    await expect(worker.call('argument')).resolves.toBe('hello');
    await expect(worker.call('fail')).rejects.toMatchObject({
      name: 'LockTimeoutError',
      code: 'LOCK_TIMEOUT',
      message: 'too late',
    });
  });

  it('rejects pending calls when it is killed', async () => {
    setTimeout(() => worker.kill('SIGKILL'), 20);
    await expect(worker.call('sleep', 60_000)).rejects.toThrow('ended with SIGKILL');
    await expect(worker.exited).resolves.toEqual({ code: null, signal: 'SIGKILL' });
    await expect(worker.call('pid')).rejects.toThrow('closed');
  });

  it('is stopped also while paused', async () => {
    worker.kill('SIGSTOP');
    await expect(worker.stop()).resolves.toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('reports a file that ends before it serves', async () => {
    const mute = new URL('./fixtures/mute.worker.ts', import.meta.url);
    await expect(Worker.start(mute)).rejects.toThrow('ended with code 3 before it served');
  });
});
