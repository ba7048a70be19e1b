import { Body, Controller, Get, Injectable, NotFoundException, Param, Post, Scope } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import {
  LeaderOnly,
  LockNameError,
  LockNotWiredError,
  LockOptionsError,
  LockService,
  SingleFlight,
} from 'nest-redis-lock';
import { Idempotent } from 'nest-redis-lock/idempotency';
import { Observable, of } from 'rxjs';
import { thrownBy } from '../kit/caught.js';
import { adapters, runtimeOf, serve, type Served, start } from './applications.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { until } from '../kit/until.js';

interface Query {
  readonly month: string;
  readonly shops: readonly string[];
}

let finish: () => void = () => {};
let running: Promise<void> = Promise.resolve();
let runs = 0;

const run = async <T>(result: T): Promise<T> => {
  runs += 1;
  await running;
  return result;
};

@Injectable()
class Reports {
  constructor(private readonly locks: LockService) {}

  @SingleFlight('report:<0>', { ttl: '5s' })
  async report(month: string): Promise<{ month: string; lock: string | undefined }> {
    return run({ month, lock: this.locks.currentHold()?.name });
  }

  @SingleFlight((query: Query) => `report:${query.month}:${query.shops.join('+')}`)
  async of(query: Query): Promise<number> {
    return run(query.shops.length);
  }

