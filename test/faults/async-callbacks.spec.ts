import { LockError, LockService } from '../../lib/index.js';
import { signalOfCall } from '../../lib/decorators/caller-signal.js';
import { methodKey } from '../../lib/decorators/method-key.js';
import { beneficiaryOf } from '../../lib/decorators/release-after.js';
import type { LockEvent } from '../../lib/events/lock-events.js';
import { until } from '../kit/until.js';
import { useServerFixture } from './server-fixture.js';

/** Fails as an `async` function does that is given where no promise is awaited. */
const fail = async (): Promise<never> => {
  await Promise.resolve();
  throw new Error('rejected by a callback');
};
/** Such a function, as a caller without types gives it. */
const given = fail as () => never;
const CALL = { instance: undefined, args: [], place: 'Orders.pay', method: '@Locked Orders.pay' };

/** The end of each test fails for a rejection that nobody handled, as Node ends the process. */
describe('D46: a callback that is async and rejects', () => {
  const fixture = useServerFixture();

  const unexpected = (events: LockEvent[]): unknown[] => {
    const isUnexpected = ({ type }: LockEvent): boolean => type === 'unexpected';
    return events.splice(0).flatMap((event) => (isUnexpected(event) ? [event] : []));
  };

  it.each<[string, (locks: LockService) => unknown]>([
    ['a listener of events', (locks) => locks.onEvent('released', given)],
    [
      'a listener of events that are unexpected, after one that throws',
      (locks) => {
        locks.onEvent('unexpected', given);
        locks.onEvent('released', () => {
          throw new Error('thrown by a listener');
        });
      },
    ],
  ])('%s is told as unexpected, once', async (_, listen) => {
    const { locks, events } = fixture().open();
    listen(locks);
    await locks.withLock('d46', () => {});
    await until(() => events.length > 0);
    expect(unexpected(events)).toHaveLength(1);
  });

  it('traceId of holderRecords is told as unexpected, and the lock has no trace', async () => {
    const { locks, events } = fixture().open(undefined, { holderRecords: { service: 'shop', traceId: given } });
    await locks.withLock('d46', () => {});
    await until(() => events.length > 0);
    expect(unexpected(events)).not.toHaveLength(0);
  });

  it.each<[string, (locks: LockService) => unknown]>([
    ['a key function', () => methodKey(given, '@Locked').names(CALL, 10)],
    ['a key function, for a name of its list', () => methodKey(() => [given()], '@Locked').names(CALL, 10)],
    ['a function that finds the signal', () => signalOfCall(given, CALL)],
    [
      'keptFor',
      () =>
        beneficiaryOf(
          Object.assign(() => {}, { keptFor: fail }),
          [],
          CALL.method,
        ),
    ],
    ['a backoff', (locks) => locks.getSpinLock('d46', given).acquire({ wait: 10 })],
    ['a backoff, for a pause', (locks) => locks.getSpinLock('d46', () => [given()]).acquire({ wait: 10 })],
  ])('%s is refused with an error of the call', async (_, call) => {
    const { locks } = fixture().open();
    const error = await (async () => call(locks))().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LockError);
  });

  it('onConflict rejects the call', async () => {
    const { locks } = fixture().open();
    const other = fixture().open();
    await other.locks.acquire('d46');
    await expect(locks.withLock('d46', { onConflict: fail }, () => {})).rejects.toThrow('rejected by a callback');
  });

  it('onElected and onDemoted are told as a failed election', async () => {
    const { locks, events } = fixture().open();
    const election = locks.getLeaderElection('d46', { onElected: fail, onDemoted: fail });
    election.start();
    await until(() => events.filter(({ type }) => type === 'election-failed').length >= 2);
    await election.stop();
    expect(unexpected(events)).toEqual([]);
  });
});
