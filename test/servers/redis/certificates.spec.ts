import { existsSync } from 'node:fs';
import { connect } from 'node:tls';
import { Redis } from 'ioredis';
import { Certificates, type Credentials, type Identity } from './certificates.js';
import { RedisServer } from './redis-server.js';

/** The reply of the server to a PING, or the code of the error. */
const ping = ({ host, port }: RedisServer, credentials: Partial<Credentials>): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, ...credentials }, () => socket.write('PING\r\n'));
    socket.once('data', (reply) => resolve(reply.toString().trim()));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.once('close', () => resolve('closed'));
  }).then((outcome) => String(outcome));

describe('Certificates', () => {
  let certificates: Certificates;

  beforeAll(async () => {
    certificates = await Certificates.make();
  });

  afterAll(() => certificates.remove());

  it('let a client in that shows one, by address and by name', async () => {
    await using server = await RedisServer.start({ tls: { certificates } });
    expect(server.url).toBe(`rediss://127.0.0.1:${server.port}`);
    for (const host of ['127.0.0.1', 'localhost']) {
      const client = new Redis({ host, port: server.port, family: 4, tls: certificates.credentials() });
      await expect(client.ping()).resolves.toBe('PONG');
      client.disconnect();
    }
  });

  it.each([
    ['expired', 'CERT_HAS_EXPIRED'],
    ['anotherAuthority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['anotherName', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] satisfies [Identity, string][])('of a server: %s is refused by clients', async (identity, code) => {
    await using server = await RedisServer.start({ tls: { certificates, identity } });
    await expect(ping(server, certificates.credentials())).resolves.toBe(code);
  });

  it('of a client: expired ones, those of another authority and none at all are refused by servers', async () => {
    await using server = await RedisServer.start({ tls: { certificates } });
    const { ca } = certificates.credentials();
    await expect(ping(server, certificates.credentials('expired'))).resolves.toMatch(/CERTIFICATE_EXPIRED/);
    await expect(ping(server, certificates.credentials('anotherAuthority'))).resolves.toMatch(/UNKNOWN_CA/);
    await expect(ping(server, { ca })).resolves.toMatch(/CERTIFICATE_REQUIRED/);
    await expect(ping(server, { ...certificates.credentials(), ca: certificates.anotherAuthority })).resolves.toMatch(
      /UNABLE_TO_VERIFY|SELF_SIGNED/,
    );
  });

  it('leave nothing behind when removed', async () => {
    const others = await Certificates.make();
    expect(existsSync(others.files('server').certificate)).toBe(true);
    others.remove();
    expect(existsSync(others.folder)).toBe(false);
  });
});
