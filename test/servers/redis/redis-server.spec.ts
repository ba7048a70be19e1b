import { existsSync } from 'node:fs';
import { Redis } from 'ioredis';
import { freePort } from '../process/free-port.js';
import { isAlive } from '../process/is-alive.js';
import { RedisServer } from './redis-server.js';

const connectTo = (server: RedisServer) =>
  new Redis(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null }).on('error', () => {});

describe('RedisServer', () => {
  it('answers as soon as it is started, with the settings it was given', async () => {
    await using server = await RedisServer.start({ args: ['--maxmemory', '7mb'] });
    const client = connectTo(server);
    await expect(client.config('GET', 'maxmemory')).resolves.toEqual(['maxmemory', String(7 * 1024 * 1024)]);
    client.disconnect();
  });

  it('leaves neither a process nor a folder behind when stopped, also when it was paused', async () => {
    const server = await RedisServer.start();
    const { pid, folder } = server;
    server.pause();
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(folder)).toBe(false);
    await server.stop();
  });

  it('does not answer while paused, and then does', async () => {
    await using server = await RedisServer.start();
    const client = connectTo(server);
    await client.ping();
    server.pause();
    let answered = false;
    const ping = client.ping().then(() => (answered = true));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).toBe(false);
    server.resume();
    await ping;
    client.disconnect();
  });

  it('comes back on the same port, empty', async () => {
    await using server = await RedisServer.start();
    const client = connectTo(server);
    await client.set('key', 'value');
    const { pid, port } = server;
    await server.restart();
    expect(server.port).toBe(port);
    expect(server.pid).not.toBe(pid);
    await expect(client.get('key')).resolves.toBeNull();
    client.disconnect();
  });

  it('can require a password', async () => {
    await using server = await RedisServer.start({ args: ['--requirepass', 'secret'] });
    const client = new Redis(server.url, { password: 'secret' });
    await expect(client.ping()).resolves.toBe('PONG');
    client.disconnect();
  });

  it('uses the requested port, and reports why it cannot start', async () => {
    const port = await freePort();
    await using server = await RedisServer.start({ port });
    expect(server.url).toBe(`redis://127.0.0.1:${port}`);
    await expect(RedisServer.start({ port })).rejects.toThrow('Address already in use');
    await expect(RedisServer.start({ args: ['--no-such-setting', '1'] })).rejects.toThrow('no-such-setting');
  });
});
