import { eventsOf, pause, StandingProcesses } from './standing-processes.js';
import { until } from '../../kit/until.js';

describe('A process that renews in a worker thread, and whose event loop stands', () => {
  const processes = StandingProcesses.use();

  it('tells of the code that occupied it', async () => {
    const process = await processes().start();
    await process.call('acquireAndWork', 'n', 2500);
    await until(async () => (await eventsOf(process, 'loop-blocked')).length > 0);
    const innermost = expect.stringMatching(/^fibonacci \(\/.*\/standing\.worker\.ts:\d+:\d+\)$/);
    const stack = expect.arrayContaining([innermost]);
    expect(await eventsOf(process, 'loop-blocked')).toContainEqual(expect.objectContaining({ stack }));
    const line = expect.stringMatching(/stood for [\d.]+ s in fibonacci \(\/.*\/standing\.worker\.ts:/);
    expect(await process.call('log')).toContainEqual(line);
    expect(await process.call('sessions')).toBe(1);
    await expect(process.call('release')).resolves.toEqual(['released']);
  });

  it('tells of no code while another process is waited for, and works as without that', async () => {
    const process = await processes().start();
    await process.call('acquireAndWork', 'n', 2500, true);
    await until(async () => (await eventsOf(process, 'loop-blocked')).length > 0);
    for (const event of await eventsOf(process, 'loop-blocked')) expect(event).not.toHaveProperty('stack');
    expect(await process.call('sessions')).toBeGreaterThan(0);
    await processes().expectHeld('n', 1000);
    expect(await eventsOf(process, 'worker-failed')).toEqual([]);
    await expect(process.call('release')).resolves.toEqual(['released']);
  });

  it('is not looked into as long as it runs', async () => {
    const process = await processes().start({ renewedLease: '9s' });
    await process.call('acquire', 'n');
    await pause(4000);
    expect(await process.call('sessions')).toBe(0);
    await expect(process.call('release')).resolves.toEqual(['released']);
  });
});
