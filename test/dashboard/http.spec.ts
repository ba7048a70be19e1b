import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Inject,
  Injectable,
  Module,
  UnauthorizedException,
  VersioningType,
} from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type Hold, Locked, LockService } from 'nest-redis-lock';
import { LockDashboardModule, type LockDashboardOptions } from 'nest-redis-lock/dashboard';
import { Dashboard } from '../../lib/integrations/dashboard/dashboard.js';
import type { DashboardSnapshot, ShownLock } from '../../lib/integrations/dashboard/dashboard-snapshot.types.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { adapters, runtimeOf, serve, type Served } from '../nest/applications.js';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';

const FIVE_MINUTES = 300_000;

@Injectable()
class Orders {
  gate = new Gate();

  @Locked('order:<0>')
  async pay(_id: string): Promise<void> {
    await this.gate.pass();
  }
}

@Injectable()
class Keys {
  readonly admin = 'secret';
}

@Module({ providers: [Keys], exports: [Keys] })
class KeysModule {}

/** Admits the admin, does not know the nameless, and refuses others. */
@Injectable()
class AdminGuard implements CanActivate {
  constructor(@Inject(Keys) private readonly keys: Keys) {}

  canActivate(context: ExecutionContext): boolean {
    const { authorization } = context.switchToHttp().getRequest<IncomingMessage>().headers;
    if (authorization === undefined) throw new UnauthorizedException();
    if (authorization !== this.keys.admin) throw new ForbiddenException();
    return true;
  }
}

const locksIn = ({ groups }: DashboardSnapshot): readonly ShownLock[] => groups.flatMap(({ locks }) => locks);

/** The same adapters, which trust what a proxy says of its client. */
const behindProxies: readonly (typeof adapters)[number][] = [
  [
    'Express',
    () => {
      const express = new ExpressAdapter();
      express.set('trust proxy', true);
      return express;
    },
  ],
  ['Fastify', () => new FastifyAdapter({ trustProxy: true })],
];

describe.each(behindProxies)('The dashboard on %s behind a proxy', (_, adapter) => {
  it('D68: names the client in the log, and not the proxy', async () => {
    const { app, url } = await serve(adapter, {
      imports: [LockDashboardModule.forRoot({ allowAnonymous: true })],
    });
    const release = jest.spyOn(app.get(Dashboard, { strict: false }), 'release');
    const page = await fetch(`${url}/locks`);
    const [, token = ''] = /name="lock-dashboard-token" content="([^"]+)"/.exec(await page.text()) ?? [];
    const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';');
    await fetch(`${url}/locks/release`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-lock-dashboard-token': token,
        'x-forwarded-for': '203.0.113.7',
        origin: url,
        cookie,
      },
      body: JSON.stringify({ name: 'a', owner: 'b' }),
    });
    await app.close();
    expect(release.mock.calls).toEqual([['a', 'b', '203.0.113.7']]);
  });
});

