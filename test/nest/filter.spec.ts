import { type ArgumentsHost, Controller, Get, Inject, Logger, Param, Res, UseFilters } from '@nestjs/common';
import { ExternalContextCreator, type HttpAdapterHost } from '@nestjs/core';
import {
  LockAbortedError,
  LockConflictError,
  LockDeadlockError,
  Locked,
  type LockError,
  LockExceptionFilter,
  LockLostError,
  LockNameError,
  LockNotWiredError,
  LockOptionsError,
  LockOrderError,
  LockOwnershipError,
  LockService,
  LockShutdownError,
  LockTimeoutError,
  LockUnavailableError,
  LockKeyTypeError,
} from 'nest-redis-lock';
import { firstValueFrom, type Observable } from 'rxjs';
import { errorResponse } from '../../lib/module/lock-error-response.js';
import { caught, thrownBy } from '../kit/caught.js';
import { adapters, serve, type Served, start } from './applications.js';

const holder = 'b5c03e9f-0bee-40c8-8b8b-0e580ffa75eb:7';
const secret = `Lock "user:jane@example.com" is held by ${holder}`;
const context = {
  lockName: 'user:jane@example.com',
  template: 'user:<0>',
  details: { holder, remaining: 4_200 },
  cause: new Error(secret),
};
const waitedFor = (remaining: number): LockTimeoutError => new LockTimeoutError(secret, { details: { remaining } });

const errors: Readonly<Record<string, LockError>> = {
  conflict: new LockConflictError(secret, context),
  deadlock: new LockDeadlockError(secret, context),
  order: new LockOrderError(secret, context),
  timeout: new LockTimeoutError(secret, context),
  timeoutSoon: waitedFor(1),
  timeoutLate: waitedFor(3_600_000),
  timeoutNever: waitedFor(-1),
  timeoutUnseen: new LockTimeoutError(secret),
  unavailable: new LockUnavailableError(secret, 'unknown', false, context),
  shutdown: new LockShutdownError(secret, context),
  aborted: new LockAbortedError(secret, context),
  name: new LockNameError(secret, context),
  lost: new LockLostError(secret, context),
  replaced: new LockLostError(secret, { ...context, details: { reason: 'replaced' } }),
  ownership: new LockOwnershipError(secret, context),
  wrongType: new LockKeyTypeError(secret, context),
  options: new LockOptionsError(secret, context),
  notWired: new LockNotWiredError(secret, context),
};

interface RawResponse {
  readonly raw?: NodeJS.WritableStream;
  readonly hijack?: () => void;
}

@Controller()
class ErrorController {
  @Get('errors/:kind')
  async fail(@Param('kind') kind: string): Promise<void> {
    throw errors[kind] ?? new Error('no such error');
  }

  @Get('begun')
  async begun(@Res() response: RawResponse & NodeJS.WritableStream): Promise<void> {
    response.hijack?.();
    (response.raw ?? response).write('begun');
    throw new LockConflictError(secret, context);
  }

  @Get('orders/:id')
  @Locked('user:<0>', { wait: 0 })
  async pay(@Param('id') id: string): Promise<string> {
    return id;
  }

  @Get('patient/:id')
  @Locked('user:<0>', { wait: 50 })
  async payLater(@Param('id') id: string): Promise<string> {
    return id;
  }
}

@Controller()
@UseFilters(LockExceptionFilter)
class FilteredController extends ErrorController {}

let logged: jest.SpyInstance;

beforeEach(() => {
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
});

afterEach(() => jest.restoreAllMocks());

describe.each(adapters)('The errors of locks on %s', (_, adapter) => {
  let served: Served;

  const get = (path: string) => fetch(`${served.url}/${path}`);

  beforeAll(async () => {
    served = await serve(adapter, { controllers: [ErrorController] });
  });

  afterAll(() => served.app.close());

  it.each([
    ['conflict', 409, null],
    ['deadlock', 409, '1'],
    ['order', 500, null],
    ['timeout', 503, '2'],
    ['timeoutSoon', 503, '1'],
    ['timeoutLate', 503, '30'],
    ['timeoutNever', 503, '1'],
    ['timeoutUnseen', 503, '1'],
    ['unavailable', 503, '1'],
    ['shutdown', 503, '1'],
    ['aborted', 503, '1'],
    ['name', 400, null],
    ['lost', 500, null],
    ['replaced', 409, null],
    ['ownership', 500, null],
    ['wrongType', 500, null],
    ['options', 500, null],
    ['notWired', 500, null],
  ])(
    'answer %s with %i and Retry-After %s, and never name the lock or its holder',
    async (kind, status, retryAfter) => {
      const response = await get(`errors/${kind}`);
      expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter]);
      const body = await response.text();
      expect(JSON.parse(body)).toEqual({
        statusCode: status,
        error: errors[kind]?.code,
        message: expect.any(String) as unknown,
      });
      expect(body + JSON.stringify([...response.headers])).not.toMatch(/user|jane|b5c03e9f/);
      expect(logged).toHaveBeenCalledTimes(status === 500 ? 1 : 0);
    },
  );

  it('come from @Locked handlers, too', async () => {
    const hold = await served.app.get(LockService).acquire('user:jane');
    const [conflict, timeout] = await Promise.all([get('orders/jane'), get('patient/jane')]);
    expect([conflict.status, timeout.status]).toEqual([409, 503]);
    expect(timeout.headers.get('retry-after')).toBe('2');
    await hold.release();
    await expect(get('orders/jane').then((response) => response.text())).resolves.toBe('jane');
  });

  it('leave other errors to Nest', async () => {
    await expect(get('errors/none').then(({ status }) => status)).resolves.toBe(500);
    await expect(get('nowhere').then(({ status }) => status)).resolves.toBe(404);
  });

  it('end a response that has begun', async () => {
    const response = await get('begun');
    await expect(response.text()).resolves.toBe('begun');
  });
});

