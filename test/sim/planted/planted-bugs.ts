import type { PlantedBug } from './planted-bug.js';

/** The scripts, as the simulated servers execute them. */
const SCRIPTS = 'backend/memory/scripts.generated.ts';

/** Mistakes that a change of the library could bring in. */
export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'no-second-try',
    what: 'a waiter does not try again after it has subscribed, so it misses a release in between',
    edits: [
      {
        file: 'waiting/channel-listener.ts',
        find: 'else if (this.receiver.onSubscribed) this.receiver.onSubscribed();\n    else this.receiver.onMessage(undefined, this);',
        replace: '',
      },
    ],
  },
  {
    name: 'wake-before-delete',
    what: 'waiters are told of a release by a command of its own, before the one that frees the lock',
    edits: [
      {
        file: 'backend/kinds/lock/lock-scripts.ts',
        find: 'return this.commands.run(scripts.lock.release, { lock: name }, args, deadline, name);',
        replace: `const told = { ...args, count: 1, ttl: 1, message: '0', keep: 1, notAfter: Number.MAX_SAFE_INTEGER };
    const keys = { counter: \`\${name}:told\`, marker: \`\${name}:marker\` };
    return this.commands
      .run(scripts.counter.trySet, keys, told, deadline, name)
      .then(() => this.commands.run(scripts.lock.release, { lock: name }, { ...args, publish: '' }, deadline, name));`,
      },
    ],
  },
  {
    name: 'unwanted-grant-kept',
    what: 'a lock that is granted to a waiter that was aborted meanwhile is not given back',
    edits: [{ file: 'waiting/queue/candidates.ts', find: '    attempter.undo(got);', replace: '' }],
  },
  {
    name: 'short-lease-handed-over',
    what: 'a lock is handed over to a waiter that wants another lease than the server has granted',
    edits: [
      {
        file: 'waiting/hand-over-attempts.ts',
        find: 'if (isOver || lease !== wanted || sent.elapsed',
        replace: 'if (isOver || sent.elapsed',
      },
      {
        file: 'waiting/hand-over-attempts.ts',
        find: 'return { owner, sent, lease, fence,',
        replace: 'return { owner, sent, lease: wanted, fence,',
      },
    ],
  },
  {
    name: 'permits-returned-twice',
    what: 'a release of permits whose reply was lost is sent again as another release',
    edits: [
      {
        file: 'backend/commands/idempotent-requests.ts',
        find: 'sendAgain(first, () => this.ask(identity, end, send))',
        replace: 'sendAgain(first, () => this.ask(this.keys.next(identity.name), end, send))',
      },
    ],
  },
  {
    name: 'heartbeat-of-one-who-left',
    what: 'a waiter that has left goes on being kept among those that wait',
    edits: [
      {
        file: 'waiting/fair/fair-wait-queue.ts',
        find: 'if (this.order.head === waiter) this.wake();\n    this.order.delete(waiter);',
        replace: '',
      },
    ],
  },
  {
    name: 'turn-not-ended',
    what: 'a turn that ends with an error keeps all that come after it from theirs',
    edits: [
      {
        file: 'concurrency.ts',
        find: 'task();\n  work.then(end, end);',
        replace: 'task();\n  work.then(end, () => {});',
      },
    ],
  },
  {
    name: 'late-reply-believed',
    what: 'a lease is counted from when its reply came, not from when the command was sent',
    edits: [
      {
        file: 'backend/commands/deadline-request.ts',
        find: 'return request.read(reply, sent) ??',
        replace: 'return request.read(reply, new Stopwatch(scheduler)) ??',
      },
    ],
  },
  {
    name: 'wall-clock-only',
    what: 'deadlines go by the wall clock alone, which can be set back',
    edits: [
      {
        file: 'time/scheduler.ts',
        find: 'Math.max(leastElapsed, wall - wallStartedAt)',
        replace: 'wall - wallStartedAt',
      },
      { file: 'watchdog/lease.ts', find: 'Math.min(monotonic, this.wall - wall)', replace: 'this.wall - wall' },
    ],
  },
  {
    name: 'steady-retries',
    what: 'a server that does not answer is asked at the same pace for ever',
    edits: [
      {
        file: 'waiting/wake-signal.ts',
        find: 'UNAVAILABLE_PAUSE_MS * 2 ** Math.max(0, unanswered - 1)',
        replace: 'UNAVAILABLE_PAUSE_MS',
      },
    ],
    from: 260_020,
  },
  {
    name: 'no-deadline-on-the-server',
    what: 'the server executes what comes after the caller was told that it failed',
    edits: [
      {
        file: 'backend/commands/deadline-request.ts',
        find: 'Math.ceil(commands.serverTime(key, startedAt) + (deadline - startedAt))',
        replace: 'Number.MAX_SAFE_INTEGER',
      },
    ],
  },
  {
    name: 'unknown-grant-kept',
    what: 'an acquisition of unknown outcome is not undone',
    edits: [
      {
        file: 'backend/commands/orphan-releaser.ts',
        find: 'if (this.finished) return this.onGivenUp(orphan, cause);',
        replace: 'return;',
      },
    ],
  },
  {
    name: 'fair-grant-during-request',
    what: 'a waiter takes a fair lock that was given to it while a request of its own is not answered',
    edits: [
      {
        file: 'waiting/fair/fair-wait-queue.ts',
        find: 'const isCertain = !waiter.isAttempting && !leaseSpent(',
        replace: 'const isCertain = !leaseSpent(',
      },
    ],
  },
  {
    name: 'fair-grant-out-of-turn',
    what: 'a fair lock is given to the waiter that came last',
    edits: [
      {
        file: SCRIPTS,
        find: 'const giveToHead = (lock, queue, deadlines, head, deadline, channel, publish, now) => {',
        replace:
          "const giveToHead = (lock, queue, deadlines, first, deadline, channel, publish, now) => { const head = L.redis.call('LINDEX', queue, -1)[0];",
      },
    ],
  },
  {
    name: 'limit-one-more',
    what: 'a limit admits one owner more than it says',
    edits: [
      {
        file: SCRIPTS,
        find: 'if (inUse >= limit && !L.isTrue(isRepeated)) {',
        replace: 'if (inUse > limit && !L.isTrue(isRepeated)) {',
      },
    ],
  },
  {
    name: 'limit-number-twice',
    what: 'a permit has a number that another permit in use has',
    edits: [
      {
        file: SCRIPTS,
        find: 'if (L.isTrue(deadline) && L.tonumber(deadline)[0] > now) {\n      L.set(taken,',
        replace: 'if (L.isTrue(deadline) && L.tonumber(deadline)[0] > now + 200) {\n      L.set(taken,',
      },
    ],
  },
  {
    name: 'limit-release-not-told',
    what: 'the release of a permit of a limit wakes no waiter',
    edits: [
      {
        file: SCRIPTS,
        find: 'tellNext2(head, channel, turns, publish);\n    if (!L.isTrue(head) && permitsInUse',
        replace: 'if (!L.isTrue(head) && permitsInUse',
      },
    ],
  },
  {
    name: 'limit-lease-too-long',
    what: 'an owner believes in the permit of a limit for twice its lease',
    edits: [
      {
        file: 'waiting/limit-acquirers.ts',
        find: 'const acquired = { owner, sent: reply.sent, lease, fence: undefined, inUse, slot };',
        replace: 'const acquired = { owner, sent: reply.sent, lease: 2 * lease, fence: undefined, inUse, slot };',
      },
    ],
  },
  {
    name: 'limit-out-of-turn',
    what: 'a waiter with a place gets a permit before the waiters that came earlier',
    edits: [
      {
        file: SCRIPTS,
        find: 'if (L.isTrue(isRepeated) || (inUse < limit && (!L.isTrue(head) || head === owner))) {',
        replace: 'if (L.isTrue(isRepeated) || inUse < limit) {',
      },
    ],
  },
  {
    name: 'limit-barging',
    what: 'a caller without a place gets a permit before the waiters that have one',
    edits: [
      {
        file: SCRIPTS,
        find: 'if (L.isTrue(head) && !L.isTrue(isRepeated)) {',
        replace: 'if (head === owner) {',
      },
    ],
  },
  {
    name: 'later-caller-first',
    what: 'of callers that are asked for together, a later one keeps what was free only after an earlier one was refused',
    edits: [
      {
        file: 'waiting/queue/candidates.ts',
        find: '!candidates.overtakes(waiter.wanted, refused) && attempter.grant',
        replace: 'attempter.grant',
      },
    ],
  },
  {
    name: 'last-caller-first',
    what: 'of callers that are asked for together, the one that came last is asked for first',
    edits: [
      {
        file: 'waiting/queue/candidates.ts',
        find: 'const answers = waiters.map(',
        replace: 'const answers = waiters.toReversed().map(',
      },
    ],
  },
  {
    name: 'writer-without-end',
    what: 'readers let a writer that has died go first for a minute',
    edits: [
      {
        file: SCRIPTS,
        find: 'const announceWriter = (lock, stem, writer, now, slot) => {',
        replace: 'const announceWriter = (lock, stem, writer, now) => { const slot = 60_000;',
      },
    ],
  },
  {
    name: 'replaced-untold',
    what: 'the process of a holder is not told that a newer caller has taken the lock over',
    edits: [{ file: SCRIPTS, find: "L.redis.pcall(publish, holders, 'replaced ' + L.text(holder));", replace: '' }],
  },
  {
    name: 'asked-untold',
    what: 'the code of a holder is not told that a newer caller waits for the lock',
    edits: [{ file: 'holds/ends-by-others.ts', find: 'grant.abort(replacedError(grant.name, owner));', replace: '' }],
  },
  {
    name: 'listens-late',
    what: 'a caller whose lock may be taken over acquires it before its process listens',
    edits: [{ file: 'holds/ends-by-others.ts', find: 'await channel.whenBegun;', replace: '' }],
  },
  {
    name: 'overtaking-message-lost',
    what: 'a message that overtakes the reply to the acquisition is forgotten',
    edits: [{ file: 'holds/ends-by-others.ts', find: 'this.early.add(message);', replace: '{}' }],
  },
  {
    name: 'replaced-still-held',
    what: 'a holder that was replaced believes in its lock until the server has answered',
    edits: [
      { file: 'holds/ends-by-others.ts', find: "if (word === 'replaced') grant.lease.lose('gone');", replace: '' },
    ],
  },
  {
    name: 'owner-undone',
    what: 'an acquisition of unknown outcome is undone, although its owner may have had the lock before',
    edits: [
      {
        file: 'backend/kinds/lock/redis-lock.ts',
        find: 'if (!isChosen) this.orphans.releaseInBackground(',
        replace: 'this.orphans.releaseInBackground(',
      },
    ],
    scenario: 'owned locks',
  },
  {
    name: 'owner-shortened',
    what: 'an owner that acquires its lock again shortens what it has promised to its other holds',
    edits: [
      {
        file: SCRIPTS,
        find: "if (L.redis.call('PTTL', lock)[0] < lease) {\n      L.redis.call('PEXPIRE', lock, lease);\n    }\n    return [L.tableOf([lease, now])];",
        replace: "{\n      L.redis.call('PEXPIRE', lock, lease);\n    }\n    return [L.tableOf([lease, now])];",
      },
    ],
    scenario: 'owned locks',
  },
  {
    name: 'owner-extend-shortens',
    what: 'a hold of an owner that is extended for a short time shortens what its other holds believe in',
    edits: [
      {
        file: 'locks/lock-kinds.ts',
        find: 'Object.assign(Object.create(all) as LockOperations, { hold, release })',
        replace: 'Object.assign(Object.create(all) as LockOperations, { release })',
      },
    ],
    scenario: 'owned locks',
  },
  {
    name: 'owner-release-untold',
    what: 'the other holds of an owner are not told of its release',
    edits: [{ file: 'locks/lock-kinds.ts', find: 'await endsByOthers.tell(request);', replace: '' }],
    scenario: 'owned locks',
  },
  {
    name: 'owner-release-late',
    what: 'a release of an owner takes effect after its call has settled, when the owner has the lock again',
    edits: [
      {
        file: 'backend/kinds/lock/granting-lock.ts',
        find: 'return isChosenOwner(request.owner) ? this.releaseChosen(request) : super.release(request);',
        replace: 'return super.release(request);',
      },
    ],
    scenario: 'owned locks',
  },
  {
    name: 'owner-back-for-less',
    what: 'a hold of an owner that has released the lock, and has it again for less, believes in it for as long as before',
    edits: [
      {
        file: 'holds/loss.ts',
        find: 'if (sent && count > 0) lease.unanswered(new LeaseCommand(sent, remaining));',
        replace: '',
      },
    ],
    scenario: 'owned locks',
  },
];