describe.each(adapters)('The dashboard on %s', (_, adapter) => {
  let served: Served;

  let holds: Hold[];

  beforeEach(() => {
    holds = [];
  });

  afterEach(async () => {
    // Some were lost on purpose.
    await Promise.allSettled(holds.map((hold) => hold.release()));
    await served.app.close();
  });

  const open = async (
    options: LockDashboardOptions = { allowAnonymous: true },
    prepare?: (app: Served['app']) => void,
  ): Promise<void> => {
    served = await serve(
      adapter,
      { imports: [LockDashboardModule.forRoot(options)], providers: [Orders] },
      undefined,
      true,
      prepare,
    );
  };

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${served.url}/${path}`, { headers });

  const snapshot = async (path = 'locks'): Promise<DashboardSnapshot> => {
    const response = await get(`${path}/snapshot`);
    expect(response.status).toBe(200);
    return (await response.json()) as DashboardSnapshot;
  };

  /** What a page of this application sends, with what the browser adds. */
  const openPage = async (path = 'locks') => {
    const response = await get(path);
    const [, token = ''] = /name="lock-dashboard-token" content="([^"]+)"/.exec(await response.text()) ?? [];
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
    return { token, cookie };
  };

  const release = (body: unknown, headers: Record<string, string>, path = 'locks'): Promise<Response> =>
    fetch(`${served.url}/${path}/release`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  const pageHeaders = async (path?: string): Promise<Record<string, string>> => {
    const { token, cookie } = await openPage(path);
    return { cookie, 'x-lock-dashboard-token': token, origin: served.url };
  };

  const locks = (): LockService => served.app.get(LockService);

  const acquire = async (name: string): Promise<Hold> => {
    const hold = await locks().acquire(name);
    holds.push(hold);
    return hold;
  };

  it('serves a page that is complete in itself, under a policy that lets only its own script run', async () => {
    await open();
    const response = await get('locks');
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('set-cookie')).toMatch(
      /^lock-dashboard=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/]+='; style-src 'sha256-[\w+/]+='; connect-src 'self'; .*frame-ancestors 'none'$/,
    );
    expect(text).not.toMatch(/(?:src|href)="(?!data:,|#)/);
    expect(text).not.toMatch(/https?:\/\//);
  });

  it('shows who holds what, with the template that this process knows', async () => {
    await open();
    const orders = served.app.get(Orders);
    const paid = orders.pay('7');
    await orders.gate.reached;
    const [group] = (await snapshot()).groups;
    expect(group).toMatchObject({
      title: 'order:<0>',
      use: { acquired: 1, contended: 0, refused: 0 },
      locks: [
        {
          name: 'order:7',
          kind: 'reentrant',
          state: 'held',
          waiting: 0,
          holders: [{ mode: 'exclusive', count: 1, isThisProcess: true }],
        },
      ],
    });
    orders.gate.open();
    await paid;
    expect(locksIn(await snapshot())).toEqual([]);
  });

  it('shows why a lock is held, as its holder has noted', async () => {
    served = await serve(
      adapter,
      { imports: [LockDashboardModule.forRoot({ allowAnonymous: true })] },
      { connection: 'memory', holderRecords: true },
    );
    holds.push(await locks().acquire('import:7', { note: 'Anna: price list of May' }), await acquire('other'));
    let shown: readonly ShownLock[] = [];
    await until(async () => {
      shown = locksIn(await snapshot());
      return shown.every(({ holders: [holder] }) => holder?.since !== undefined);
    });
    expect(shown.map(({ name, holders: [holder] }) => [name, holder?.note])).toEqual([
      ['import:7', 'Anna: price list of May'],
      ['other', undefined],
    ]);
  });

  it('shows no more locks than maxLocks', async () => {
    await open({ allowAnonymous: true, maxLocks: 3 });
    for (let n = 0; n < 3; n += 1) await acquire(`a:${n}`);
    expect(await snapshot()).toMatchObject({ hasMore: false });
    await acquire('a:3');
    const more = await snapshot();
    expect(more.hasMore).toBe(true);
    expect(locksIn(more)).toHaveLength(3);
  });

  it('works under a global prefix, with versions and with its own path', async () => {
    await open({ allowAnonymous: true, path: 'ops/locks' }, (app) => {
      app.setGlobalPrefix('api');
      app.enableVersioning({ type: VersioningType.URI, defaultVersion: '3' });
    });
    const path = 'api/ops/locks';
    expect((await get(path)).status).toBe(200);
    const hold = await acquire('a');
    const [held] = locksIn(await snapshot(path));
    const owner = held?.holders[0]?.owner;
    const response = await release({ name: 'a', owner }, await pageHeaders(path), path);
    expect(await response.json()).toEqual({ released: true });
    expect(hold.signal.aborted).toBe(true);
  });

  it('asks its guard for each of its paths, and creates it with what the imports export', async () => {
    await open({ guard: AdminGuard, imports: [KeysModule] });
    const { token, cookie } = { token: 't', cookie: '' };
    for (const path of ['locks', 'locks/snapshot', 'locks/events']) {
      expect((await get(path)).status).toBe(401);
      expect((await get(path, { authorization: 'guess' })).status).toBe(403);
    }
    expect((await release({ name: 'a', owner: 'b' }, { 'x-lock-dashboard-token': token, cookie })).status).toBe(401);
    expect((await get('locks', { authorization: 'secret' })).status).toBe(200);
    expect((await get('locks/snapshot', { authorization: 'secret' })).status).toBe(200);
  });

  it('D64: an open stream ends, and its guard is asked again', async () => {
    let isAdmitted = true;
    await open({ guard: { canActivate: () => isAdmitted } });
    const clock = new ManualClock();
    Reflect.set(served.app.get(Dashboard, { strict: false }), 'clock', clock);
    const stream = await get('locks/events');
    expect(stream.status).toBe(200);
    isAdmitted = false;
    await clock.advance(FIVE_MINUTES);
    expect(await stream.text()).toMatch(/event: renew\ndata: now\n\n$/);
    expect((await get('locks/events')).status).toBe(403);
  });

  it('D65: shows names, use and losses of its own connection only', async () => {
    served = await serve(
      adapter,
      {
        imports: [
          LockDashboardModule.forRoot({ allowAnonymous: true }),
          LockDashboardModule.forRoot({ allowAnonymous: true, path: 'billing', connection: 'billing' }),
        ],
      },
      { connections: { default: 'memory', billing: 'memory' } },
    );
    for (const [service, name] of [
      [locks(), 'order'],
      [locks().forConnection('billing'), 'card-of-jane-doe'],
    ] as const) {
      await service.withLock(name, () => undefined);
      await service.acquire(name);
      await service.getLock(name).forceRelease();
    }
    for (const [path, name] of [
      ['locks', 'order'],
      ['billing', 'card-of-jane-doe'],
    ]) {
      const { groups, losses } = await snapshot(path);
      expect(groups.map(({ title, use }) => [title, use?.acquired])).toEqual([[name, 2]]);
      expect(new Set(losses.map((loss) => loss.name))).toEqual(new Set([name]));
    }
  });

  it('releases a lock for its own page, and only from the owner that it showed', async () => {
    await open();
    await acquire('a');
    const owner = locksIn(await snapshot())[0]?.holders[0]?.owner ?? '';
    const headers = await pageHeaders();
    const other = await release({ name: 'a', owner: `${owner}0` }, headers);
    expect([other.status, await other.json()]).toEqual([200, { released: false }]);
    expect(await locks().getLock('a').isLocked()).toBe(true);
    const right = await release({ name: 'a', owner }, headers);
    expect([right.status, await right.json()]).toEqual([200, { released: true }]);
    expect(await locks().getLock('a').isLocked()).toBe(false);
  });

  it('D68: releases a lock whose name others have given, with control characters or too long for this process', async () => {
    await open();
    for (const name of ['line\nbreak', 'x'.repeat(600)]) {
      const owner = 'other:1';
      await runtimeOf(served.app).backend.lock.acquire({ name, owner, lease: 60_000 });
      const response = await release({ name, owner }, await pageHeaders());
      expect([response.status, await response.json()]).toEqual([200, { released: true }]);
    }
  });

  it.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['another application of the site', { 'sec-fetch-site': 'same-site' }],
    ['an address that was typed in', { 'sec-fetch-site': 'none' }],
    ['a page without the token', { 'x-lock-dashboard-token': '' }],
    ['a page with another token', { 'x-lock-dashboard-token': 'x'.repeat(43) }],
    ['a browser without the cookie', { cookie: '' }],
    ['a browser with another cookie', { cookie: `lock-dashboard=${'x'.repeat(43)}` }],
    ['a client that does not say where it comes from', { origin: '' }],
  ])('refuses a release for %s', async (_what, changes) => {
    await open();
    await acquire('a');
    const owner = locksIn(await snapshot())[0]?.holders[0]?.owner;
    const given = Object.entries({ ...(await pageHeaders()), ...changes }).filter(([, value]) => value !== '');
    // Unlike fetch(), it sends the headers of browsers as they are given.
    const call = request(`${served.url}/locks/release`, {
      method: 'POST',
      headers: { ...Object.fromEntries(given), 'content-type': 'application/json', connection: 'close' },
    });
    call.end(JSON.stringify({ name: 'a', owner }));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    expect(response.statusCode).toBe(403);
    expect(await locks().getLock('a').isLocked()).toBe(true);
  });

  it('shows nothing to pages of other sites', async () => {
    await open();
    for (const path of ['locks/snapshot', 'locks/events']) {
      expect((await get(path, { origin: 'https://evil.example' })).status).toBe(403);
    }
  });

  it.each([
    [{}],
    [{ name: 'a' }],
    [{ name: 'a', owner: 7 }],
    [[]],
    [{ name: '', owner: 'x' }],
    [{ name: 'a', owner: '' }],
  ])('answers a release of %j with 400', async (body) => {
    await open();
    expect((await release(body, await pageHeaders())).status).toBe(400);
  });

  it('sends the state to each page again and again, and ends the streams when the application closes', async () => {
    await open({ allowAnonymous: true, refresh: 100 });
    const response = await get('locks/events');
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    let text = '';
    const decoder = new TextDecoder();
    const reading = (async () => {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk as Uint8Array, { stream: true });
        if (text.split('event: snapshot').length === 4) void served.app.close();
      }
    })();
    await reading;
    expect(text.startsWith('retry: 2000\n\nevent: snapshot\ndata: {"at":')).toBe(true);
  });

  it('refuses a page that asks for the state after the shutdown began, so that the server can close', async () => {
    await open();
    served.app.get(Dashboard, { strict: false }).onModuleDestroy();
    expect((await get('locks/events')).status).toBe(503);
  });

  it('answers HEAD for each of its paths', async () => {
    await open();
    for (const path of ['locks', 'locks/events']) {
      const { status } = await fetch(`${served.url}/${path}`, { method: 'HEAD' });
      expect(status).toBe(200);
    }
  });
});