describe.each(adapters)('On %s', (_, adapter) => {
  it('a conflict is 423 with conflictStatus: 423', async () => {
    const options = { connection: 'memory', conflictStatus: 423 } as const;
    const { app, url } = await serve(adapter, { controllers: [ErrorController] }, options);
    const response = await fetch(`${url}/errors/conflict`);
    await expect(response.json()).resolves.toMatchObject({ statusCode: 423, error: 'LOCK_CONFLICT' });
    expect(response.status).toBe(423);
    await app.close();
  });

  it('nothing is mapped with exceptionFilter: false', async () => {
    const options = { connection: 'memory', exceptionFilter: false } as const;
    const { app, url } = await serve(adapter, { controllers: [ErrorController] }, options);
    const response = await fetch(`${url}/errors/conflict`);
    await expect(response.json()).resolves.toEqual({ statusCode: 500, message: 'Internal server error' });
    await app.close();
  });

  it('the filter may be bound by hand where it is not bound for all', async () => {
    const options = { connection: 'memory', exceptionFilter: false } as const;
    const { app, url } = await serve(adapter, { controllers: [FilteredController] }, options);
    await expect(fetch(`${url}/errors/conflict`).then(({ status }) => status)).resolves.toBe(409);
    await app.close();
  });
});

describe('Retry-After', () => {
  const settings = { conflictStatus: 409, renewedLease: 10_000 };

  it.each([
    ['at most 2 s while a watchdog may be renewing the lease', 10_000, 2],
    ['at most 2 s also for a lease that is nearly over', 2_500, 2],
    ['what is left of a lease that is over before', 900, 1],
    ['what is left of a lease that no watchdog has given', 10_001, 11],
    ['at most 30 s for a lease that no watchdog has given', 3_600_000, 30],
    ['1 s where nothing is known of a lease', -1, 1],
  ])('D30: is %s', (_, remaining, seconds) => {
    expect(errorResponse(waitedFor(remaining), settings).retryAfter).toBe(seconds);
  });
});

describe('Outside of HTTP', () => {
  const filter = new LockExceptionFilter({} as HttpAdapterHost, { conflictStatus: 409, renewedLease: 30_000 });
  const hostOf = (type: string): ArgumentsHost => ({ getType: () => type }) as ArgumentsHost;

  it('a handler in a context of some other type gets the error itself', () => {
    const error = new LockConflictError(secret, context);
    const rethrow: () => unknown = filter.catch.bind(filter, error, hostOf('telegram'));
    expect(thrownBy(rethrow, LockConflictError)).toBe(error);
  });

  it('a caller of GraphQL gets code and text, and never the lock or its holder', () => {
    const error = new LockTimeoutError(secret, context);
    const told = thrownBy(() => filter.catch(error, hostOf('graphql')), Error);
    expect(told).toMatchObject({ extensions: { code: 'LOCK_TIMEOUT', retryAfter: 2 }, cause: error });
    expect(told.message + JSON.stringify(told)).not.toMatch(/user|jane|b5c03e9f/);
  });

  it.each([
    ['socket.io', { nsp: {}, send: () => {} }, 'emit'],
    ['ws', { emit: () => {} }, 'send'],
  ] as const)(
    'a client of %s gets an event with code and text, and never the lock or its holder',
    (_, like, method) => {
      const sent = jest.fn();
      const client = { ...like, [method]: sent };
      const host = { getType: () => 'ws', switchToWs: () => ({ getClient: () => client }) } as unknown as ArgumentsHost;
      void filter.catch(new LockConflictError(secret, context), host);
      const [[first, data] = []] = sent.mock.calls as unknown[][];
      const event: unknown = method === 'send' ? JSON.parse(String(first)) : { event: first, data };
      const payload = { status: 'error', error: 'LOCK_CONFLICT', message: expect.any(String) as unknown };
      expect(event).toEqual({ event: 'exception', data: payload });
      expect(JSON.stringify(event)).not.toMatch(/user|jane|b5c03e9f/);
    },
  );

  it('a caller of a microservice gets code and text, and never the lock or its holder', async () => {
    const answer: unknown = filter.catch.call(filter, new LockConflictError(secret, context), hostOf('rpc'));
    const sent: unknown = await firstValueFrom(answer as Observable<never>).catch((error: unknown) => error);
    expect(sent).toEqual({ status: 'error', error: 'LOCK_CONFLICT', message: expect.any(String) as unknown });
    expect(JSON.stringify(sent)).not.toMatch(/user|jane|b5c03e9f/);
  });

  it('a resolver rejects with what GraphQL tells its caller', async () => {
    @Controller()
    class Resolver {
      constructor(@Inject(LockService) readonly locks: LockService) {}

      @Locked('order:<0>', { wait: 0 })
      async order(id: string): Promise<string> {
        return id;
      }
    }
    const app = await start({ providers: [Resolver] });
    const resolver = app.get(Resolver);
    const method = Reflect.get(resolver, 'order') as (...args: unknown[]) => unknown;
    const creator = app.get(ExternalContextCreator);
    const field = creator.create(
      resolver,
      method,
      'order',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      'graphql',
    );
    await expect(field('1')).resolves.toBe('1');
    const hold = await app.get(LockService).acquire('order:1');
    await expect(caught(field('1'), Error)).resolves.toMatchObject({
      extensions: { code: 'LOCK_CONFLICT' },
      cause: { lockName: 'order:1' },
    });
    await hold.release();
    await app.close();
  });
});
