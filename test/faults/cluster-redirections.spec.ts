import { scripts } from '../../lib/backend/scripts/scripts.generated.js';
import { hashSlot } from '../../lib/keys/hash-slot.js';
import { OwnerIds } from '../../lib/context/owner-ids.js';
import { Time } from '../kit/time.js';
import { TopologyClients } from '../topologies/clients.js';
import { type Command, FakeRedis, Raw, type Reply } from './fake-redis.js';

const HOUR_MS = 3_600_000;
const LEASE = 20_000;
const LAST_SLOT = 16_383;

const time = Time.real();
const owners = new OwnerIds();
const clients = new TopologyClients(() => ({ cluster: [source.redis.url] }));

/** A server of a cluster, played by the test, with a clock of its own. */
class Server {
  /** The time by which its clock is ahead of the test's, ms. */
  ahead = 0;
  uptime = 86_400;
  /** Answers a command before the default reply; `undefined` leaves it to the default. */
  answer: (command: Command) => Reply | undefined = () => undefined;
  /** The last instant at which each acquisition could have taken effect, by its own clock. */
  readonly limits: number[] = [];
  /** The instants of the requests to release, by its own clock. */
  readonly releases: number[] = [];

  private constructor(readonly redis: FakeRedis) {
    redis.answer = (command) => this.answer(command) ?? this.usual(command);
  }

  static async start(): Promise<Server> {
    return new Server(await FakeRedis.start());
  }

  get port(): number {
    return Number(new URL(this.redis.url).port);
  }

  now(): number {
    return Date.now() + this.ahead;
  }

  private usual({ name, args }: Command): Reply | undefined {
    const now = this.now();
    switch (name) {
      case 'cluster':
        return args[0] === 'SLOTS' ? slots() : 'cluster_state:ok\r\n';
      case 'info':
        return `redis_version:7.0.0\r\nrun_id:${this.port}\r\nuptime_in_seconds:${this.uptime}\r\nmaster_replid:a\r\nmaster_replid2:0\r\n`;
      case 'time':
        return [String(Math.floor(now / 1000)), String((now % 1000) * 1000)];
      case 'acquire': {
        // 1, lock, owner, lease, notAfter
        const [lease, notAfter] = [Number(args[3]), Number(args[4])];
        this.limits.push(notAfter);
        return now > notAfter ? ['late', 0, '', now] : [lease, now];
      }
      case 'wait':
        return 1;
      case 'eval':
      case 'evalsha':
        // Only one script of another kind is sent here: the one that confirms a hold.
        return ['held'];
      case 'release':
        this.releases.push(now);
        return ['not-held', now];
      default:
        return undefined;
    }
  }
}

let source: Server;
let target: Server;

const slots = (): Reply => [
  [0, LAST_SLOT - 1, ['127.0.0.1', source.port, 'source']],
  [LAST_SLOT, LAST_SLOT, ['127.0.0.1', target.port, 'target']],
];

const isAbout = (lock: string, { name, args }: Command): boolean =>
  (name in scripts.lock || name === 'eval' || name === 'evalsha') && args.includes(lock);

const request = (name: string) => ({ name, owner: owners.next(), lease: LEASE });

beforeEach(async () => {
  [source, target] = [await Server.start(), await Server.start()];
  // The source still has all other keys.
  source.answer = (command) =>
    isAbout('{9}moving', command) ? new Raw(`-ASK ${hashSlot('{9}')} 127.0.0.1:${target.port}\r\n`) : undefined;
});

afterEach(async () => {
  await clients.close();
  await Promise.all([source.redis.close(), target.redis.close()]);
});

describe('A script that a server of a cluster aborts', () => {
  const BROKEN_OFF = '-ERR Script attempted to access a non local key in a cluster node script: 1\r\n';

  it('D4: has an unknown outcome, also if its repetition was refused', async () => {
    const said = [BROKEN_OFF, '-TRYAGAIN Multiple keys request during rehashing of slot\r\n'];
    source.answer = (command) => (isAbout('{9}moving', command) ? new Raw(said.shift() ?? '-LOADING\r\n') : undefined);
    const { lock } = (await clients.open()).runtime.backend;
    await expect(lock.acquire(request('{9}moving'))).rejects.toMatchObject({ outcome: 'unknown' });
    expect(said).toEqual([]);
  });
});

describe('A request that a server of a cluster sends on to another', () => {
  it.each([
    ['ahead', HOUR_MS],
    ['behind', -HOUR_MS],
  ])(
    'D14: is timed by the clock of the other server, which is %s, and tells nothing about the first',
    async (_, skew) => {
      target.ahead = skew;
      const client = await clients.open();
      const { lock } = client.runtime.backend;
      expect(await lock.acquire(request('{9}moving'))).toMatchObject({ outcome: 'acquired' });
      expect(await lock.acquire(request('{9}moving'))).toMatchObject({ outcome: 'acquired' });
      expect(target.limits).toHaveLength(2);
      for (const notAfter of target.limits) expect(Math.abs(notAfter - target.now())).toBeLessThan(2000);
      expect(await lock.acquire(request('{9}staying'))).toMatchObject({ outcome: 'acquired' });
      expect(source.limits).toHaveLength(1);
      for (const notAfter of source.limits) expect(Math.abs(notAfter - source.now())).toBeLessThan(2000);
      expect(client.events).toEqual([]);
    },
  );

  it('D14: is undone until the clock of the other has passed its deadline', async () => {
    target.ahead = HOUR_MS;
    let limit = Number.POSITIVE_INFINITY;
    target.answer = ({ name, args }) => {
      if (name !== 'acquire') return undefined;
      limit = Number(args[4]);
      return 'no reply of any script';
    };
    const client = await clients.open();
    const { lock } = client.runtime.backend;
    await expect(lock.acquire(request('{9}moving'))).rejects.toMatchObject({ outcome: 'unknown' });
    await time.until(() => (target.releases.at(-1) ?? 0) > limit, 5000);
  });

  it('D14: is confirmed by the replicas of the other server, and delays no other confirmation', async () => {
    const { lock } = (await clients.open({ replicas: { min: 1, timeout: 300 } })).runtime.backend;
    const names = ['{9}first', '{9}moving', '{9}last'];
    const outcomes = await Promise.all(names.map((name) => lock.acquire(request(name))));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['acquired', 'acquired', 'acquired']);
    const confirmed = target.redis.commands.filter(({ name }) => name.startsWith('eval') || name === 'wait');
    expect(confirmed.map(({ name }) => name)).toEqual(['evalsha', 'wait']);
  });

  it('D14: is refused by the restart guard of the other', async () => {
    target.uptime = 1;
    const client = await clients.open({ restartGuard: true, renewedLease: 30_000 });
    const { lock } = client.runtime.backend;
    await expect(lock.acquire(request('{9}moving'))).rejects.toMatchObject({
      outcome: 'refused',
      details: { guardedFor: expect.any(Number) },
    });
    expect(target.limits).toEqual([]);
    expect(await lock.acquire(request('{9}staying'))).toMatchObject({ outcome: 'acquired' });
  });
});
