import { type PermitIds } from '../../../lib/context/permit-ids.js';
import { type Arguments, describeVectors, type Difference, type Situation } from './run-vectors.js';
import type { Vector } from './vector.js';

/** Redisson's deadline of permits without a lease. */
const NO_DEADLINE = '922337203685477';

const SERVER_CLOCK = 'the clock of the server, not that of the client, which is read a little earlier';

/** The lease until the deadline. Our commands give a duration, because the server determines the deadline. */
const leaseOf = ({ deadline }: Arguments, { now }: Situation): number =>
  String(deadline) === NO_DEADLINE ? Number.POSITIVE_INFINITY : deadline - now;

const idsOf = ({ ids: [first = '', ...more] }: Arguments): PermitIds => [first, ...more];

type State = Vector['state'];

/** The state of the vector, with the deadline of one permit later by the difference of the clocks. */
const later = (value: string, deadlines: State[string]['value'], ttl: State[string]['ttl'] = 'none'): Difference => ({
  why: SERVER_CLOCK,
  state: { p: { type: 'string', value, ttl }, '{p}:timeout': { type: 'zset', value: deadlines, ttl } },
});

const P1 = 'hex:00000000000000000000000000000001';
const P2 = 'hex:aabbccddeeff00112233445566778899';
const P3 = 'hex:ffffffffffffffffffffffffffffffff';
const IN_TEN_SECONDS = ['NOW+10000', 'NOW+12000'] as const;

describeVectors(
  ['P'],
  {
    'pes.tryAcquire': async ({ permitExpirableSemaphore: permits }, args, situation) => {
      const reply = await permits.acquire({ name: args.name, ids: idsOf(args), lease: leaseOf(args, situation) });
      if (reply.outcome === 'acquired') return reply.outcome;
      return reply.remaining < 0 ? null : { hint: situation.now + reply.remaining };
    },
    'pes.tryRelease': async ({ permitExpirableSemaphore: permits }, { name, id }) =>
      (await permits.release(name, id)) === 'released',
    'pes.tryReleaseList': async ({ permitExpirableSemaphore: permits }, args) =>
      (await permits.releaseAll(args.name, idsOf(args))) === 'released' ? args.ids.length : 0,
    'pes.available': async ({ permitExpirableSemaphore: permits }, { name }) => (await permits.inspect(name)).available,
    'pes.setPermits': async ({ permitExpirableSemaphore: permits }, { name, permits: total }) => {
      await permits.setPermits(name, total);
      return null;
    },
    'pes.addPermits': async ({ permitExpirableSemaphore: permits }, { name, permits: delta }) => {
      await permits.addPermits(name, delta);
      return null;
    },
    'pes.updateLease': async ({ permitExpirableSemaphore: permits }, args, situation) => {
      const { outcome } = await permits.updateLease(args.name, args.id, leaseOf(args, situation));
      return outcome === 'held';
    },
  },
  {
    P01: later('1', { [P1]: IN_TEN_SECONDS }),
    P03: { why: 'milliseconds from now, not an instant of the client', returns: { hint: ['NOW+3000', 'NOW+5000'] } },
    P05: later('0', { [P2]: IN_TEN_SECONDS }),
    P06: later('0', { [P3]: 'NOW-10', [P2]: IN_TEN_SECONDS }),
    P07: later('1', { [P1]: IN_TEN_SECONDS }, [49_000, 50_000]),
    P18: later('0', { [P1]: ['NOW+60000', 'NOW+62000'] }),
  },
);
