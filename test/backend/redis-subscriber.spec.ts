import type { Subscription } from '../../lib/backend/pubsub.js';
import type { RedisConnection } from '../../lib/backend/connection/redis-connection.js';
import { RedisSubscriber } from '../../lib/backend/connection/redis-subscriber.js';
import { MOST_IN_FLIGHT } from '../../lib/backend/connection/subscriptions/subscription-commands.js';
import { hashSlot } from '../../lib/keys/hash-slot.js';
import { replyError, ScriptedCluster } from './scripted-cluster.js';
import { outcomeOf } from './scripted-nodes.js';

const TIMEOUT = 1000;
const HEARTBEAT = 2000;

/** Both kinds of channels, and how a command for channels of two names begins. */
const KINDS = [
  { kind: 'plain', sharded: false, command: 'SUBSCRIBE', end: 'UNSUBSCRIBE' },
  { kind: 'sharded', sharded: true, command: 'SSUBSCRIBE', end: 'SUNSUBSCRIBE' },
] as const;

const open = async (sharded = false) => {
  const cluster = new ScriptedCluster([['a:1']]);
  const { clock, scheduler } = cluster;
  const server = cluster.at('a:1');
  const input = cluster.servers(['a:1']).connectionTo('a:1');
  const subscriber = new RedisSubscriber(input, TIMEOUT, scheduler, { isSharded: () => sharded });
  const wakes: string[] = [];
  const subscribe = (channel: string, isInterested = () => true) => {
    const interest = {
      get isInterested() {
        return isInterested();
      },
    };
    const outcome = outcomeOf(subscriber.subscribe(channel, () => wakes.push(channel), interest));
    const subscription = (): Subscription => {
      if (outcome.state !== 'resolved') throw new Error(`The subscription is ${outcome.state}`);
      return outcome.value as Subscription;
    };
    return { outcome, subscription };
  };
  const commands = (): string[] => server.log.filter((command) => command.includes('SUBSCRIBE'));
  // Connected, so that the next subscriptions are alone.
  const first = subscribe('first');
  await clock.advance(0);
  server.log.length = 0;
  return { clock, scheduler, server, subscriber, first, subscribe, commands, wakes };
};

/** Three channels of one name each, as a waiting client has them. */
const channelsOf = (name: string): string[] => [`c:{${name}}`, `c:{${name}}:clients`, `c:{${name}}:me`];

