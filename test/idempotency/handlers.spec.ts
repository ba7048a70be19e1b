import {
  Body,
  Controller,
  Get,
  type INestApplication,
  type NestInterceptor,
  NotFoundException,
  Param,
  Post,
  Query,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Idempotent, IdempotencyError, IdempotentHandler } from 'nest-redis-lock/idempotency';
import { lastValueFrom, of } from 'rxjs';
import { LockedExecutor } from '../../lib/decorators/locked.executor.js';
import { adapters, serve, type Served, start } from '../nest/applications.js';

let runs = 0;

/** Answers with the number of the run. */
@Controller()
class OrderController {
  @Post('orders')
  @IdempotentHandler('order:<user.id>:<headers.idempotency-key>')
  order(@Body() body: { lines?: number }, @Res({ passthrough: true }) response: { status(code: number): unknown }) {
    runs += 1;
    response.status(202);
    return { run: runs, lines: body.lines };
  }

  @Get('orders/:id')
  @IdempotentHandler('find:<params.id>', { fingerprint: (context) => context.getHandler().name })
  find(@Param('id') id: string, @Query('long') long?: string) {
    runs += 1;
    if (long !== undefined) return 'x'.repeat(1_000_001);
    if (id === 'none') throw new NotFoundException(`No order ${id}`);
    return { run: runs };
  }

  @Get('file')
  @IdempotentHandler('file')
  file() {
    return new StreamableFile(Buffer.from('text'));
  }

  @Get('nothing')
  @IdempotentHandler(() => 'nothing')
  nothing() {
    runs += 1;
  }

  @Get('method/:id')
  @Idempotent('method:<0>')
  async method(@Param('id') id: string): Promise<string> {
    runs += 1;
    return `${id} ${runs}`;
  }
}

/** Stands for a guard: takes the user from a header. */
const authenticate = (app: INestApplication): void => {
  const http = app.getHttpAdapter().getInstance() as {
    use?: (fn: (request: object, response: unknown, next: () => void) => void) => void;
    addHook?: (name: string, fn: (request: object, reply: unknown, next: () => void) => void) => void;
  };
  const set = (request: object, _: unknown, next: () => void): void => {
    const { headers } = request as { headers: Record<string, string> };
    if (headers['x-user'] !== undefined) Object.assign(request, { user: { id: headers['x-user'] } });
    next();
  };
  if (http.addHook) http.addHook('onRequest', set);
  else http.use?.(set);
};

describe.each(adapters)('@IdempotentHandler on %s', (_, adapter) => {
  let served: Served;

  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${served.url}/${path}`, init);
    const text = await response.text();
    return [response.status, text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : text] as const;
  };
  const order = (headers: Record<string, string>, body: object = {}) =>
    ask('orders', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const anna = { 'x-user': 'anna', 'idempotency-key': 'k' };

  beforeAll(async () => {
    served = await serve(adapter, { controllers: [OrderController] }, undefined, true, authenticate);
  });
  beforeEach(() => {
    runs = 0;
  });
  afterAll(() => served.app.close());

  it('repeats body and status, for each user', async () => {
    await expect(order(anna, { lines: 2 })).resolves.toEqual([202, { run: 1, lines: 2 }]);
    await expect(order(anna, { lines: 2 })).resolves.toEqual([202, { run: 1, lines: 2 }]);
    await expect(order({ ...anna, 'x-user': 'bert' }, { lines: 2 })).resolves.toEqual([202, { run: 2, lines: 2 }]);
    await expect(order(anna, { lines: 3 })).resolves.toEqual([
      422,
      {
        error: 'LOCK_IDEMPOTENCY',
        message: 'This idempotency key belongs to another request',
        statusCode: 422,
      },
    ]);
    expect(runs).toBe(2);
  });

  it('answers 400 without what the key names, and does not run', async () => {
    await expect(order({ 'x-user': 'anna' })).resolves.toMatchObject([400, { error: 'LOCK_NAME' }]);
    await expect(order({ 'idempotency-key': 'k' })).resolves.toMatchObject([400, { error: 'LOCK_NAME' }]);
    expect(runs).toBe(0);
  });

  it('repeats an error below 500', async () => {
    const missing = await ask('orders/none');
    expect(missing).toMatchObject([404, { message: 'No order none' }]);
    await expect(ask('orders/none')).resolves.toEqual(missing);
    expect(runs).toBe(1);
  });

  it('compares requests by the fingerprint, if there is one', async () => {
    await expect(ask('orders/7?a=1')).resolves.toEqual([200, { run: 1 }]);
    await expect(ask('orders/7?a=2')).resolves.toEqual([200, { run: 1 }]);
  });

  it('gives an answer that is too long to the first request only, and runs once', async () => {
    await expect(ask('orders/8?long')).resolves.toEqual([200, 'x'.repeat(1_000_001)]);
    await expect(ask('orders/8?long')).resolves.toMatchObject([409, { error: 'LOCK_IDEMPOTENCY' }]);
    expect(runs).toBe(1);
  });

  it('repeats the answer of a handler that returns nothing', async () => {
    const first = await ask('nothing');
    expect(first).toEqual([200, '']);
    await expect(ask('nothing')).resolves.toEqual(first);
    expect(runs).toBe(1);
  });

  it('refuses a file, which is no JSON', async () => {
    await expect(ask('file')).resolves.toMatchObject([500, {}]);
  });

  it('works as @Idempotent on a handler, too', async () => {
    await expect(ask('method/a')).resolves.toEqual([200, 'a 1']);
    await expect(ask('method/a')).resolves.toEqual([200, 'a 1']);
  });
});

describe('@IdempotentHandler of a gateway', () => {
  it('compares the data of messages, and not their sockets', async () => {
    class ChatGateway {
      @IdempotentHandler('say:<data.key>')
      say() {}
    }
    const app = await start({});
    const [Interceptor] = Reflect.getMetadata('__interceptors__', Reflect.get(ChatGateway.prototype, 'say')) as [
      new (locked: LockedExecutor) => NestInterceptor,
    ];
    const interceptor = new Interceptor(app.get(LockedExecutor));
    const say = async (text: string) => {
      const socket: Record<string, unknown> = {};
      socket['server'] = { clients: [socket] };
      const context = new ExecutionContextHost([socket, { key: 'k', text }], ChatGateway, () => {});
      context.setType('ws');
      const answer = await interceptor.intercept(context, { handle: () => of(`said ${text}`) });
      return lastValueFrom(answer);
    };
    await expect(say('hello')).resolves.toBe('said hello');
    await expect(say('hello')).resolves.toBe('said hello');
    await expect(say('bye')).rejects.toThrow(IdempotencyError);
    await app.close();
  });
});
