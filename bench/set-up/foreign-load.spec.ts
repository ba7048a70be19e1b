import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseProcess, parseStolen, ticksOfOthers, withForeignLoad } from './foreign-load.js';

const line = (pid: number, parent: number, ...ticks: number[]): string =>
  `${pid} (a (b) c) S ${parent} 1 1 0 -1 4194560 1 2 3 4 ${ticks.join(' ')} 20 0 11 0`;

describe('foreign load', () => {
  it('is the time of all processes but this one and those that it has started', () => {
    const processes = [
      line(1, 0, 1, 2, 3, 4),
      line(7, 1, 10, 20, 30, 40),
      line(8, 7, 100, 0, 0, 0),
      line(9, 1, 5, 0, 0, 0),
    ];
    expect(parseProcess(line(7, 1, 10, 20, 30, 40))).toEqual({ pid: 7, parent: 1, ticks: 100 });
    expect(ticksOfOthers(processes.map(parseProcess), 7)).toBe(15);
  });

  it('includes the time that a host takes', () => {
    expect(parseStolen('cpu  1 2 3 4 5 6 7 88 9 10\ncpu0 1 2 3 4 5 6 7 44 9 10\n')).toBe(88);
    expect(parseStolen('')).toBe(0);
  });

  it('does not include what a child of this process computes', async () => {
    const [result, load] = await withForeignLoad(async () => {
      const child = spawn(process.execPath, ['-e', 'for (const end = Date.now() + 500; Date.now() < end;);']);
      await once(child, 'exit');
      return 'done';
    });
    expect(result).toBe('done');
    expect(load).toBeGreaterThanOrEqual(0);
  });
});