describe('Subscriptions over one connection', () => {
  it.each(KINDS)('D71: of one turn are made by one command ($kind)', async ({ sharded, command }) => {
    const { clock, subscribe, commands } = await open(sharded);
    const made = channelsOf('x').map((channel) => subscribe(channel));
    expect(commands()).toEqual([]);
    await clock.advance(0);
    expect(commands()).toEqual([`${command} ${channelsOf('x').join(' ')}`]);
    expect(made.map(({ subscription }) => subscription().alive)).toEqual([true, true, true]);
  });

  it('D71: of one turn are made by one command for each slot, if messages stay with a shard', async () => {
    const { clock, subscribe, commands } = await open(true);
    expect(hashSlot('c:{x}')).not.toBe(hashSlot('c:{y}'));
    for (const channel of [...channelsOf('x'), ...channelsOf('y')]) subscribe(channel);
    await clock.advance(0);
    expect(commands()).toEqual(['x', 'y'].map((name) => `SSUBSCRIBE ${channelsOf(name).join(' ')}`));
  });

  it.each(KINDS)('D71: that end in one turn are ended by one command ($kind)', async ({ sharded, end }) => {
    const { clock, subscribe, commands, server } = await open(sharded);
    const made = channelsOf('x').map((channel) => subscribe(channel));
    await clock.advance(0);
    server.log.length = 0;
    for (const { subscription } of made) subscription().cancel();
    await clock.advance(0);
    expect(commands()).toEqual([`${end} ${channelsOf('x').join(' ')}`]);
  });

  it.each(KINDS)('D71: end before they begin again in the same turn ($kind)', async ({ sharded, command, end }) => {
    const { clock, subscribe, commands, server } = await open(sharded);
    const former = subscribe('{x}');
    await clock.advance(0);
    server.log.length = 0;
    former.subscription().cancel();
    const next = subscribe('{x}');
    await clock.advance(0);
    expect(commands()).toEqual([`${end} {x}`, `${command} {x}`]);
    expect(next.subscription().alive).toBe(true);
  });

  it('D71: of callers of one channel, while its command is under way, need no other', async () => {
    const { clock, server, subscribe, commands } = await open();
    const held = server.holdBack('SUBSCRIBE');
    const one = subscribe('x');
    await clock.advance(0);
    const other = subscribe('x');
    await clock.advance(0);
    held[0]?.resolve(1);
    await clock.advance(0);
    expect(commands()).toEqual(['SUBSCRIBE x']);
    expect([one.subscription().alive, other.subscription().alive]).toEqual([true, true]);
  });

  it('D71: fail one by one if the user may not subscribe to one of them', async () => {
    const { clock, server, subscribe } = await open();
    for (const command of ['SUBSCRIBE x y z', 'SUBSCRIBE y'])
      server.answer(command, () => Promise.reject(replyError('NOPERM No permissions to access a channel')));
    const [x, y, z] = ['x', 'y', 'z'].map((channel) => subscribe(channel));
    await clock.advance(0);
    expect([x, z].map((made) => made?.subscription().alive)).toEqual([true, true]);
    expect(y?.outcome).toMatchObject({ state: 'rejected', value: { code: 'LOCK_UNAVAILABLE', permanent: true } });
  });

  it('D71: are only so many at once; the next command follows the reply, and has its own time', async () => {
    const { clock, server, subscribe, commands } = await open();
    const held = server.holdBack('SUBSCRIBE');
    const made = Array.from({ length: MOST_IN_FLIGHT + 2 }, (_, index) => subscribe(`c${index}`));
    await clock.advance(TIMEOUT - 1);
    expect(commands().map((command) => command.split(' ').length - 1)).toEqual([MOST_IN_FLIGHT]);
    held[0]?.resolve(1);
    await clock.advance(0);
    expect(commands().slice(1)).toEqual([`SUBSCRIBE c${MOST_IN_FLIGHT} c${MOST_IN_FLIGHT + 1}`]);
    expect(made[0]?.subscription().alive).toBe(true);
    // Longer than the time of a command, from when the caller asked.
    await clock.advance(TIMEOUT - 1);
    expect(made.at(-1)?.outcome.state).toBe('pending');
    held[1]?.resolve(1);
    await clock.advance(0);
    expect(made.at(-1)?.subscription().alive).toBe(true);
  });

  it('D71: are not made for a subscriber that lost interest before the command was written', async () => {
    const { clock, server, subscribe, commands } = await open();
    const held = server.holdBack('SUBSCRIBE');
    for (let index = 0; index < MOST_IN_FLIGHT; index += 1) subscribe(`c${index}`);
    let isInterested = true;
    const gone = subscribe('gone', () => isInterested);
    const staying = subscribe('staying');
    await clock.advance(0);
    isInterested = false;
    held[0]?.resolve(1);
    await clock.advance(0);
    expect(commands().slice(1)).toEqual(['SUBSCRIBE staying']);
    expect([gone.subscription().alive, staying.outcome.state]).toEqual([false, 'pending']);
    gone.subscription().cancel();
    await clock.advance(0);
    expect(server.count('UNSUBSCRIBE')).toBe(0);
  });

  it.each(KINDS)('D71: begin with a late reply, and are not asked for again ($kind)', async ({ sharded, command }) => {
    const { clock, server, subscribe, commands, wakes } = await open(sharded);
    const held = server.holdBack(command);
    const made = subscribe('{x}');
    await clock.advance(TIMEOUT);
    expect([made.subscription().alive, wakes]).toEqual([false, []]);
    held[0]?.resolve(1);
    await clock.advance(0);
    expect([made.subscription().alive, wakes]).toEqual([true, ['{x}']]);
    expect(commands()).toEqual([`${command} {x}`]);
  });

  it('D71: end on the server if they were cancelled before a late reply', async () => {
    const { clock, server, subscribe, commands, wakes } = await open();
    const held = server.holdBack('SUBSCRIBE');
    const made = subscribe('x');
    await clock.advance(TIMEOUT);
    made.subscription().cancel();
    await clock.advance(0);
    held[0]?.resolve(1);
    await clock.advance(0);
    expect(commands()).toEqual(['SUBSCRIBE x', 'UNSUBSCRIBE x']);
    expect(wakes).toEqual([]);
  });

  it('D71: are made again after a reconnection by few commands, also those that were not written yet', async () => {
    const { clock, server, subscribe, commands, wakes } = await open();
    const held = server.holdBack('SUBSCRIBE');
    const made = Array.from({ length: MOST_IN_FLIGHT }, (_, index) => subscribe(`c${index}`));
    await clock.advance(0);
    held[0]?.resolve(1);
    await clock.advance(0);
    const cut = subscribe('cut');
    await clock.advance(0);
    server.fail();
    const unwritten = subscribe('unwritten');
    await clock.advance(0);
    expect(cut.outcome).toMatchObject({ state: 'rejected', value: { outcome: 'unknown' } });
    server.log.length = 0;
    wakes.length = 0;
    server.comeBack();
    await clock.advance(TIMEOUT / 2 - 1);
    // `first`, and all others that fit into one command.
    expect(commands().map((command) => command.split(' ').length - 1)).toEqual([MOST_IN_FLIGHT]);
    held.at(-1)?.resolve(1);
    await clock.advance(TIMEOUT / 2);
    expect(commands()[1]).toBe(`SUBSCRIBE c${MOST_IN_FLIGHT - 1}`);
    expect(made[0]?.subscription().alive).toBe(true);
    held.at(-1)?.resolve(1);
    await clock.advance(0);
    expect([made.at(-1)?.subscription().alive, unwritten.outcome.state]).toEqual([true, 'pending']);
    expect(wakes).toHaveLength(MOST_IN_FLIGHT + 1);
    held.at(-1)?.resolve(1);
    await clock.advance(0);
    expect(unwritten.subscription().alive).toBe(true);
  });

  it.each([
    { what: 'outlive a heartbeat whose reply the busy event loop had not read', isAnswered: true },
    { what: 'end with a heartbeat without a reply', isAnswered: false },
  ])('D71: $what', async ({ isAnswered }) => {
    const { clock, server, first, wakes } = await open();
    const held = server.holdBack('PING');
    await clock.advance(HEARTBEAT + TIMEOUT / 2);
    // A loop that was blocked learns from a timer that time is over, before it reads.
    if (isAnswered) held[0]?.resolve('PONG');
    await clock.advance(TIMEOUT / 2);
    expect(first.subscription().alive).toBe(isAnswered);
    expect(wakes).toEqual(isAnswered ? [] : ['first']);
  });
});

