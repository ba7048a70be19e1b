import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, Injectable, Param } from '@nestjs/common';
import { Locked, LockService } from 'nest-redis-lock';
import { until } from '../kit/until.js';
import { adapters, serve, type Served } from './applications.js';

/** Ends when its signal aborts, as a request to another service does. */
@Injectable()
class Searches {
  readonly begun: string[] = [];

  constructor(private readonly locks: LockService) {}

  @Locked('user:<0>', { onConflict: 'replace' })
  search(_user: string, text: string): Promise<string> {
    return this.run(text);
  }

  @Locked((...users: readonly string[]) => users.map((user) => `user:${user}`), { onConflict: 'replace' })
  compare(...users: readonly string[]): Promise<string> {
    return this.run(users.join(' and '));
  }

  private async run(text: string): Promise<string> {
    this.begun.push(text);
    const signal = this.locks.currentHold()?.signal;
    if (text === 'last') return `found ${text}`;
    // Its error only wraps the reason of the signal.
    if (text === 'slow') await sleep(60_000, undefined, { signal });
    await new Promise((_, fail) => {
      signal?.addEventListener('abort', () => fail(signal.reason as Error), { once: true });
    });
    return text;
  }
}

@Controller()
class SearchController {
  constructor(private readonly searches: Searches) {}

  @Get('search/:user/:text')
  search(@Param('user') user: string, @Param('text') text: string): Promise<string> {
    return this.searches.search(user, text);
  }

  @Get('compare/:one/:other')
  compare(@Param('one') one: string, @Param('other') other: string): Promise<string> {
    return this.searches.compare(one, other);
  }
}

describe.each(adapters)('Requests that take a lock over on %s', (_, adapter) => {
  let served: Served;
  let searches: Searches;

  const get = async (path: string) => {
    const response = await fetch(`${served.url}/${path}`);
    return [response.status, await response.text()] as const;
  };
  const begun = (text: string): Promise<void> => until(() => searches.begun.includes(text));

  beforeEach(async () => {
    served = await serve(adapter, { controllers: [SearchController], providers: [Searches] });
    searches = served.app.get(Searches);
  });

  afterEach(() => served.app.close());

  it('end the request before with 409, and are answered', async () => {
    const first = get('search/anna/first');
    await begun('first');
    const second = get('search/anna/slow');
    await begun('slow');
    await expect(get('search/bob/last')).resolves.toEqual([200, 'found last']);
    await expect(get('search/anna/last')).resolves.toEqual([200, 'found last']);
    for (const request of [first, second]) {
      const [status, body] = await request;
      expect([status, JSON.parse(body)]).toEqual([
        409,
        { statusCode: 409, error: 'LOCK_LOST', message: 'A newer request has taken the place of this one' },
      ]);
    }
  });

  it('end one that has several locks, of which they want one', async () => {
    const both = get('compare/anna/bob');
    await begun('anna and bob');
    await expect(get('search/bob/last')).resolves.toEqual([200, 'found last']);
    expect((await both)[0]).toBe(409);
    await expect(get('search/anna/last')).resolves.toEqual([200, 'found last']);
  });
});
