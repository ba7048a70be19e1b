import { unavailable } from '../../lib/backend/connection/reply-errors.js';

const replyError = (text: string): Error => Object.assign(new Error(text), { name: 'ReplyError' });

describe('F40 A missing right is distinguished from passing errors', () => {
  it.each([
    ['6.2, 7.0', "NOPERM this user has no permissions to run the 'evalsha' command"],
    [
      '6.2',
      "ERR Error running script (call to f_1): @user_script:1: NOPERM The user executing the script can't run this command or subcommand",
    ],
    ['7.0', "ERR The user executing the script can't run this command or subcommand script: 104a, on @user_script:1."],
    [
      '7.2 and later',
      "ERR ACL failure in script: User locks has no permissions to run the 'hget' command script: 8a2f, on @user_script:4.",
    ],
    [
      '7.2 and later, of a key',
      'ERR ACL failure in script: No permissions to access a key script: 8a2f, on @user_script:4.',
    ],
  ])('in the words of Redis %s', (_, text) => {
    expect(unavailable('order:1', replyError(text))).toMatchObject({ outcome: 'refused', permanent: true });
  });

  it.each(['OOM command not allowed', 'READONLY You can not write', 'BUSY Redis is busy running a script'])(
    '%s may pass',
    (text) => {
      expect(unavailable('order:1', replyError(text))).toMatchObject({ outcome: 'refused', permanent: false });
    },
  );
});
