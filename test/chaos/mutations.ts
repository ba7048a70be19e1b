/** A lock without any protection, in which the same checkers must find violations. */
export const control = { id: 'N1', topology: 'standalone' };

/** One protection that is removed from the library while its code is loaded. */
export interface Mutation {
  readonly protection: string;
  /** The path in `lib/`. */
  readonly file: string;
  /** The text to replace. */
  readonly find: string;
  /** How often the file contains the text. Default: once. */
  readonly times?: number;
  readonly replace: string;
  /** The case that must fail then, and its topology. */
  readonly caught: { readonly id: string; readonly topology: string };
}

const SCRIPTS = 'backend/scripts/scripts.generated.ts';

export const mutations: readonly Mutation[] = [
  {
    protection: 'safety poll',
    file: 'waiting/queue/releases.ts',
    find: 'this.channel.isHearing ? subscribed : unsubscribed',
    replace: 'this.channel.isHearing ? Infinity : unsubscribed',
    caught: { id: 'F28p', topology: 'standalone' },
  },
  {
    protection: 're-check after subscribe',
    file: 'waiting/channel-listener.ts',
    find: 'else if (this.receiver.onSubscribed) this.receiver.onSubscribed();\n    else this.receiver.onMessage(undefined, this);',
    replace: '',
    caught: { id: 'F28s', topology: 'standalone' },
  },
  {
    protection: 'absolute transitions',
    file: SCRIPTS,
    find: "if held ~= count then redis.call('HINCRBY', lock, owner, count - held) end\nreturn { 'held', now }`,",
    times: 2,
    replace: "redis.call('HINCRBY', lock, owner, 1)\nreturn { 'held', now }`,",
    caught: { id: 'F37a', topology: 'standalone' },
  },
  {
    protection: 'notAfter',
    file: 'backend/commands/deadline-request.ts',
    find: 'Math.ceil(commands.serverTime(key, startedAt) + (deadline - startedAt))',
    replace: 'Number.MAX_SAFE_INTEGER',
    caught: { id: 'F7n', topology: 'standalone' },
  },
  {
    protection: 'cancel of what stayed unknown',
    file: 'backend/commands/orphan-releaser.ts',
    find: 'if (this.finished) return this.onGivenUp(orphan, cause);',
    replace: 'return;',
    caught: { id: 'F1c', topology: 'standalone' },
  },
  {
    protection: 'safety deadline of the holder',
    file: 'watchdog/lease.ts',
    find: 'return Math.max(0, others === undefined ? deadline.remaining : others.remainingBeside(deadline));',
    replace: 'return Infinity;',
    caught: { id: 'F29', topology: 'standalone' },
  },
  {
    protection: 'verify on reconnect',
    file: 'module/runtime.factory.ts',
    find: 'reconnected: () => watchdog.checkAll(),',
    replace: 'reconnected: () => {},',
    caught: { id: 'F10v', topology: 'standalone' },
  },
  {
    protection: 'restart guard',
    file: 'backend/commands/restart-guard.ts',
    find: 'if (!this.isOn) return undefined;',
    replace: 'return undefined;',
    caught: { id: 'F10g', topology: 'standalone' },
  },
  {
    protection: 'clients that do not listen are passed over',
    file: SCRIPTS,
    find: 'if not owner or (listeners(own, publish) or 0) == 0 then return false end',
    replace: 'if not owner then return false end',
    caught: { id: 'F32g', topology: 'standalone' },
  },
  {
    protection: 'the message follows the grant',
    file: SCRIPTS,
    find: `(listeners(own, publish) or 0) == 0 then return false end
  local granted = now - arrived / 1000 <= FRESH and lease or first
  if takeLock(lock, owner, granted) then return false end
  redis.pcall(publish, own, owner .. ' ' .. granted .. ' ' .. now)`,
    replace: `false then return false end
  local granted = now - arrived / 1000 <= FRESH and lease or first
  if redis.pcall(publish, own, owner .. ' ' .. granted .. ' ' .. now) == 0 or takeLock(lock, owner, granted) then
    return false
  end`,
    caught: { id: 'F21g', topology: 'standalone' },
  },
  {
    protection: 'turn of clients without an entry',
    file: SCRIPTS,
    find: 'if (others(lock, channel, publish) or 1) > 0 then return nil end',
    replace: '',
    caught: { id: 'F49', topology: 'standalone' },
  },
  {
    protection: 'asking again after a lost connection',
    file: 'backend/connection/redis-subscriber.ts',
    find: ' channel.wake();',
    times: 2,
    replace: ' void channel;',
    caught: { id: 'F28g', topology: 'standalone' },
  },
  {
    protection: 'short first lease',
    file: 'backend/kinds/lock/granting-lock.ts',
    find: 'firstLease: Math.min(lease, longestFirstLease(this.commands))',
    replace: 'firstLease: lease',
    caught: { id: 'F31g', topology: 'standalone' },
  },
  {
    protection: 'short first lease of a fair lock',
    file: 'backend/kinds/fair-lock/fair-lock.ts',
    find: 'firstLeaseWithin(lease, longestFirstLease(this.commands))',
    replace: 'firstLeaseWithin(lease, lease)',
    caught: { id: 'F31f', topology: 'standalone' },
  },
  {
    protection: 'whole lease before the first line',
    file: 'waiting/hand-over-attempts.ts',
    find: 'return lease === wanted;',
    replace: 'return lease > 0;',
    caught: { id: 'F3g', topology: 'standalone' },
  },
  {
    protection: 'whole lease of a fair lock before the first line',
    file: 'waiting/fair/fair-wait-queue.ts',
    find: 'if (isCertain && lease >= waiter.lease) {',
    replace: 'if (isCertain) {',
    caught: { id: 'F3f', topology: 'standalone' },
  },
  {
    protection: 'age of a grant',
    file: 'backend/kinds/lock/granting-lock.ts',
    find: 'sent: new Stopwatch(this.scheduler, ago)',
    replace: 'sent: new Stopwatch(this.scheduler)',
    caught: { id: 'F30g', topology: 'standalone' },
  },
  {
    protection: 'withdrawal of an entry',
    file: 'waiting/client-entry.ts',
    find: 'this.services.locks.withdraw(this.name, entry);',
    replace: '',
    caught: { id: 'F44g', topology: 'standalone' },
  },
  {
    protection: 'passing nothing on under the restart guard',
    file: 'backend/kinds/lock/lock-scripts.ts',
    find: 'return this.commands.mayGrant(name) ? 1 : 0;',
    replace: 'return 1;',
    caught: { id: 'F10h', topology: 'standalone' },
  },
  {
    protection: 'grants to a client that queued before it knew the cluster',
    file: 'backend/cluster/cluster-executor.ts',
    find: 'return !this.topology.isKnown || this.topology.isSharded;',
    replace: 'return this.topology.isSharded;',
    caught: { id: 'F32g', topology: 'cluster' },
  },
  {
    protection: 'the message to a holder whose lock was taken over',
    file: SCRIPTS,
    find: "redis.pcall(publish, holders, 'replaced ' .. holder)",
    replace: '',
    caught: { id: 'F1r', topology: 'standalone' },
  },
  {
    protection: 'the message to the other holds of an owner that has released',
    file: 'locks/lock-kinds.ts',
    find: 'await endsByOthers.tell(request);',
    replace: '',
    caught: { id: 'F2t', topology: 'standalone' },
  },
  {
    protection: 'refusal of a late release of an owner',
    file: 'backend/kinds/lock/granting-lock.ts',
    find: 'return isChosenOwner(request.owner) ? this.releaseChosen(request) : super.release(request);',
    replace: 'return super.release(request);',
    caught: { id: 'F7o', topology: 'standalone' },
  },
  {
    protection: 'limit on concurrency',
    file: SCRIPTS,
    find: 'if inUse >= limit and not isRepeated then',
    replace: 'if inUse > limit and not isRepeated then',
    caught: { id: 'F31l', topology: 'standalone' },
  },
  {
    protection: 'renewal of the permits of a limit',
    file: SCRIPTS,
    find: "redis.call('ZADD', permits, 'XX', now + lease, owner)",
    replace: '',
    caught: { id: 'F31l', topology: 'standalone' },
  },
  {
    protection: 'renewal of permits with ids',
    file: SCRIPTS,
    find: "redis.call('ZADD', deadlines, now + lease, permit)",
    replace: '',
    caught: { id: 'F31l', topology: 'standalone' },
  },
];
