/** A lock without any protection, in which the same checkers must find violations. */
export const control = { id: 'N1', topology: 'standalone' };

/** One protection that is removed from the library while its code is loaded. */
export interface Mutation {
  readonly protection: string;
  /** The path in `lib/`. */
  readonly file: string;
  /** The text to replace, which the file contains exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The case that must fail then, and its topology. */
  readonly caught: { readonly id: string; readonly topology: string };
}

export const mutations: readonly Mutation[] = [
  {
    protection: 'safety poll',
    file: 'waiting/queue/announced-releases.ts',
    find: 'this.channel.isSubscribed ? subscribed : unsubscribed',
    replace: 'this.channel.isSubscribed ? Infinity : unsubscribed',
    caught: { id: 'F28p', topology: 'standalone' },
  },
  {
    protection: 're-check after subscribe',
    file: 'waiting/channel-listener.ts',
    find: 'this.onSubscribed();',
    replace: '',
    caught: { id: 'F28s', topology: 'standalone' },
  },
  {
    protection: 'absolute transitions',
    file: 'backend/redis/scripts/scripts.generated.ts',
    find: "if held ~= count then redis.call('HINCRBY', lock, owner, count - held) end\nreturn { 'held', now }`,",
    replace: "redis.call('HINCRBY', lock, owner, 1)\nreturn { 'held', now }`,",
    caught: { id: 'F37a', topology: 'standalone' },
  },
  {
    protection: 'notAfter',
    file: 'backend/redis/commands/deadline-request.ts',
    find: 'Math.ceil(commands.serverTime(key, startedAt) + (deadline - startedAt))',
    replace: 'Number.MAX_SAFE_INTEGER',
    caught: { id: 'F7n', topology: 'standalone' },
  },
  {
    protection: 'cancel of what stayed unknown',
    file: 'backend/redis/commands/orphan-releaser.ts',
    find: 'if (this.finished) return this.onGivenUp(orphan, cause);',
    replace: 'return;',
    caught: { id: 'F1c', topology: 'standalone' },
  },
  {
    protection: 'safety deadline of the holder',
    file: 'watchdog/lease.ts',
    find: 'return Math.max(0, this.length - this.since.elapsed);',
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
    file: 'backend/redis/commands/restart-guard.ts',
    find: 'if (left <= 0) return undefined;',
    replace: 'return undefined;',
    caught: { id: 'F10g', topology: 'standalone' },
  },
];
