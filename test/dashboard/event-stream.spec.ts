import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { DashboardSnapshot } from '../../lib/integrations/dashboard/dashboard-snapshot.types.js';
import { EventStream } from '../../lib/integrations/dashboard/event-stream.js';
import { LiveFeed } from '../../lib/integrations/dashboard/live-feed.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { until } from '../kit/until.js';

const STALLED_MS = 30_000;
const INTERVAL = 1000;
const LIFE_MS = 300_000;

let clock: ManualClock;
let server: Server;
let responses: ServerResponse[];
let sockets: Socket[];

beforeEach(async () => {
  clock = new ManualClock();
  responses = [];
  sockets = [];
  server = createServer((_request, response) => responses.push(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

/** The response to a client that sends a request and reads only if it is told to. */
const openClient = async (): Promise<{ readonly socket: Socket; readonly response: ServerResponse }> => {
  const known = responses.length;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined).pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await until(() => responses.length > known);
  const response = responses[known];
  if (!response) throw new Error('No request came');
  return { socket, response };
};

const textOf = (socket: Socket): { readonly text: string } => {
  const received = { text: '' };
  socket.on('data', (chunk) => (received.text += String(chunk))).resume();
  return received;
};

describe('The stream of a page', () => {
  it('sends events, and ends when it is closed', async () => {
    const { socket, response } = await openClient();
    const received = textOf(socket);
    const stream = new EventStream(response, clock, () => undefined);
    stream.send('snapshot', '{"a":1}');
    stream.close();
    stream.send('snapshot', '{"a":2}');
    await once(socket, 'end');
    expect(received.text).toContain('content-type: text/event-stream');
    expect(received.text).toContain('event: snapshot\ndata: {"a":1}\n\n');
    expect(received.text).not.toContain('{"a":2}');
  });

  it('leaves out events for a client that does not read, and disconnects it after 30 seconds', async () => {
    const { response } = await openClient();
    let ended = 0;
    const stream = new EventStream(response, clock, () => (ended += 1));
    // More than the buffers of the operating system take.
    const data = 'x'.repeat(64_000_000);
    stream.send('snapshot', data);
    await until(() => response.writableNeedDrain);
    const waiting = response.writableLength;
    expect(waiting).toBeLessThan(2 * data.length);
    for (let n = 0; n < 50; n += 1) stream.send('snapshot', data);
    expect(response.writableLength).toBeLessThanOrEqual(waiting);
    await clock.advance(STALLED_MS - 1);
    stream.send('snapshot', data);
    expect(response.destroyed).toBe(false);
    await clock.advance(1);
    stream.send('snapshot', data);
    expect(response.destroyed).toBe(true);
    await until(() => ended === 1);
  });

  it('goes on for a client that reads again', async () => {
    const { socket, response } = await openClient();
    const stream = new EventStream(response, clock, () => undefined);
    stream.send('snapshot', 'x'.repeat(64_000_000));
    expect(response.writableNeedDrain).toBe(true);
    const received = textOf(socket);
    await until(() => !response.writableNeedDrain);
    await clock.advance(STALLED_MS * 2);
    stream.send('snapshot', 'the end');
    await until(() => received.text.includes('data: the end'));
  });

  it('D64: ends after five minutes and tells the page to ask for another, which the guard may refuse', async () => {
    const { socket, response } = await openClient();
    const received = textOf(socket);
    let ended = 0;
    const stream = new EventStream(response, clock, () => (ended += 1));
    await clock.advance(LIFE_MS - 1);
    stream.send('snapshot', 'before');
    expect(response.writableEnded).toBe(false);
    const end = once(socket, 'end');
    await clock.advance(1);
    await end;
    await until(() => ended === 1);
    stream.send('snapshot', 'after');
    expect(received.text).toContain('data: before\n\n');
    expect(received.text).toContain('event: renew\ndata: now\n\n');
    expect(received.text).not.toContain('after');
    expect(clock.pending).toBe(0);
  });

  it('D64: disconnects a client that does not read after five minutes', async () => {
    const { response } = await openClient();
    new EventStream(response, clock, () => undefined).send('snapshot', 'x'.repeat(64_000_000));
    await until(() => response.writableNeedDrain);
    await clock.advance(LIFE_MS);
    expect(response.destroyed).toBe(true);
  });

  it('reports that its client is gone', async () => {
    const { socket, response } = await openClient();
    let ended = 0;
    const stream = new EventStream(response, clock, () => (ended += 1));
    socket.destroy();
    await until(() => ended === 1);
    stream.send('snapshot', '1');
    stream.close();
    expect(ended).toBe(1);
    expect(clock.pending).toBe(0);
  });
});

describe('The feed of all pages', () => {
  let looks: number;
  let answer: () => Promise<DashboardSnapshot>;
  let feed: LiveFeed;

  const snapshot = (at: number): DashboardSnapshot => ({
    at,
    process: { host: 'h', pid: 1 },
    groups: [],
    hasMore: false,
    losses: [],
  });

  beforeEach(() => {
    looks = 0;
    answer = async () => snapshot(looks);
    feed = new LiveFeed(
      () => {
        looks += 1;
        return answer();
      },
      INTERVAL,
      clock,
    );
  });

  const addPage = async (): Promise<{ readonly text: string; readonly socket: Socket }> => {
    const { socket, response } = await openClient();
    const received = textOf(socket);
    feed.add(new EventStream(response, clock, (stream) => feed.remove(stream)));
    return Object.assign(received, { socket });
  };

  it('takes no look without a page, and one for all pages', async () => {
    await clock.advance(10 * INTERVAL);
    expect(looks).toBe(0);
    const pages = [await addPage(), await addPage(), await addPage()];
    await until(() => pages.every(({ text }) => text.includes('"at":')));
    const before = looks;
    await clock.advance(INTERVAL);
    await until(() => pages.every(({ text }) => text.includes(`"at":${before + 1}`)));
    expect(looks).toBe(before + 1);
  });

  it('shares a look that is under way', async () => {
    let finish = (): void => undefined;
    answer = () => new Promise((resolve) => (finish = () => resolve(snapshot(1))));
    const both = Promise.all([feed.snapshot(), feed.snapshot()]);
    await until(() => looks === 1);
    finish();
    const [one, other] = await both;
    expect(looks).toBe(1);
    expect(one).toBe(other);
  });

  it('stops when the last page is gone', async () => {
    const page = await addPage();
    await until(() => page.text.includes('"at":1'));
    page.socket.destroy();
    const isEmpty = (): boolean => (feed as unknown as { streams: Set<unknown> }).streams.size === 0;
    await until(isEmpty);
    await clock.advance(INTERVAL);
    const before = looks;
    await clock.advance(10 * INTERVAL);
    expect(looks).toBe(before);
  });

  it('does not wait for a page that does not read', async () => {
    const { response } = await openClient();
    answer = async () => ({ ...snapshot(looks), problem: 'x'.repeat(64_000_000) });
    feed.add(new EventStream(response, clock, (stream) => feed.remove(stream)));
    await until(() => response.writableNeedDrain);
    answer = async () => snapshot(looks);
    const page = await addPage();
    await until(() => page.text.includes('"at":'));
    for (let n = 0; n < 3; n += 1) {
      const before = looks;
      await clock.advance(INTERVAL);
      await until(() => page.text.includes(`"at":${before + 1}`));
    }
    expect(response.writableNeedDrain).toBe(true);
  });

  it('rests nine times as long as a slow look takes', async () => {
    let finish = (): void => undefined;
    answer = () => new Promise((resolve) => (finish = () => resolve(snapshot(looks))));
    const page = await addPage();
    await clock.advance(2 * INTERVAL);
    finish();
    await until(() => page.text.includes('"at":1'));
    await clock.advance(18 * INTERVAL - 1);
    expect(looks).toBe(1);
    // Another page, or a request, does not make it look more often.
    const asked = feed.snapshot();
    await addPage();
    expect(looks).toBe(1);
    await clock.advance(1);
    await until(() => looks === 2);
    finish();
    await asked;
  });

  it('ends all streams when it is closed, and opens no more', async () => {
    const page = await addPage();
    await until(() => page.text.includes('"at":1'));
    const ended = once(page.socket, 'end');
    feed.close();
    await ended;
    expect(feed.isOpen).toBe(false);
    const before = looks;
    await clock.advance(10 * INTERVAL);
    expect(looks).toBe(before);
  });
});
