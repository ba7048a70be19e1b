import { unexpectedReply } from '../connection/reply-errors.js';
import { type ReplyOf, type Script, shapeOf, timeIn } from '../scripts/script.js';
import type { ServerClock } from './server-clock.js';

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
