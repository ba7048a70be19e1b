import type { PlantedBug } from './planted-bug.js';

/** The scripts, as the simulated servers execute them. */
const SCRIPTS = 'backend/memory/scripts.generated.ts';

/** The defects that were mended, each with its mend taken out. */
export const mends: readonly PlantedBug[] = [
  {
    name: 'D1',
    what: 'the reply to a renewal lengthens a lease that was shortened after the renewal was sent',
    edits: [
      {
        file: 'watchdog/lease.ts',
        find: 'else if (isLater || !other.isSettled) deadline.limitTo(other);',
        replace: '',
      },
    ],
  },
  {
    name: 'D2',
    what: 'a release that is announced while a take is on its way is forgotten',
    edits: [
      {
        file: 'waiting/queue/contender.ts',
        find: 'if (isOutdated) this.wake();\n    else this.wakeSignal.forget();',
        replace: 'this.wakeSignal.forget();',
      },
    ],
  },
  {
    name: 'D3',
    what: 'renewals of several locks of one slot are refused together while the slot moves',
    edits: [
      {
        file: 'backend/cluster/cluster-executor.ts',
        find: 'if (!redirection || isForEach(redirection, keys) || this.scheduler',
        replace: 'if (!redirection || this.scheduler',
      },
      {
        file: 'backend/kinds/batched-renewals.ts',
        find: 'if (renewals.length > 1 && isTryAgain(error))',
        replace: 'if (renewals.length < 1)',
      },
    ],
  },
  {
    name: 'D7',
    what: 'a listener of events runs as the owner of the region in which the event happened',
    edits: [
      {
        file: 'events/lock-events.ts',
        find: 'runOutsideContexts(() => this.tell(event, hearers));',
        replace: 'this.tell(event, hearers);',
      },
      {
        file: 'time/scheduler.ts',
        find: 'runInBackground(() => this.inner.schedule(delay, () => once.run(), options));',
        replace: 'this.inner.schedule(delay, () => once.run(), options);',
      },
    ],
  },
  {
    name: 'D10',
    what: 'the request for a minimum hold is sent once, even if it fails',
    edits: [
      {
        file: 'backend/kinds/lock/left-behind.ts',
        find: 'return attempt().catch((error: unknown) => sendAgain(error, attempt, goOn));',
        replace: 'return attempt();',
      },
      {
        file: 'backend/kinds/lock/left-behind.ts',
        find: 'if (isPassing(error)) this.background.releaseInBackground(left);',
        replace: '',
      },
    ],
  },
  {
    name: 'D11',
    what: 'of two callers in one scope each makes the result that they could share',
    edits: [
      {
        file: 'coordination/single-flight.ts',
        find: "return covering?.context.kind === 'hold';",
        replace: 'return covering !== undefined;',
      },
    ],
  },
  {
    name: 'D12',
    what: 'a candidate is elected although it was stopped in the turn of the grant',
    edits: [
      {
        file: 'coordination/leader-election.ts',
        find: "if (leading.signal.aborted) return true;\n      this.now = 'leader';",
        replace: "if (!leading.signal.aborted) this.now = 'leader';",
      },
    ],
  },
  {
    name: 'D16',
    what: 'a lone waiter of a fair lock that dies keeps its place for as long as the lease of the holder',
    edits: [
      {
        file: SCRIPTS,
        find: 'let hasLease = L.and(\n        !L.isTrue(isOwn),',
        replace: 'let hasLease = L.and(\n        true,',
      },
      // The code that lowers deadlines which count Java waiters would lower this one as well.
      {
        file: SCRIPTS,
        find: 'if (!L.isTrue(lowered)) {\n    return [deadline];',
        replace: 'if (true) {\n    return [deadline];',
      },
    ],
  },
  {
    name: 'D17',
    what: 'a forced release that failed takes effect later',
    edits: [
      {
        file: 'backend/kinds/lock/redis-lock.ts',
        find: 'send: (limits) => this.scripts.forceRelease(request, limits),',
        replace:
          'send: (limits) => this.scripts.forceRelease(request, { ...limits, notAfter: Number.MAX_SAFE_INTEGER }),',
      },
    ],
  },
  {
    name: 'D19',
    what: 'the caller of a multi-lock waits until what it could not use is given back',
    edits: [
      {
        file: 'locks/acquire-members.ts',
        find: 'const givenBack = Promise.all(held.map(undo));',
        replace: 'const givenBack = Promise.all(held.map(undo));\n    await givenBack;',
      },
    ],
  },
  {
    name: 'D38',
    what: 'locks whose names differ by braces only share the keys and channels that decide who has them',
    edits: [
      {
        file: 'keys/redisson-keys.ts',
        find: "(name.includes('{') ? `${name}::${word}` : `{${name}}:${word}`)",
        replace: "(name.includes('{') ? `${name}:${word}` : `{${name}}:${word}`)",
      },
      { file: 'keys/redisson-keys.ts', find: "${name.includes('{') ? '::' : ':'}", replace: ':' },
    ],
  },
  {
    name: 'D38-fair',
    what: 'a fair lock is given to a waiter for the one whose name differs by braces only',
    edits: [
      {
        file: SCRIPTS,
        find: 'let own = L.or(\n    L.and(\n      L.and(head, () => waitsFor(head, lock)[0]),',
        replace: 'let own = L.or(\n    L.and(\n      head,',
      },
    ],
  },
  {
    name: 'D39',
    what: 'a waiter has the lock for its first lease only when its code begins',
    edits: [{ file: 'waiting/hand-over-attempts.ts', find: 'return lease === wanted;', replace: 'return lease > 0;' }],
  },
  {
    name: 'D39-fair',
    what: 'a waiter for a fair lock has it for its first lease only when its code begins',
    edits: [
      {
        file: 'waiting/fair/fair-wait-queue.ts',
        find: 'if (isCertain && lease >= waiter.lease) {\n      this.granted(waiter, { sent, lease: waiter.lease });',
        replace: 'if (isCertain) {\n      this.granted(waiter, { sent, lease });',
      },
    ],
  },
  {
    name: 'D40',
    what: 'waiters are not told that what is left of a lease was shortened',
    edits: [
      {
        file: SCRIPTS,
        find: 'if (before === -1 || L.number(left) + L.number(L.or(passed, () => 0)) < before) {',
        replace: 'if (before === undefined) {',
      },
    ],
  },
  {
    name: 'D41',
    what: 'the next waiter for a fair lock is not told for how long the head has acquired it by a request',
    edits: [
      {
        file: SCRIPTS,
        find: "tellNext(lock, queue, deadlines, channel, publish, lease, now);\n      return [L.tableOf(['acquired'",
        replace: "return [L.tableOf(['acquired'",
      },
    ],
  },
  {
    name: 'D41-left',
    what: 'the next waiter for a fair lock is not told when it ends if the one that knew has left',
    edits: [
      {
        file: SCRIPTS,
        find: "tellNext(lock, queue, deadlines, channel, publish, L.redis.call('PTTL', lock)[0], now);",
        replace: '',
      },
    ],
  },
  {
    name: 'D42',
    what: 'a waiter gets the longer lease that one which has left wanted',
    edits: [
      { file: 'waiting/hand-over-attempts.ts', find: 'return lease === wanted;', replace: 'return lease >= wanted;' },
    ],
  },
  {
    name: 'D39-fair-untold',
    what: 'the next waiter for a fair lock is not told for how long the lock was given to the one before it',
    edits: [
      {
        file: SCRIPTS,
        find: 'tellNext(lock, queue, deadlines, channel, publish, lease, now);\n  return [true];',
        replace: 'return [true];',
      },
    ],
  },
  {
    name: 'D39-fair-slept-over',
    what: 'a waiter for a fair lock sleeps on when it hears of a lease that ends sooner',
    edits: [
      {
        file: 'waiting/fair/fair-wait-queue.ts',
        find: 'this.outcomes.last = { ...busy, remaining };\n    this.sleepAnew();',
        replace: 'this.outcomes.last = { ...busy, remaining };',
      },
    ],
  },
  {
    name: 'D43',
    what: 'readers let a writer go first for two polls and a second after its process has died',
    edits: [
      {
        file: 'waiting/writer-preference-acquirer.ts',
        find: '{ id: owners.next(), slot }',
        replace: '{ id: owners.next(), slot: 11_000 }',
      },
    ],
  },
  {
    name: 'D43-withdrawn-once',
    what: 'the withdrawal of a writer that has stopped waiting is sent once, even if it fails',
    edits: [
      {
        file: 'backend/kinds/read-write/waiting-writers.ts',
        find: 'this.withdrawals.releaseInBackground(withdrawal);',
        replace: '',
      },
    ],
  },
  {
    name: 'D44',
    what: 'the age of a grant leaves out the time for which the machine was suspended',
    edits: [
      {
        file: 'backend/commands/server-clock.ts',
        find: 'this.latest + this.sinceLatest.elapsed * (1 + LARGEST_DRIFT)',
        replace: 'this.latest + (this.scheduler.now() - this.sinceLatest.startedAt) * (1 + LARGEST_DRIFT)',
      },
    ],
  },
  {
    name: 'D51-spin',
    what: 'the release of a spin lock wakes no client that waits in turn for the plain lock of its name',
    edits: [
      {
        file: SCRIPTS,
        find: "if (L.isTrue(isSilent) && L.redis.pcall('EXISTS', waiters)[0] === 1) {",
        replace: 'if (false) {',
      },
    ],
  },
  {
    name: 'one-renewal-of-many',
    what: 'of many holds that are renewed together, the first one is not',
    edits: [
      {
        file: 'backend/kinds/batched-renewals.ts',
        find: 'return renewByShard(renewals, shardOf, (some) => this.renewTogether(some));',
        replace:
          'return renewByShard(renewals.length > 4 ? renewals.slice(1) : renewals, shardOf, (some) => this.renewTogether(some));',
      },
    ],
  },
];
