import { sendWithDeadline } from '../../lib/backend/commands/deadline-request.js';
import { ScriptedCommands, unavailable } from './scripted-commands.js';

const request = (commands: ScriptedCommands, deadline: number, send: () => Promise<'late'>) =>
  sendWithDeadline(commands, commands.scheduler, { key: 'k', deadline, send, read: () => undefined });

describe('A request after its deadline', () => {
  it('D29: is not sent, and does not claim that it was', async () => {
    const commands = new ScriptedCommands();
    const send = jest.fn();
    const error: unknown = await request(commands, 0, send).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', outcome: 'not-sent', lockName: 'k' });
    expect(String(error)).toMatch(/not sent/);
    expect(String(error)).not.toMatch(/reached/);
    expect(send).not.toHaveBeenCalled();
  });

  it('D29: reports that the server refused it as late', async () => {
    const commands = new ScriptedCommands();
    const asked = request(commands, 100, async () => {
      await commands.scheduler.pause(100);
      return 'late';
    }).catch((reason: unknown) => reason);
    await commands.clock.advance(100);
    await expect(asked).resolves.toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('reached Redis'),
    });
  });

  it('D29: reports why it could not be written', async () => {
    const commands = new ScriptedCommands();
    const asked = request(commands, 100, async () => {
      await commands.scheduler.pause(100);
      throw unavailable('not-sent', 'the connection was going down');
    }).catch((reason: unknown) => reason);
    await commands.clock.advance(100);
    await expect(asked).resolves.toMatchObject({ outcome: 'not-sent', message: 'the connection was going down' });
  });
});
