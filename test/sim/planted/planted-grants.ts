import type { PlantedBug } from './planted-bug.js';

const CLIENT = 'waiting/client-entry.ts';
const SCRIPTS = 'backend/kinds/lock/granting-lock.ts';
/** The scripts, as the simulated servers execute them. */
const SERVER = 'backend/memory/scripts.generated.ts';

/** Mistakes in the rules of docs/decisions/grants.md. */
export const plantedGrants: readonly PlantedBug[] = [
  {
    name: 'H1-granted-unheard',
    what: 'a lock is given to a client that does not listen',
    edits: [
      {
        file: SERVER,
        find: 'if (!L.isTrue(owner) || L.or(listeners(own, publish)[0], () => 0) === 0) {',
        replace: 'if (!L.isTrue(owner)) {',
      },
    ],
  },
  {
    name: 'H2-lease-shortened',
    what: 'a late request shortens the lease that its owner has extended meanwhile',
    edits: [{ file: SERVER, find: 'if (remaining < lease) {', replace: 'if (true) {' }],
    scenario: 'cut requests',
  },
  {
    name: 'H3-release-given-up',
    what: 'a release that was not answered is not repeated until it is',
    edits: [{ file: SCRIPTS, find: 'await this.tryRelease({ name, owner });', replace: '' }],
  },
  {
    name: 'H3-entry-forgotten',
    what: 'the client does not ask about its entry if a second try finds that the first one has released',
    edits: [{ file: CLIENT, find: "'kept', 'released-before']", replace: "'kept']" }],
  },
  {
    name: 'H4-asked-during-release',
    what: 'a client asks about its entry while a release that carries it is on its way',
    edits: [
      {
        file: CLIENT,
        find: 'return this.busyReleasing(state);',
        replace: 'return lease < 0 ? this.busyReleasing(state) : this.ask(state.entry, false);',
      },
    ],
  },
  {
    name: 'H4-withdrawn-during-release',
    what: 'an entry is withdrawn while a release that carries it is on its way',
    edits: [{ file: CLIENT, find: 'state.isForgotten = true;', replace: 'this.giveUp(state.entry);' }],
    spec: 'test/waiting/client-entry-waking.spec.ts',
  },
  {
    name: 'H4-forgotten-entry-stays',
    what: 'an entry that a client no longer wants is not withdrawn after the release that carried it',
    edits: [{ file: CLIENT, find: 'if (isForgotten) this.giveUp(entry);', replace: '' }],
  },
  {
    name: 'H5-withdrawn-once',
    what: 'an entry is withdrawn once, although a late request can still add it',
    edits: [{ file: SCRIPTS, find: 'this.limits.get(entry) ?? 0', replace: '0' }],
  },
  {
    name: 'late-request-acquires',
    what: 'a request about an entry that is gone acquires, or adds it again',
    edits: [
      {
        file: SERVER,
        find: "let isWaiting = L.or(isNew === 1, () => L.type(...L.redis.pcall('ZSCORE', waiters, entry))[0] === 'string');",
        replace: 'let isWaiting = true;',
      },
    ],
  },
  {
    name: 'every-request-new',
    what: 'a client adds its entry again whenever it asks',
    edits: [
      { file: CLIENT, find: 'return this.ask(state.entry, false);', replace: 'return this.ask(state.entry, true);' },
    ],
  },
  {
    name: 'unknown-entry-kept',
    what: 'a client goes on with an entry of which it is unknown whether it was added',
    edits: [{ file: CLIENT, find: 'if (isNew && this.has(entry)) this.giveUp(entry);', replace: '' }],
    spec: 'test/model/client-entry.spec.ts',
  },
  {
    name: 'message-for-another-owner',
    what: 'a client believes a message for an owner other than that of its entry',
    edits: [{ file: CLIENT, find: 'if (grant.owner !== state.entry.owner) return;', replace: '' }],
  },
  {
    name: 'reply-for-another-owner',
    what: 'a client believes a reply about an entry that is no longer its own',
    edits: [
      {
        file: CLIENT,
        find: 'if (!this.has(entry)) return { holder: entry.owner, remaining: lease };',
        replace: '',
      },
    ],
  },
  {
    name: 'message-lease-too-long',
    what: 'the lease of a grant is counted from when the message came',
    edits: [{ file: SCRIPTS, find: 'new Stopwatch(this.scheduler, ago)', replace: 'new Stopwatch(this.scheduler)' }],
  },
  {
    name: 'message-age-underestimated',
    what: 'the age of a message is taken from an estimate of the clock that may be behind',
    edits: [
      {
        file: SCRIPTS,
        find: 'this.commands.longestSince(this.lock, grant.serverTime)',
        replace: 'Math.max(0, this.commands.serverTime(this.lock) - grant.serverTime)',
      },
    ],
  },
  {
    name: 'entry-not-withdrawn',
    what: 'a client whose last waiter has left keeps its entry',
    edits: [{ file: CLIENT, find: "else if (state.name === 'entered') this.giveUp(state.entry);", replace: '' }],
  },
  {
    name: 'withdrawn-grant-kept',
    what: 'a withdrawal does not pass on what its owner was given meanwhile',
    edits: [
      {
        file: SERVER,
        find: 'if (L.isTrue(dropHold(lock, owner)[0])) {\n      let passes',
        replace: 'if (false) {\n      let passes',
      },
    ],
  },
  {
    name: 'granted-entry-stays',
    what: 'an entry stays on the server although its owner acquires the lock',
    edits: [
      {
        file: SERVER,
        find: "L.redis.pcall('ZREM', waiters, entry);\n      return [L.tableOf([lease, now])];",
        replace: 'return [L.tableOf([lease, now])];',
      },
    ],
  },
  {
    name: 'grant-used-first',
    what: 'a client still has its entry while it uses the grant',
    edits: [
      {
        file: CLIENT,
        find: 'this.state = NONE;\n    this.waiting.onGranted({ ...grant, fence: undefined });',
        replace: 'this.waiting.onGranted({ ...grant, fence: undefined });\n    this.state = NONE;',
      },
    ],
  },
  {
    name: 'last-before-first',
    what: 'the lock is given to the client that has waited shortest',
    edits: [
      {
        file: SERVER,
        find: "let first = L.redis.call('ZPOPMIN', waiters)[0];",
        replace:
          "let first = L.redis.call('ZREVRANGE', waiters, 0, 0, 'WITHSCORES')[0]; L.redis.call('ZREM', waiters, L.get(first, 1));",
      },
    ],
  },
  {
    name: 'others-passed-over',
    what: 'the lock passes between clients of ours although others listen',
    edits: [
      { file: SERVER, find: 'if (L.or(others(lock, channel, publish)[0], () => 1) > 0) {', replace: 'if (false) {' },
    ],
  },
  {
    name: 'long-first-lease',
    what: 'a client is given the lock for as long as it wants, although it may be dead',
    edits: [
      {
        file: SCRIPTS,
        find: 'firstLease: Math.min(lease, longestFirstLease(this.commands))',
        replace: 'firstLease: lease',
      },
    ],
  },
  {
    name: 'stale-entry-given-all',
    what: 'a client that has not been heard of for long is given the whole lease',
    edits: [{ file: SERVER, find: 'L.number(now) - L.number(arrived) / 1000 <= FRESH', replace: 'true' }],
  },
  {
    name: 'given-lock-kept',
    what: 'a lock whose lease was to be set is not given back when its waiter leaves',
    edits: [{ file: 'waiting/queue/wait-queue.ts', find: 'this.contender.giveBack();', replace: '' }],
    from: 29_600,
    scenario: 'grants',
  },
  {
    name: 'short-lease-untold',
    what: 'waiters are not told that a client was given the lock for a short time',
    edits: [
      {
        file: SERVER,
        find: 'if (granted === first || L.tonumber(granted)[0] < OTHERS_LOOK) {',
        replace: 'if (false) {',
      },
    ],
  },
  {
    name: 'short-lease-slept-over',
    what: 'a waiter sleeps on when it hears of a lease that ends sooner',
    edits: [
      {
        file: 'waiting/queue/contender.ts',
        find: 'this.outcome = { ...outcome, remaining: Math.min(remaining, most) };\n    this.sleepAnew();',
        replace: 'this.outcome = { ...outcome, remaining: Math.min(remaining, most) };',
      },
    ],
  },
  {
    name: 'kept-from-asking',
    what: 'a waiter that a release has kept from asking is not woken after it',
    edits: [{ file: CLIENT, find: 'if (carried.mustAsk) this.waiting.onMissed();', replace: '' }],
    scenario: 'grants',
  },
  {
    name: 'release-before-reply',
    what: 'a release that is announced before the reply to our own is taken for that',
    edits: [
      {
        file: 'waiting/queue/peer-yield.ts',
        find: "(state.name === 'releasing' && state.announced > 0)",
        replace: 'false',
      },
    ],
    spec: 'test/waiting/peer-yield.spec.ts',
  },
  {
    name: 'asleep-after-passing-on',
    what: 'a client that released before it waited on the server does not ask after the lock was passed on',
    edits: [{ file: 'waiting/queue/peer-yield.ts', find: "state.name === 'yielding' || ", replace: '' }],
    from: 1_215_000,
    scenario: 'grants',
  },
  {
    name: 'late-after-withdrawal',
    what: 'a request that came too late is sent again after its entry was withdrawn',
    edits: [{ file: SCRIPTS, find: 'this.withdrawn.add(entry);', replace: '' }],
    from: 1_233_600,
    scenario: 'grants',
  },
  {
    name: 'asleep-after-hand-over-run',
    what: 'a client without waiters sleeps on when it ends a run of hand-overs by a release',
    edits: [
      {
        file: 'waiting/queue/wait-queue.ts',
        find: 'if (!first && canBeGiven) this.contender.wake();',
        replace: '',
      },
    ],
    scenario: 'grants',
  },
];
