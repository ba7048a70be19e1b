import { Certificates } from '../servers/redis/certificates.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';
import { RedisSentinels } from '../servers/sentinel/redis-sentinels.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { runCli, sentence } from './command-line.js';

const RUN = ['run', 'job', '--', 'echo', 'ran'] as const;
const RAN = { code: 0, stdout: 'ran\n', stderr: '' };

const addresses = (places: readonly { readonly host: string; readonly port: number }[]): string =>
  places.map(({ host, port }) => `${host}:${port}`).join(',');

describe('A cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await RedisCluster.start();
  });
  afterAll(() => cluster.stop());

  const chosen = (): readonly string[] => ['--cluster', addresses(cluster.servers)];

  it('is locked on', async () => {
    expect(await runCli([...chosen(), ...RUN])).toEqual(RAN);
  });

  it('is checked, all masters of it, and gets an ACL line with its commands', async () => {
    const { code, stdout } = await runCli(['doctor', '--json', '--key-prefix', 'shop:', ...chosen()]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      summary: expect.stringContaining('cluster of 3 master(s), by ioredis: '),
      dangers: [],
      acl: [{ servers: 'every server', line: expect.stringContaining('+cluster|slots') }],
    });
  });

  it('is refused with 78 if it is given as one server', async () => {
    const [url = ''] = cluster.urls;
    expect(await runCli(['--url', url, ...RUN])).toEqual({
      code: 78,
      stdout: '',
      stderr: sentence(/it is part of a cluster/),
    });
  });
});

describe('Sentinels', () => {
  let sentinels: RedisSentinels;
  beforeAll(async () => {
    sentinels = await RedisSentinels.start({ password: 'of-master', sentinelPassword: 'of-sentinels' });
  });
  afterAll(() => sentinels.stop());

  const chosen = (): readonly string[] => ['--sentinel', addresses(sentinels.sentinels), '--master', sentinels.name];
  const environment = { REDIS_PASSWORD: 'of-master', REDIS_SENTINEL_PASSWORD: 'of-sentinels' };

  it('name the master that is locked on', async () => {
    expect(await runCli([...chosen(), ...RUN], environment)).toEqual(RAN);
  });

  it('get an ACL line of their own', async () => {
    const { stdout } = await runCli(['doctor', '--json', ...chosen()], environment);
    expect(JSON.parse(stdout)).toMatchObject({
      acl: [
        { servers: 'the master and its replicas' },
        { servers: 'the Sentinels', line: expect.stringContaining('+sentinel|get-master-addr-by-name') },
      ],
    });
  });

  it('that do not know the master end with 69', async () => {
    const unknown = ['--sentinel', addresses(sentinels.sentinels), '--master', 'unknown'];
    expect(await runCli([...unknown, ...RUN], environment)).toMatchObject({
      code: 69,
      stderr: sentence(/no Sentinel of/),
    });
  });
});

describe('TLS', () => {
  let certificates: Certificates;
  let server: RedisServer;
  beforeAll(async () => {
    certificates = await Certificates.make();
    server = await RedisServer.start({ tls: { certificates } });
  });
  afterAll(async () => {
    await server.stop();
    certificates.remove();
  });

  const files = (): readonly string[] => {
    const { authority, certificate, key } = certificates.files('client');
    return ['--ca', authority, '--cert', certificate, '--key', key];
  };

  it('is used by rediss:// and by --tls', async () => {
    expect(await runCli([...RUN.slice(0, 2), '--url', server.url, ...files(), ...RUN.slice(2)])).toEqual(RAN);
    const plain = server.url.replace('rediss', 'redis');
    expect(await runCli(['--url', plain, '--tls', ...files(), ...RUN])).toEqual(RAN);
  });

  it('ends with 78 for a certificate of an authority that is not trusted', async () => {
    const { certificate, key } = certificates.files('client');
    const options = ['--url', server.url, '--cert', certificate, '--key', key];
    expect(await runCli([...options, ...RUN])).toEqual({
      code: 78,
      stdout: '',
      stderr: sentence(/its certificate is not trusted/),
    });
  });
});