  @SingleFlight('report:<0>' as string)
  async ofList(_shops: readonly string[]): Promise<number> {
    return run(0);
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class Transient extends Reports {}

@Controller('reports')
class ReportController {
  // Only a disconnected client ends the wait within the test.
  @Get(':month')
  @SingleFlight('report:<0>', { wait: '1h' })
  async report(@Param('month') month: string): Promise<{ month: string }> {
    if (month === '13') {
      await run(undefined);
      throw new NotFoundException(`No month ${month}`);
    }
    return run({ month });
  }

  @SingleFlight('report:<0.month>')
  @Post()
  async make(@Body() query: Query): Promise<string> {
    return run(query.month);
  }
}

beforeEach(() => {
  runs = 0;
  running = new Promise((resolve) => (finish = resolve));
});

describe('@SingleFlight', () => {
  let app: TestingModule;
  let reports: Reports;

  beforeEach(async () => {
    app = await start({ providers: [Reports, Transient] });
    reports = app.get(Reports);
  });

  afterEach(() => app.close());

  it('runs once for all concurrent calls with the same key, and for each key', async () => {
    const calls = [reports.report('may'), reports.report('may'), reports.report('june')];
    await until(() => runs === 2);
    finish();
    const may = { month: 'may', lock: '{report:may}:flight' };
    expect(await Promise.all(calls)).toEqual([may, may, { month: 'june', lock: '{report:june}:flight' }]);
    expect(await reports.report('may')).toEqual(may);
    expect(runs).toBe(2);
  });

  it('takes a key function, and shares between instances', async () => {
    const query = { month: 'may', shops: ['north', 'south'] };
    const transient = await app.resolve(Transient);
    const calls = [reports.of(query), transient.of({ ...query })];
    await until(() => runs === 1);
    finish();
    expect(await Promise.all(calls)).toEqual([2, 2]);
    expect(runs).toBe(1);
  });

  it('refuses a call that names several results, and keys of nothing', async () => {
    await expect(reports.ofList(['north', 'south'])).rejects.toThrow(
      'The key of @SingleFlight Reports.ofList must be one name',
    );
    await expect(reports.report(undefined as never)).rejects.toBeInstanceOf(LockNameError);
    expect(runs).toBe(0);
  });

  it('rejects where Nest did not construct the instance', async () => {
    const alone = new Reports(app.get(LockService));
    await expect(alone.report('may')).rejects.toThrow(
      'Reports.report is @SingleFlight, but its instance was not wired',
    );
    await expect(alone.report('may')).rejects.toBeInstanceOf(LockNotWiredError);
  });

  it.each([
    ['@SingleFlight', SingleFlight('report')],
    ['@Idempotent', Idempotent('report')],
    ['@LeaderOnly', LeaderOnly('report')],
  ] as const)('refuses several results, as do others: %s', (name, decorator) => {
    const decorate = (returnType: unknown, method: unknown) => () => {
      const prototype = {};
      Reflect.defineMetadata('design:returntype', returnType, prototype, 'report');
      (decorator as MethodDecorator)(prototype, 'report', { value: method });
    };
    for (const several of [decorate(Observable, () => of(1)), decorate(Object, async function* () {})])
      expect(thrownBy(several, TypeError).message).toBe(
        `${name} needs a method with one result, and Object.report returns several; return a promise`,
      );
  });

  it('refuses targets other than methods', () => {
    const decorate = (returnType: unknown, method: unknown, options?: object) => () => {
      const prototype = {};
      Reflect.defineMetadata('design:returntype', returnType, prototype, 'report');
      const decorator = SingleFlight('report', options) as MethodDecorator;
      decorator(prototype, 'report', { value: method });
    };
    expect(thrownBy(decorate(Promise, 7), TypeError).message).toContain('@SingleFlight can only be used on a method');
    expect(
      thrownBy(
        decorate(Promise, async () => {}, { ttl: 'soon' }),
        LockOptionsError,
      ).message,
    ).toContain('ttl');
    expect(
      thrownBy(
        decorate(Promise, async () => {}, { wait: -1 }),
        LockOptionsError,
      ).message,
    ).toContain('wait');
    const cancel = decorate(Promise, async () => {}, { cancelOnDisconnect: 1 });
    expect(thrownBy(cancel, LockOptionsError).message).toContain('cancelOnDisconnect must be true or false');
    expect(() => SingleFlight(7 as never)).toThrow('@SingleFlight takes a key template or a key function');
  });
});

describe.each(adapters)('@SingleFlight on handlers of %s', (_, adapter) => {
  let server: RedisServer;
  let served: Served;
  let other: Served;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  beforeEach(async () => {
    const options = { connection: server.url };
    served = await serve(adapter, { controllers: [ReportController] }, options);
    other = await serve(adapter, { controllers: [ReportController] }, options);
  });

  afterEach(() => Promise.all([served.app.close(), other.app.close()]));

  afterAll(() => server.stop());

  /** Resolves when a call there waits for the result of another application. */
  const waits = ({ app }: Served): Promise<void> => until(() => runtimeOf(app).acquirer.contended === 1);

  it('answers all with the same, above and below other decorators', async () => {
    const body = JSON.stringify({ month: 'may', shops: [] });
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const answers = [fetch(`${served.url}/reports`, post)];
    await until(() => runs === 1);
    answers.push(fetch(`${other.url}/reports`, post));
    await waits(other);
    finish();
    for (const answer of await Promise.all(answers)) {
      expect([answer.status, await answer.text()]).toEqual([201, 'may']);
    }
    expect(runs).toBe(1);
    expect(await (await fetch(`${served.url}/reports/june`)).json()).toEqual({ month: 'june' });
  });

  it('answers an error as the application does that threw it', async () => {
    const own = fetch(`${served.url}/reports/13`);
    await until(() => runs === 1);
    const elsewhere = fetch(`${other.url}/reports/13`);
    await waits(other);
    finish();
    const answers = await Promise.all([own, elsewhere]);
    const seen = await Promise.all(answers.map(async (answer) => [answer.status, await answer.json()]));
    expect(seen[1]).toEqual(seen[0]);
    expect(runs).toBe(1);
    expect(seen[0]).toEqual([404, { statusCode: 404, error: 'Not Found', message: 'No month 13' }]);
  });

  it('stops waiting for a disconnected client', async () => {
    const own = fetch(`${served.url}/reports/may`);
    await until(() => runs === 1);
    const gone = new AbortController();
    const leaving = fetch(`${other.url}/reports/may`, { signal: gone.signal }).catch(() => {});
    await waits(other);
    gone.abort();
    await leaving;
    await until(() => runtimeOf(other.app).acquirer.contended === 0);
    finish();
    expect((await own).status).toBe(200);
    expect(runs).toBe(1);
  });
});
