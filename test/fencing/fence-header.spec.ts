import { Body, Controller, Param, Put, Req } from '@nestjs/common';
import { LockOptionsError, StaleFenceError } from 'nest-redis-lock';
import { checkFence, FenceHeaderError, fenceHeader, MemoryFenceStore } from 'nest-redis-lock/fencing';
import { caught, thrownBy } from '../kit/caught.js';
import { adapters, serve, type Served } from '../nest/applications.js';

const written: string[] = [];
const fences = new MemoryFenceStore();

@Controller('ledgers')
class LedgerController {
  @Put(':id')
  async write(
    @Param('id') id: string,
    @Req() request: { readonly headers: Readonly<Record<string, unknown>> },
    @Body() body: { readonly text: string },
  ): Promise<string> {
    const fence = await checkFence(request.headers, `ledger ${id}`, fences);
    written.push(body.text);
    return String(fence);
  }
}

describe.each(adapters)('A server that checks the fence of requests on %s', (name, adapter) => {
  let served: Served;

  const put = (id: string, headers: Record<string, string>, text = 'text') =>
    fetch(`${served.url}/ledgers/${name}-${id}`, {
      method: 'PUT',
      body: JSON.stringify({ text }),
      headers: { 'content-type': 'application/json', ...headers },
    });

  beforeAll(async () => {
    served = await serve(adapter, { controllers: [LedgerController] });
  });

  beforeEach(() => void written.splice(0));

  afterAll(() => served.app.close());

  it('writes for the latest holder, and answers 412 to an earlier one', async () => {
    const fence = 2n ** 60n + 1n;
    await expect((await put('1', fenceHeader(fence), 'a')).text()).resolves.toBe(String(fence));
    expect((await put('1', fenceHeader(fence), 'b')).status).toBe(200);
    expect((await put('1', fenceHeader(fence + 1n), 'c')).status).toBe(200);
    const refused = await put('1', fenceHeader(fence), 'stale');
    expect(refused.status).toBe(412);
    await expect(refused.json()).resolves.toEqual({
      statusCode: 412,
      error: 'LOCK_STALE_FENCE',
      message: 'A later holder of the lock has written already',
    });
    expect((await put('2', fenceHeader(1n), 'other')).status).toBe(200);
    expect(written).toEqual(['a', 'b', 'c', 'other']);
  });

  it.each(['', '0', '-1', '1.5', '1e3', '007', '9223372036854775808', 'text', '1, 2'])(
    'answers 400 to the header "%s"',
    async (value) => {
      const refused = await put('3', { 'lock-fence': value });
      expect(refused.status).toBe(400);
      await expect(refused.json()).resolves.toMatchObject({ error: 'LOCK_FENCE_HEADER' });
      expect(written).toEqual([]);
    },
  );

  it('answers 400 to a request without the header', async () => {
    expect((await put('3', {})).status).toBe(400);
    expect(written).toEqual([]);
  });
});

describe('checkFence()', () => {
  it('reads headers of the Fetch standard as well', async () => {
    const store = new MemoryFenceStore();
    await expect(checkFence(new Headers({ 'Lock-Fence': '7' }), 'ledger', store)).resolves.toBe(7n);
    const stale = await caught(checkFence(new Headers(fenceHeader(6n)), 'ledger', store), StaleFenceError);
    expect(stale).toMatchObject({ resource: 'ledger', fence: 6n, lastFence: 7n });
    expect((await caught(checkFence(new Headers(), 'ledger', store), FenceHeaderError)).message).toBe(
      'The header lock-fence is missing; send it with fenceHeader(hold.fence)',
    );
  });

  it('refuses an empty resource', async () => {
    const error = await caught(checkFence({ 'lock-fence': '7' }, '', new MemoryFenceStore()), LockOptionsError);
    expect(error.message).toContain('resource');
  });
});

describe('fenceHeader()', () => {
  it.each([undefined, null, 7, '7', 0n, -1n])('refuses %p', (fence) => {
    expect(thrownBy(() => fenceHeader(fence as never), LockOptionsError).message).toContain('fence must be');
  });
});
