import { pause, StandingProcesses } from './standing-processes.js';

describe('A process that renews in a worker thread', () => {
  const processes = StandingProcesses.use();

  it('keeps a lock of 9 s while the event loop stands for 20 s', async () => {
    const process = await processes().start({ renewedLease: '9s' });
    const other = await processes().start({ renewIn: 'main' });
    const standing = process.call('acquireAndStand', 'n', 20_000);
    await processes().whenHeld('n');
    const waiting = other.call('acquire', 'n').then(() => performance.now());
    // The default wait of the other process ends before the block does.
    await expect(waiting).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    await processes().expectHeld('n', 8000);
    expect(await standing).toMatchObject({ isHeld: true, aborted: false });
    await pause(1000);
    expect(await process.call('states')).toEqual([expect.objectContaining({ isHeld: true, aborted: false })]);
    await expect(process.call('release')).resolves.toEqual(['released']);
    await other.call('acquire', 'n');
  });
});
