import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { pin } from './pinning.js';

const allowedCores = (pid: number): string[] =>
  [...readFileSync(`/proc/${pid}/status`, 'utf8').matchAll(/^Cpus_allowed_list:\s*(\S+)$/gm)].map(
    ([, cores = '']) => cores,
  );

async function sleeper(): Promise<{ readonly pid: number; readonly end: () => Promise<void> }> {
  const child: ChildProcess = spawn('sleep', ['60'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await once(child, 'spawn');
  const end = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  return { pid: child.pid ?? 0, end };
}

describe('pin', () => {
  it('leaves a process one core', async () => {
    const { pid, end } = await sleeper();
    try {
      pin(pid, 0);
      expect(allowedCores(pid)).toEqual(['0']);
    } finally {
      await end();
    }
  });

  it('reports a process that has ended', async () => {
    const { pid, end } = await sleeper();
    await end();
    expect(() => pin(pid, 0)).toThrow('ESRCH');
  });
});
