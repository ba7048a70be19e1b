import { Controller, Get, Post, UseFilters } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { LockedHandler, LockNameError, LockService } from 'nest-redis-lock';
import { parseHandlerKey } from '../../lib/decorators/handler-key.js';
import { LockExceptionFilter } from '../../lib/module/lock-exception.filter.js';
import { thrownBy } from '../kit/caught.js';
import { adapters, serve, type Served } from './applications.js';

@UseFilters(LockExceptionFilter)
@Controller('carts')
class CartController {
  constructor(private readonly locks: LockService) {}

  @Get(':id')
  @LockedHandler('cart:<params.id>')
  byParams(): string | undefined {
    return this.locks.currentHold()?.name;
  }

  @Get()
  @LockedHandler('tenant:<query.tenant>:<headers.x-shop>', { wait: 0 })
  byQueryAndHeader(): string | undefined {
    return this.locks.currentHold()?.name;
  }

  @Post()
  @LockedHandler('stock:<body.lines.sku>')
  byBody(): readonly (string | undefined)[] {
    return ['stock:a', 'stock:b%3Ac'].map((name) => this.locks.currentHold(name)?.name);
  }
}

describe.each(adapters)('A handler that is locked by a template, on %s', (_, adapter) => {
  let served: Served;

  beforeAll(async () => {
    served = await serve(adapter, { controllers: [CartController] });
  });

  afterAll(() => served.app.close());

  const get = (path: string, headers = {}) => fetch(`${served.url}/carts${path}`, { headers });

  it('holds the lock of a value in the path, encoded', async () => {
    await expect((await get('/a%3Ab')).text()).resolves.toBe('cart:a%3Ab');
  });

  it('holds that of values of the query and of a header', async () => {
    await expect((await get('?tenant=7', { 'x-shop': 'one' })).text()).resolves.toBe('tenant:7:one');
  });

  it('holds those of a list in the body, all or none', async () => {
    const body = JSON.stringify({ lines: [{ sku: 'b:c' }, { sku: 'a' }] });
    const response = await fetch(`${served.url}/carts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await expect(response.json()).resolves.toEqual(['stock:a', 'stock:b%3Ac']);
  });

  it.each([['?tenant=7'], ['?tenant='], ['?other=1']])(
    'answers 400 for a request without a value: %s',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(400);
      await expect(response.json()).resolves.toMatchObject({ error: 'LOCK_NAME' });
    },
  );
});

describe('A template of a handler', () => {
  const contextOf = (type: string, args: unknown[]): ExecutionContextHost => {
    const context = new ExecutionContextHost(args);
    context.setType(type);
    return context;
  };
  const nameFor = (template: string, type: string, args: unknown[]) =>
    parseHandlerKey('@LockedHandler', template).namesFor(contextOf(type, args), 100);

  it.each([
    ['the arguments of a GraphQL resolver', 'cart:<args.id>', 'graphql', [{}, { id: 7 }, {}, {}]],
    ['the data of a message', 'cart:<data.id>', 'rpc', [{ id: 7 }, {}]],
    ['the data of an event of a gateway', 'cart:<data.id>', 'ws', [{}, { id: 7 }]],
    ['a part of an HTTP request', 'cart:<body.id>', 'http', [{ body: { id: 7 } }]],
  ])('finds %s', (_, template, type, args) => {
    expect(nameFor(template, type, args)).toBe('cart:7');
  });

  it.each([
    ['http', [{}], '<args.id>'],
    ['rpc', [{ id: 7 }], '<params.id>'],
    ['graphql', [{}, {}], '<args.id>'],
  ])('tells what a call of the type %s does not have', (type, args, placeholder) => {
    const error = thrownBy(() => nameFor(`cart:${placeholder}`, type, args), LockNameError);
    expect(error.message).toMatch(
      /^The key template "cart:<\w+\.id>" needs .* for <\w+\.id>, but (args|params|args\.id) is undefined$/,
    );
  });

  it.each([
    'cart:<0>',
    'cart:<request.id>',
    'cart:<params.constructor>',
    'cart:<id>',
    'cart:<params.id',
    'cart:{params.id}',
  ])('is refused at the decorator: %s', (template) => {
    const { message } = thrownBy(() => LockedHandler(template as never), LockNameError);
    expect(message).toContain(`The key template ${JSON.stringify(template)}`);
    expect(message).toContain('write <params.id>, <query.id>, <body.id>, <headers.id> or <user.id>');
  });
});
