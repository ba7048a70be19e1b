import { SilenceGuard } from '../../lib/backend/connection/silence-guard.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';

const LONGEST = 2000;
const TIMEOUT = 1000;

const thrown = (error: unknown): never => {
  throw error;
};

const open = () => {
  const clock = new ManualClock();
  const droppedFor: string[] = [];
  const drop = ({ message }: Error): void => void droppedFor.push(message);
  const guard = new SilenceGuard(new MonotonicScheduler(clock, thrown), LONGEST, drop);
  return { clock, droppedFor, guard };
};

describe('A connection whose server is silent', () => {
  it('is dropped once, however many commands miss their deadlines', async () => {
    const { clock, droppedFor, guard } = open();
    for (let missed = 0; missed < 3; missed++) guard.missed(TIMEOUT);
    expect(clock.pending).toBe(1);
    await clock.advance(LONGEST);
    expect(droppedFor).toHaveLength(1);
  });

  it('is kept if the server answers a command meanwhile', async () => {
    const { clock, droppedFor, guard } = open();
    guard.missed(TIMEOUT);
    await clock.advance(LONGEST - TIMEOUT - 1);
    guard.answered();
    await clock.advance(LONGEST);
    expect(droppedFor).toEqual([]);
    guard.missed(TIMEOUT);
    await clock.advance(LONGEST - TIMEOUT);
    expect(droppedFor).toHaveLength(1);
  });

  it('keeps no timer after it has closed', async () => {
    const { clock, droppedFor, guard } = open();
    guard.missed(TIMEOUT);
    guard.answered();
    expect(clock.pending).toBe(0);
    await clock.advance(LONGEST);
    expect(droppedFor).toEqual([]);
  });
});
