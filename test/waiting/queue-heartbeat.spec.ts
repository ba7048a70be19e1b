import { FairWaiter } from '../../lib/waiting/fair/fair-waiter.js';
import { QueueHeartbeat, ServerOrder } from '../../lib/waiting/fair/queue-heartbeat.js';
import { FairParts, LEASE, NAME, SLOT } from './fair-queue-world.js';
import { unavailable } from './held-requests.js';

const KEEP = SLOT / 3;
const KEEP_AGAIN = SLOT / 10;
/** The number of places that one request keeps. */
const BATCH = 500;

describe('The heartbeat of the places in the queue of a fair lock', () => {
  let parts: FairParts;
  let places: ServerOrder<FairWaiter>;
  let lost: FairWaiter[];
  let failures: unknown[];
  let heartbeat: QueueHeartbeat;

  beforeEach(() => {
    parts = new FairParts();
    places = new ServerOrder();
    lost = [];
    failures = [];
    heartbeat = new QueueHeartbeat(NAME, parts.waiting, places, {
      lost: (waiter) => void lost.push(waiter),
      failed: (error) => void failures.push(error),
    });
  });

  const enter = (count: number): FairWaiter[] => {
    const callbacks = { granted: () => {}, refused: () => {} };
    const waiters = Array.from(
      { length: count },
      () => new FairWaiter(parts.context(), LEASE, callbacks, parts.waiting),
    );
    for (const waiter of waiters) places.add(waiter);
    return waiters;
  };

  const ownersOf = (waiters: readonly FairWaiter[]): readonly string[] => waiters.map(({ owner }) => owner);

  const beats = (): number => parts.locks.keeps.sent.length;

  /** Answers the oldest request: all places are kept except those of `gone`. */
  const reply = async (...gone: readonly FairWaiter[]): Promise<void> => {
    const held = parts.locks.keeps.take();
    held.reply(held.request.owners.map((owner) => !ownersOf(gone).includes(owner)));
    await parts.settle();
  };

  const fail = async (error: unknown): Promise<void> => {
    parts.locks.keeps.take().fail(error);
    await parts.settle();
  };

  it('keeps all places in their order a third of a slot after its start, and after each answer', async () => {
    const waiters = enter(3);
    heartbeat.start();
    await parts.clock.advance(KEEP - 1);
    expect(beats()).toBe(0);
    await parts.clock.advance(1);
    expect(parts.locks.keeps.sent).toEqual([{ name: NAME, owners: ownersOf(waiters), slot: SLOT }]);
    await parts.clock.advance(KEEP);
    expect(beats()).toBe(1);
    await reply();
    await parts.clock.advance(KEEP - 1);
    expect(beats()).toBe(1);
    await parts.clock.advance(1);
    expect(beats()).toBe(2);
    expect([lost, failures]).toEqual([[], []]);
  });

  it('keeps all waiters with a place at the time of the request', async () => {
    const [first, second] = enter(2);
    heartbeat.start();
    if (first) places.delete(first);
    const [third] = enter(1);
    await parts.clock.advance(KEEP);
    expect(parts.locks.keeps.sent[0]?.owners).toEqual([second?.owner, third?.owner]);
  });

  it('sends no request while no waiter has a place', async () => {
    heartbeat.start();
    await parts.clock.advance(KEEP);
    expect(beats()).toBe(0);
    enter(1);
    await parts.clock.advance(KEEP);
    expect(beats()).toBe(1);
  });

  it('takes a request for every 500 places, one after the other', async () => {
    const waiters = enter(2 * BATCH + 1);
    heartbeat.start();
    await parts.clock.advance(KEEP);
    expect(parts.locks.keeps.sent.map(({ owners }) => owners)).toEqual([ownersOf(waiters.slice(0, BATCH))]);
    await reply();
    await reply();
    await reply();
    expect(parts.locks.keeps.sent.map(({ owners }) => owners.length)).toEqual([BATCH, BATCH, 1]);
    expect(parts.locks.keeps.sent.flatMap(({ owners }) => owners)).toEqual(ownersOf(waiters));
    expect(parts.locks.keeps.unanswered).toEqual([]);
  });

  it('does not keep places that ended during the requests, nor those of new waiters', async () => {
    const waiters = enter(3 * BATCH);
    heartbeat.start();
    await parts.clock.advance(KEEP);
    for (const waiter of waiters.slice(BATCH, 2 * BATCH)) places.delete(waiter);
    for (const waiter of waiters.slice(-BATCH, -1)) places.delete(waiter);
    enter(1);
    await reply();
    expect(parts.locks.keeps.sent.map(({ owners }) => owners).slice(1)).toEqual([ownersOf(waiters.slice(-1))]);
    await reply();
    await parts.clock.advance(KEEP);
    await reply();
    expect(parts.locks.keeps.sent.slice(2).map(({ owners }) => owners.length)).toEqual([BATCH, 2]);
  });

  it('reports waiters whose places the server has lost, batch after batch', async () => {
    const waiters = enter(BATCH + 2);
    const gone = [...waiters.slice(1, 3), ...waiters.slice(-1)];
    heartbeat.start();
    await parts.clock.advance(KEEP);
    await reply(...gone);
    expect(ownersOf(lost)).toEqual(ownersOf(gone.slice(0, 2)));
    await reply(...gone);
    expect(ownersOf(lost)).toEqual(ownersOf(gone));
  });

  it('does not report a waiter that continues under another id since the request', async () => {
    const [first, second] = enter(2);
    heartbeat.start();
    await parts.clock.advance(KEEP);
    const held = parts.locks.keeps.take();
    first?.startOver();
    held.reply([false, false]);
    await parts.settle();
    expect(lost).toEqual([second]);
  });

  it('that fails for a moment reports nothing, and starts again after a tenth of a slot', async () => {
    const waiters = enter(2 * BATCH);
    heartbeat.start();
    await parts.clock.advance(KEEP);
    await reply();
    await fail(unavailable('unknown'));
    await parts.clock.advance(KEEP_AGAIN - 1);
    expect(beats()).toBe(2);
    await parts.clock.advance(1);
    expect(parts.locks.keeps.sent.at(-1)?.owners).toEqual(ownersOf(waiters.slice(0, BATCH)));
    await reply();
    await reply();
    await parts.clock.advance(KEEP - 1);
    expect(beats()).toBe(4);
    await parts.clock.advance(1);
    expect(beats()).toBe(5);
    expect([lost, failures]).toEqual([[], []]);
  });

  it.each([
    ['a refusal for good', unavailable('refused', true)],
    ['a broken reply', new TypeError('No reply')],
  ])('reports %s, skips the other batches, and continues until it is stopped', async (_, error) => {
    enter(2 * BATCH);
    heartbeat.start();
    await parts.clock.advance(KEEP);
    await fail(error);
    expect(failures).toEqual([error]);
    expect(beats()).toBe(1);
    await parts.clock.advance(KEEP_AGAIN);
    expect(beats()).toBe(2);
    heartbeat.stop();
    await fail(error);
    expect(parts.clock.pending).toBe(0);
  });

  it('that is stopped by the callback of a failure leaves no timer', async () => {
    enter(1);
    heartbeat = new QueueHeartbeat(NAME, parts.waiting, places, {
      lost: (waiter) => void lost.push(waiter),
      failed: () => heartbeat.stop(),
    });
    heartbeat.start();
    await parts.clock.advance(KEEP);
    await fail(unavailable('refused', true));
    expect(parts.clock.pending).toBe(0);
  });

  it.each(['before it beats', 'during a beat'] as const)('that is stopped %s beats no more', async (when) => {
    enter(1);
    heartbeat.start();
    await parts.clock.advance(when === 'during a beat' ? KEEP : KEEP - 1);
    heartbeat.stop();
    for (const _ of parts.locks.keeps.unanswered) await reply();
    expect(parts.clock.pending).toBe(0);
    expect(beats()).toBe(when === 'during a beat' ? 1 : 0);
  });

  it('that is stopped and started again during a beat goes on a third of a slot after the later of answer and start', async () => {
    enter(1);
    heartbeat.start();
    await parts.clock.advance(KEEP);
    heartbeat.stop();
    heartbeat.start();
    await parts.clock.advance(KEEP / 2);
    await reply();
    expect(parts.clock.pending).toBe(1);
    await parts.clock.advance(KEEP - 1);
    expect(beats()).toBe(1);
    await parts.clock.advance(1);
    expect(beats()).toBe(2);
  });

  it('has one timer although the answer to a beat from before its restart comes after the next beat', async () => {
    enter(1);
    heartbeat.start();
    await parts.clock.advance(KEEP);
    heartbeat.stop();
    heartbeat.start();
    await parts.clock.advance(KEEP);
    expect(parts.locks.keeps.unanswered).toHaveLength(2);
    await reply();
    await reply();
    expect(parts.clock.pending).toBe(1);
    await parts.clock.advance(KEEP);
    expect(beats()).toBe(3);
  });

  it('counts as under way until it has its answer', async () => {
    enter(1);
    heartbeat.start();
    expect(parts.waiting.inFlight.size).toBe(0);
    await parts.clock.advance(KEEP);
    expect(parts.waiting.inFlight.size).toBe(1);
    await fail(new TypeError('No reply'));
    expect(parts.waiting.inFlight.size).toBe(0);
  });
});
