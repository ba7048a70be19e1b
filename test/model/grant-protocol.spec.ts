import { type Bounds, anyFaults, grantProtocol } from './grant-protocol.js';
import { invariants, progress } from './grants/properties.js';
import { FIRST_LEASE } from './grants/state.js';
import { type Protection, PROTECTIONS } from './grants/protections.js';
import { type CheckResult, ModelChecker, violationText } from './model-checker.js';

/** A deeper search, of minutes, is made by hand: so many faults more in each run. */
const MORE_FAULTS = Number(process.env['MODEL_MORE_FAULTS'] ?? 0);

/** These tests only compute, and take as long as the machine needs. */
const COMPUTING_LIMIT_MS = MORE_FAULTS > 0 ? 3_600_000 : 60_000;

const check = (bounds: Bounds): CheckResult => new ModelChecker(grantProtocol(bounds)).check();

const withMoreFaults = ({ faults, ...bounds }: Bounds): Bounds =>
  faults ? { ...bounds, faults: { ...faults, all: (faults.all ?? 0) + MORE_FAULTS } } : bounds;

const correct: readonly (readonly [string, Bounds])[] = [
  [
    'three clients, first leases only, and two faults',
    { clients: [1, 1, 1], given: [FIRST_LEASE], faults: anyFaults(2) },
  ],
  ['three clients and one fault', { clients: [1, 1, 1], faults: anyFaults(1) }],
  [
    'two clients, one with two callers, first leases only, and two faults',
    { clients: [2, 1], given: [FIRST_LEASE], faults: anyFaults(2) },
  ],
  ['two clients with two callers each, and one fault', { clients: [2, 2], faults: anyFaults(1) }],
  ['two clients and two faults', { clients: [1, 1], faults: anyFaults(2) }],
  ['one client with three callers, and two faults', { clients: [3], faults: anyFaults(2) }],
  [
    'one client, two commands without a reply, and another fault',
    { clients: [2], faults: { ...anyFaults(3), noReply: 2 } },
  ],
  ['a Java client and one fault', { clients: [2, 1], java: 1, mayFree: true, faults: anyFaults(1) }],
  ['a lease that its caller extends, and two faults', { clients: [1, 1], extensions: 1, faults: anyFaults(2) }],
  [
    'three clients, two with two callers, and no poll',
    { clients: [2, 2, 1], progress: ['noStuckWaiter', 'noLeaseAwaited', 'noPollNeeded'] },
  ],
  [
    'three clients, one with two callers, a cancelled caller, and no poll',
    { clients: [2, 1, 1], faults: anyFaults(1, ['cancel']), progress: ['noPollNeeded'] },
  ],
];

/** For each protection: a small model that violates the property without it. */
const mutations: Readonly<Record<Protection, readonly [Bounds, { readonly name: string }]>> = {
  'a request is executed once at most': [{ clients: [2], faults: anyFaults(1) }, invariants.noLostGrant],
  'an owner that holds the lock gets the same answer again': [
    { clients: [1, 1], faults: anyFaults(1, ['lostMessage']) },
    progress.noStuckWaiter,
  ],
  'a poll without an entry acquires nothing': [
    { clients: [1, 1], faults: anyFaults(1, ['noReply']) },
    invariants.noLostGrant,
  ],
  'a poll without an entry is told so': [
    { clients: [1, 1], faults: anyFaults(1, ['unheard']) },
    progress.noStuckWaiter,
  ],
  'a wait never shortens a lease': [
    { clients: [1, 1], extensions: 1, faults: anyFaults(2, ['noReply', 'leaseEnd']) },
    invariants.trueBelief,
  ],
  'the lock is not granted to a client that does not hear of it': [
    { clients: [2, 1], faults: anyFaults(1, ['crash']) },
    progress.noLeaseAwaited,
  ],
  'no message is sent with a grant that is not made': [
    { clients: [2, 1], faults: anyFaults(1, ['unheard']), invariants: ['oneHolder'] },
    invariants.oneHolder,
  ],
  'a message for another owner id is ignored': [
    { clients: [2, 1], faults: anyFaults(1, ['noReply']), invariants: ['oneHolder'] },
    invariants.oneHolder,
  ],
  'the lease is counted from the time in the message': [
    { clients: [2, 1], faults: anyFaults(1, ['leaseEnd']), invariants: ['oneHolder'] },
    invariants.oneHolder,
  ],
  'the requeue id is set before the release is sent': [
    { clients: [2, 1], progress: ['noPollNeeded'] },
    progress.noPollNeeded,
  ],
  'a release with a requeue is repeated until it is answered': [
    { clients: [2], faults: { all: 2, noReply: 2 } },
    invariants.noLostGrant,
  ],
  'a repeated release that finds nothing is followed by a poll': [
    { clients: [2], faults: anyFaults(1, ['noReply']) },
    invariants.noLostGrant,
  ],
  'a withdrawal follows an unknown outcome': [
    { clients: [1], faults: anyFaults(1, ['noReply']) },
    invariants.noLostGrant,
  ],
  'a withdrawal is repeated until no request can add an entry': [
    { clients: [1], faults: anyFaults(1, ['noReply']) },
    invariants.noLostGrant,
  ],
  'a withdrawal for a cancelled caller is repeated as well': [
    { clients: [1], faults: anyFaults(2, ['noReply', 'cancel']) },
    invariants.noLostGrant,
  ],
  'a withdrawal of a requeue id follows the release that carries it': [
    { clients: [2], faults: anyFaults(2, ['noReply', 'cancel']) },
    invariants.noLostGrant,
  ],
  'a withdrawal releases what was granted': [
    { clients: [1], faults: anyFaults(1, ['cancel']) },
    invariants.noLostGrant,
  ],
  'a first lease becomes the whole one before the caller acts': [{ clients: [1, 1] }, invariants.wholeLease],
  'a lock that was given, and is not taken, is given back': [
    { clients: [1, 1], faults: anyFaults(1, ['cancel']) },
    invariants.noLostGrant,
  ],
};

describe('The grant protocol', () => {
  it.each(correct)(
    'keeps its invariants with %s',
    (_name, bounds) => {
      const { violation } = check(withMoreFaults(bounds));
      expect(violation && violationText(violation)).toBeUndefined();
    },
    COMPUTING_LIMIT_MS,
  );
});

describe('The model of the grant protocol', () => {
  it('counts states as one only if they differ in nothing but names', () => {
    const model = grantProtocol({ clients: [1, 1], faults: anyFaults(1) });
    const codes = new Set<string>();
    const named = new ModelChecker({
      ...model,
      encode: (state) => JSON.stringify(state),
      invariants: [{ name: 'has a code', holds: (state) => codes.add(model.encode(state)).size > 0 }],
      progress: [],
    }).check();
    const { states } = new ModelChecker(model).check();
    expect(codes.size).toBe(states);
    expect(named.states).toBeGreaterThan(2 * states);
  });
});

describe('A mutation of the grant protocol', () => {
  it.each(PROTECTIONS.map((protection) => [protection, ...mutations[protection]] as const))(
    'is found without the rule: %s',
    (without, bounds, { name }) => {
      expect(check(bounds).violation).toBeUndefined();
      expect(check({ ...bounds, without }).violation?.of).toBe(name);
    },
    COMPUTING_LIMIT_MS,
  );
});
