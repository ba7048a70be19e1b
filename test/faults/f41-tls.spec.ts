import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisOptions } from 'ioredis';
import { LockUnavailableError } from '../../lib/standalone.js';
import { Certificates, type Identity } from '../servers/redis/certificates.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { describeWith } from '../servers/redis/server-features.js';
import { expectWithin, settled } from './observe.js';
import { until } from '../kit/until.js';
import { DEADLINE, openLocks, POLL } from './server-fixture.js';
import type { Client } from '../kit/client.js';

/** I3: the time by which a call may exceed its limit. */
const ALLOWANCE_MS = 100;

let certificates: Certificates;
let server: RedisServer;
const clients: Client[] = [];

beforeAll(async () => {
  certificates = await Certificates.make();
  server = await RedisServer.start({ tls: { certificates } });
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(async () => {
  await server.stop();
  certificates.remove();
});

const open = (tls: RedisOptions['tls'], { host, port } = server): Client => {
  const client = openLocks({ host, port, ...(tls === undefined ? {} : { tls }) });
  clients.push(client);
  return client;
};

interface Refusal {
  readonly message: string;
  readonly cause: { readonly message: string; readonly code: string };
}

/** Tries to acquire a lock until the connection has failed, and resolves with the error that tells why. */
const refusal = async ({ locks }: Client): Promise<Refusal> => {
  let last: unknown;
  await until(async () => {
    const outcome = await settled(() => locks.tryAcquire('order:1'));
    last = outcome.error;
    expect(last).toBeInstanceOf(LockUnavailableError);
    expect(last).toMatchObject({ outcome: 'not-sent' });
    expectWithin(outcome, DEADLINE + ALLOWANCE_MS);
    // On a busy machine the handshake may take longer than one attempt.
    return (last as Refusal).cause !== undefined;
  }, 10_000);
  expect(last).toMatchObject({ cause: { code: expect.any(String) } });
  return last as Refusal;
};

describeWith('TLS', 'F41 TLS', () => {
  it('with client certificates serves commands and messages', async () => {
    const [one, other] = [open(certificates.credentials()), open(certificates.credentials())];
    await Promise.all([one.connected(), other.connected()]);
    const hold = await one.locks.acquire('order:1', { lease: '30s' });
    const waiting = other.locks.acquire('order:1', { wait: '10s', lease: '10s' });
    await until(() => other.runtime.acquirer.contended === 1, 2000, 'the other one waits');
    // The message serves the waiter sooner than its poll would.
    const woken = settled(() => waiting);
    expect(await hold.release()).toBe('released');
    const { value } = await woken;
    expectWithin(await woken, POLL / 2);
    expect(await value?.release()).toBe('released');
  });

  it.each<[what: string, server: Identity, code: string]>([
    ['has expired', 'expired', 'CERT_HAS_EXPIRED'],
    ['is of an authority that is not trusted', 'anotherAuthority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['is for another name', 'anotherName', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('a certificate that %s is the cause of the error', async (_, identity, code) => {
    await using other = await RedisServer.start({ tls: { certificates, identity } });
    const { cause, message } = await refusal(open(certificates.credentials(), other));
    expect(cause.code).toBe(code);
    expect(message).toContain(cause.message);
  });

  it('an authority that did not issue the certificate is the cause of the error', async () => {
    const tls = { ...certificates.credentials(), ca: certificates.anotherAuthority };
    expect((await refusal(open(tls))).cause.code).toBe('SELF_SIGNED_CERT_IN_CHAIN');
  });

  it.each<[what: string, code: RegExp, tls: () => RedisOptions['tls']]>([
    ['no client certificate', /CERTIFICATE_REQUIRED$/, () => ({ ca: certificates.credentials().ca })],
    ['a client certificate that has expired', /CERTIFICATE_EXPIRED$/, () => certificates.credentials('expired')],
    ['a client certificate of another authority', /UNKNOWN_CA$/, () => certificates.credentials('anotherAuthority')],
  ])('%s is the cause of the error', async (_, code, tls) => {
    const client = open(tls());
    const codes: unknown[] = [];
    // The server sends an alert and cuts the connection. The first cuts may come before the alert is read.
    const isTold = async (): Promise<boolean> => {
      const { cause } = await refusal(client);
      codes.push(cause.code);
      return code.test(cause.code);
    };
    await until(isTold, 10_000, `the cause is ${code}`);
    expect(codes.slice(0, -1).filter((early) => early !== 'ECONNRESET')).toEqual([]);
    expect((await refusal(client)).cause.code).toMatch(code);
  });

  it('a client closed during the handshake with an untrusted server ends nothing else', async () => {
    const tls = { ...certificates.credentials(), ca: certificates.anotherAuthority };
    const closedAfter = async (ms: number): Promise<void> => {
      const client = open(tls);
      const asking = settled(() => client.locks.tryAcquire('order:1'));
      await sleep(ms);
      await client.close();
      expect((await asking).error).toBeInstanceOf(LockUnavailableError);
    };
    // An unhandled error fails the test, as it would end a process.
    for (let ms = 0; ms < 12; ms++) await Promise.all(Array.from({ length: 8 }, () => closedAfter(ms)));
  });

  it('plain text to a TLS port is cut, and that is the cause of the error', async () => {
    expect((await refusal(open(undefined))).cause.code).toBe('ECONNRESET');
  });
});
