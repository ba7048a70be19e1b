import {
  isEvalRefused,
  isNotWritten,
  isReadOnly,
  isScriptMissing,
  unexpectedReply,
} from '../connection/reply-errors.js';
import {
  type ArgumentsOf,
  encode,
  isReplyOf,
  type KeysOf,
  type ReplyOf,
  type Script,
  scriptHash,
  shapeOf,
  timeIn,
} from '../scripts/script.js';
import type { ServerClock } from './server-clock.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import type { ReplyHandler } from '../connection/with-deadline.js';
import type { RequestTurns } from './request-turns.js';

/**
 * Reads the reply to a script, which came at `now`, `waited` ms after the script was sent. The time in it sets the clock of
 * the server that sent it, and of no other; but not if it is overdue, which would only make that clock look behind, and
 * let the server refuse the next commands.
 * @throws LockUnavailableError (`unknown`) if it is not a reply of this script.
 */
export const readReply = <S extends Script>(
  script: S,
  reply: unknown,
  clock: ServerClock,
  now: number,
  waited: number,
  isOverdue: boolean,
): ReplyOf<S> => {
  const shape = shapeOf(script, reply);
  if (!shape) throw unexpectedReply(reply);
  const answer = reply as ReplyOf<S>;
  const serverNow = timeIn(shape, answer);
  if (serverNow !== undefined && !isOverdue) clock.observe(serverNow, now, waited);
  return answer;
};

/** A connection, whose turn it is on it, and the clock of the server at its end. */
export interface ScriptServer {
  readonly connection: RedisConnection;
  readonly clock: ServerClock;
  readonly turns: RequestTurns;
}

/**
 * One call of a script on one server: EVALSHA, but EVAL for the first call on a connection, and if the server does not know
 * the script. On the hot path, see docs/architecture.md#hot-path: hence one object without closures.
 */
export class ScriptCall<S extends Script> implements ReplyHandler<unknown, ReplyOf<S>> {
  private readonly keyCount: number;
  private readonly parameters: string[];
  /** Whether the whole script was sent, although the server may know it. */
  private isFirst = false;

  constructor(
    private readonly server: ScriptServer,
    private readonly script: S,
    keys: KeysOf<S>,
    args: ArgumentsOf<S>,
    readonly name: string | undefined,
    /** Whether the slot of the keys is migrating to this server, which serves them only after ASKING. */
    private readonly asking: boolean,
  ) {
    const { keyCount, parameters } = encode(script, keys, args);
    this.keyCount = keyCount;
    this.parameters = parameters;
  }

  send(): Promise<unknown> {
    const { sentScripts, mayEval } = this.server.connection;
    const hash = scriptHash(this.script.text);
    if (sentScripts.has(hash) || !mayEval) return this.evaluate('evalsha', hash);
    // A script that the server does not know would be executed only after what is sent behind it.
    sentScripts.add(hash);
    this.isFirst = true;
    return this.evaluate('eval', this.script.text);
  }

  read(reply: unknown, now: number, waited: number, isOverdue: boolean): ReplyOf<S> {
    return readReply(this.script, reply, this.server.clock, now, waited, isOverdue);
  }

  /**
   * If it is none of this script, it is the reply to a later command: one reply was swallowed, and all that follow would
   * be taken for the replies to earlier commands.
   */
  late(reply: unknown): void {
    if (!isReplyOf(this.script, reply)) this.server.connection.reconnect();
  }

  instead(error: unknown): Promise<unknown> | undefined {
    if (isNotWritten(error)) this.server.connection.markUnwritable();
    // A demoted master refuses for ever, and its name may lead to another server now.
    if (isReadOnly(error)) this.server.connection.reconnect();
    if (isScriptMissing(error)) return this.evaluate('eval', this.script.text);
    if (!this.isFirst || !isEvalRefused(error)) return undefined;
    // Without EVAL, or without the right to it, the scripts can be preloaded.
    this.server.connection.mayEval = false;
    return this.evaluate('evalsha', scriptHash(this.script.text)).catch((second: unknown) => {
      throw isScriptMissing(second) ? error : second;
    });
  }

  settled(): void {
    const { writes, silence } = this.server.connection;
    writes.end();
    silence.answered();
    this.server.turns.answered();
  }

  missed(timeout: number): void {
    this.server.connection.silence.missed(timeout);
  }

  private evaluate(how: 'evalsha' | 'eval', what: string): Promise<unknown> {
    const { connection } = this.server;
    // ASKING applies to the next command only, so both are written in the same event-loop turn.
    const asked = this.asking ? connection.send(['ASKING']) : undefined;
    const reply = connection.write([how, what, String(this.keyCount), ...this.parameters]);
    return asked ? Promise.all([asked, reply]).then(([, answer]) => answer) : reply;
  }
}
