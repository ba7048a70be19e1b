import type { MonotonicScheduler } from '../../../time/scheduler.js';
import type { AcquireRequest, Fencing } from '../../lock-operations.js';
import type { ScriptExecutor } from '../../commands/script-executor.js';
import { RedisLock } from '../lock/redis-lock.js';
import type { Replicas } from '../../commands/replication/replica-confirmation.js';
import { wrongKeyType } from '../../../errors.js';
import type { RequestLimits } from '../../commands/deadline-request.js';
import { type AcquireReply, PlainLockScripts } from '../lock/lock-scripts.js';
import { unexpectedReply } from '../../connection/reply-errors.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { lockToken } from '../../../keys/redisson-keys.js';

/**
 * @throws LockUnavailableError if the text is no token. The effect on the server is unknown then, as with any other
 *   malformed reply.
 */
const parseToken = (text: string, reply: unknown): bigint => {
  if (!/^\d{1,19}$/.test(text)) throw unexpectedReply(reply);
  return BigInt(text);
};

/** A plain lock with the last token in a key beside it; only `acquire` and `currentToken` touch that key. */
export class FencedLockScripts extends PlainLockScripts {
  constructor(
    commands: ScriptExecutor,
    private readonly fencing: Fencing,
  ) {
    super(commands);
  }

  override async acquire(
    { name, owner, lease, replaces }: AcquireRequest,
    { notAfter, deadline }: RequestLimits,
  ): Promise<AcquireReply> {
    const keys = { lock: name, token: lockToken(name) };
    const args = { owner, lease, notAfter, fencing: this.fencing };
    const { acquire, replace } = scripts.fencedLock;
    const reply = await (replaces === undefined
      ? this.commands.run(acquire, keys, args, deadline, name)
      : this.commands.run(replace, keys, { ...args, ...this.replacing(name, replaces) }, deadline, name));
    const [outcome, remaining, detail, now, fence] = reply;
    if (outcome === 'no-token') throw wrongKeyType(keys.token, detail);
    if (outcome !== 'acquired') return [outcome, remaining, detail, now];
    return [outcome, remaining, detail, now, parseToken(fence, reply)];
  }

  async currentToken(name: string, deadline: number): Promise<bigint> {
    const token = lockToken(name);
    const reply = await this.commands.run(scripts.fencedLock.currentToken, { token }, {}, deadline, name);
    const [outcome, detail] = reply;
    if (outcome === 'no-token') throw wrongKeyType(token, detail);
    return parseToken(detail, reply);
  }
}

/** A lock that gives each new owner a fencing token above every earlier token of its name. */
export class RedisFencedLock extends RedisLock {
  constructor(
    commands: ScriptExecutor,
    scheduler: MonotonicScheduler,
    private readonly fenced: FencedLockScripts,
    replicas?: Replicas,
  ) {
    super(commands, scheduler, fenced, replicas);
  }

  /**
   * The last token given to any owner; 0 if there was none yet.
   * @throws LockKeyTypeError if the token's key holds another type.
   */
  currentToken(name: string): Promise<bigint> {
    return this.whenReady(name, (deadline) => this.fenced.currentToken(name, deadline));
  }
}
