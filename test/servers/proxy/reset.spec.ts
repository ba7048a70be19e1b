import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { reset } from './reset.js';

describe('reset()', () => {
  it('is seen as such by the other side, and leaves no socket open', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The server has no port');
    const client = connect(address.port, '127.0.0.1');
    const [accepted] = (await once(server, 'connection')) as [Socket];
    const failed = once(client, 'error');
    reset(accepted);
    expect(await failed).toMatchObject([{ code: 'ECONNRESET' }]);
    const closed = once(server, 'close');
    server.close();
    await closed;
  });
});
