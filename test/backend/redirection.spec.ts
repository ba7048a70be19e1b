import { redirectionIn } from '../../lib/backend/cluster/cluster-executor.js';
import { unavailable } from '../../lib/backend/connection/reply-errors.js';

/** An error reply of a server, as ioredis reports it. */
const said = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });
const redirection = (message: string) => redirectionIn(unavailable('order:1', said(message)));

describe('The reply of a server of a cluster', () => {
  it.each([
    ['MOVED 3999 127.0.0.1:6381', { kind: 'moved', slot: 3999, host: '127.0.0.1', port: 6381 }],
    ['MOVED 0 :6381', { kind: 'moved', slot: 0, host: '', port: 6381 }],
    ['MOVED 5 2001:db8::1:6381', { kind: 'moved', slot: 5, host: '2001:db8::1', port: 6381 }],
    ['ASK 3999 node-3.example:6381', { kind: 'ask', host: 'node-3.example', port: 6381 }],
    ['TRYAGAIN Multiple keys request during rehashing of slot', { kind: 'try-again' }],
    [
      'ERR Script attempted to access a non local key in a cluster node script: 1, on @user_script:3.',
      { kind: 'try-again' },
    ],
    ['ERR Attempted to access a non local key in a cluster node', { kind: 'try-again' }],
  ])('%s', (message, expected) => {
    expect(redirection(message)).toEqual(expected);
  });

  it.each(['CLUSTERDOWN The cluster is down', 'READONLY You can not write', "CROSSSLOT Keys in request don't hash"])(
    'is no redirection: %s',
    (message) => {
      expect(redirection(message)).toBeUndefined();
      expect(unavailable('order:1', said(message)).outcome).toBe('refused');
    },
  );

  it('is no error of the connection', () => {
    expect(redirectionIn(unavailable('order:1', new Error('MOVED 1 127.0.0.1:1')))).toBeUndefined();
    expect(redirectionIn('MOVED 1 127.0.0.1:1')).toBeUndefined();
  });

  it.each(['Script attempted', 'Attempted'])('leaves the outcome of an aborted script unknown: %s', (beginning) => {
    const broken = said(`ERR ${beginning} to access a non local key in a cluster node script: 1`);
    expect(unavailable('order:1', broken).outcome).toBe('unknown');
  });
});
