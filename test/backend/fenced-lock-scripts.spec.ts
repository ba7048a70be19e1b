import type { ScriptExecutor } from '../../lib/backend/commands/script-executor.js';
import { FencedLockScripts } from '../../lib/backend/kinds/fenced-lock/fenced-lock.js';

/** Commands to a server that gives this reply to every script. */
const answering = (reply: readonly unknown[]): ScriptExecutor =>
  ({ run: async () => reply }) as unknown as ScriptExecutor;

describe('I15: A reply with a malformed fencing token', () => {
  const unknown = { code: 'LOCK_UNAVAILABLE', outcome: 'unknown' };

  it.each(['', 'token', '-1', '1.5', '0x10', ' 7', '9'.repeat(20)])('%p leaves the outcome unknown', async (token) => {
    const granting = new FencedLockScripts(answering(['acquired', 1000, '', 0, token]), 'clock');
    const limits = { notAfter: 0, deadline: 0 };
    // A SyntaxError in its place would leave the acquisition on the server.
    await expect(granting.acquire({ name: 'n', owner: 'o:1', lease: 1000 }, limits)).rejects.toMatchObject(unknown);
    const telling = new FencedLockScripts(answering(['token', token]), 'clock');
    await expect(telling.currentToken('n', 0)).rejects.toMatchObject(unknown);
  });
});