describe('A heartbeat', () => {
  it('asks nothing while there is no connection, and leaves the attempt to make one alone', async () => {
    const { clock, server, subscriber, wakes } = await open();
    const connection = Reflect.get(subscriber, 'connection') as RedisConnection;
    const [send, reconnect] = [jest.spyOn(connection, 'send'), jest.spyOn(connection, 'reconnect')];
    server.fail();
    await clock.advance(3 * HEARTBEAT);
    expect(wakes).toEqual(['first']);
    expect([send.mock.calls, reconnect.mock.calls]).toEqual([[], []]);
  });
});

describe('A check of the messages of a server', () => {
  it('tells that none arrive while a waiter was refused a subscription, until it is connected again', async () => {
    const { clock, scheduler, server, subscriber, first, subscribe } = await open();
    const checked = async (): Promise<unknown> => {
      const outcome = outcomeOf(subscriber.check(scheduler.now() + TIMEOUT));
      await clock.advance(TIMEOUT);
      return outcome.value;
    };
    first.subscription().cancel();
    await expect(checked()).resolves.toBe('unused');
    server.fail();
    const refused = subscribe('x');
    await clock.advance(TIMEOUT);
    expect(refused.outcome.state).toBe('rejected');
    // Before the waiter tries again, nothing listens.
    expect(subscriber.channelNames).toEqual([]);
    await expect(checked()).resolves.toBe('down');
    server.comeBack();
    await clock.advance(TIMEOUT);
    await expect(checked()).resolves.toBe('unused');
    subscribe('x');
    await expect(checked()).resolves.toBe('up');
  });
});
