import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Controller, Get, Inject, Injectable, Param, UseInterceptors } from '@nestjs/common';
import { Locked, lockHandler, LockService } from 'nest-redis-lock';
import { from, type Observable } from 'rxjs';
import { adapters, runtimeOf, serve, type Served } from './applications.js';
import { until } from '../kit/until.js';

const byId = (context: { switchToHttp(): { getRequest(): { params: { id: string } } } }): string =>
  `cart:${context.switchToHttp().getRequest().params.id}`;

class Gate {
  private opened: () => void = () => {};
  readonly isOpen = new Promise<void>((resolve) => (this.opened = resolve));

  open(): void {
    this.opened();
  }
}

@Injectable()
class CartService {
  readonly served: string[] = [];
  readonly gate = new Gate();

  @Locked('cart:<0>', { cancelOnDisconnect: true })
  async fill(id: string): Promise<string> {
    this.served.push(id);
    return id;
  }

  @Locked('cart:<0>')
  async empty(id: string): Promise<string> {
    this.served.push(id);
    return id;
  }
}

@Controller()
class Carts {
  constructor(@Inject(CartService) private readonly carts: CartService) {}

  private serve(id: string): string {
    this.carts.served.push(id);
    return id;
  }

  @Get('below/:id')
  @Locked('cart:<0>')
  async below(@Param('id') id: string): Promise<string> {
    return this.serve(id);
  }

  @Locked('cart:<0>')
  @Get('above/:id')
  async above(@Param('id') id: string): Promise<string> {
    return this.serve(id);
  }

  @Get('slow/:id')
  @Locked('cart:<0>')
  async slow(@Param('id') id: string): Promise<string> {
    this.carts.served.push('begun');
    await this.carts.gate.isOpen;
    return this.serve(id);
  }

  @Get('observable/:id')
  @Locked('cart:<0>')
  observable(@Param('id') id: string): Observable<string> {
    return from([this.serve(id)]);
  }

  @Get('interceptor/:id')
  @UseInterceptors(lockHandler(byId))
  async interceptor(@Param('id') id: string): Promise<string> {
    return this.serve(id);
  }

  @Get('service/:id')
  async service(@Param('id') id: string): Promise<string> {
    return this.carts.fill(id);
  }

  @Get('patient/:id')
  @Locked('cart:<0>', { cancelOnDisconnect: false })
  async patient(@Param('id') id: string): Promise<string> {
    return this.serve(id);
  }

  @Get('patient-interceptor/:id')
  @UseInterceptors(lockHandler(byId, { cancelOnDisconnect: false }))
  async patientInterceptor(@Param('id') id: string): Promise<string> {
    return this.serve(id);
  }

  @Get('patient-service/:id')
  async patientService(@Param('id') id: string): Promise<string> {
    return this.carts.empty(id);
  }
}

describe.each(adapters)('A client that disconnects from %s', (_, adapter) => {
  let served: Served;
  let carts: CartService;
  let locks: LockService;

  const waiting = (): number => runtimeOf(served.app).acquirer.contended;

  /** Sends a request that waits for the lock, and disconnects. */
  const askAndGo = async (path: string): Promise<void> => {
    const client = new AbortController();
    const asked = fetch(`${served.url}/${path}`, { signal: client.signal }).catch(() => {});
    await until(() => waiting() === 1);
    client.abort();
    await asked;
  };

  beforeEach(async () => {
    served = await serve(adapter, { controllers: [Carts], providers: [CartService] });
    carts = served.app.get(CartService);
    locks = served.app.get(LockService);
  });

  afterEach(() => served.app.close());

  it.each(['below', 'above', 'observable', 'interceptor', 'service'])('ends its wait: %s', async (path) => {
    const hold = await locks.acquire('cart:7');
    await askAndGo(`${path}/7`);
    await until(() => waiting() === 0);
    await hold.release();
    expect(carts.served).toEqual([]);
    // Other clients are served as before.
    const response = await fetch(`${served.url}/${path}/7`);
    await expect(response.text()).resolves.toBe('7');
  });

  it.each(['patient', 'patient-interceptor', 'patient-service'])(
    'keeps its wait without cancelOnDisconnect: %s',
    async (path) => {
      const hold = await locks.acquire('cart:7');
      await askAndGo(`${path}/7`);
      expect(waiting()).toBe(1);
      await hold.release();
      await until(() => carts.served.length === 1);
    },
  );

  describe('that keeps its connection', () => {
    let connection: Socket;
    let received: string;

    beforeEach(async () => {
      const { hostname, port } = new URL(served.url);
      connection = connect(Number(port), hostname);
      received = '';
      connection.setEncoding('utf8').on('data', (data: string) => (received += data));
      await once(connection, 'connect');
    });

    afterEach(() => connection.destroy());

    const ask = (...paths: readonly string[]): void => {
      connection.write(paths.map((path) => `GET /${path} HTTP/1.1\r\nHost: shop\r\n\r\n`).join(''));
    };
    const answered = (count: number): Promise<void> => until(() => received.split('HTTP/1.1 200').length > count);

    it.each(['below', 'interceptor', 'service'])('waits on it again: %s', async (path) => {
      for (let count = 1; count <= 3; count++) {
        ask(`${path}/7`);
        await answered(count);
      }
      const hold = await locks.acquire('cart:7');
      ask(`${path}/7`);
      await until(() => waiting() === 1);
      await hold.release();
      await answered(4);
      await locks.withLock('cart:7', async () => {
        ask(`${path}/7`);
        await until(() => waiting() === 1);
        connection.destroy();
        await until(() => waiting() === 0);
      });
      expect(carts.served).toEqual(['7', '7', '7', '7']);
    });

    it.each(['below', 'interceptor', 'service'])('has several requests on it at once: %s', async (path) => {
      const [seven, eight] = [await locks.acquire('cart:7'), await locks.acquire('cart:8')];
      ask(`${path}/7`, `${path}/8`);
      await until(() => waiting() === 2);
      connection.destroy();
      await until(() => waiting() === 0);
      await Promise.all([seven.release(), eight.release()]);
      expect(carts.served).toEqual([]);
    });

    it('is served if it stays connected', async () => {
      const [seven, eight] = [await locks.acquire('cart:7'), await locks.acquire('cart:8')];
      ask('below/7', 'interceptor/8');
      await until(() => waiting() === 2);
      await eight.release();
      await until(() => carts.served.length === 1);
      await expect(locks.getLock('cart:8').isLocked()).resolves.toBe(true);
      await seven.release();
      await answered(2);
      expect(received.replaceAll(/HTTP.*?\r\n\r\n/gs, '|')).toBe('|7|8');
      await until(async () => !(await locks.getLock('cart:8').isLocked()));
    });

    it('keeps nothing locked for an undelivered response', async () => {
      ask('slow/7', 'interceptor/8');
      await until(() => carts.served.length === 2);
      await expect(locks.getLock('cart:8').isLocked()).resolves.toBe(true);
      connection.destroy();
      await until(async () => !(await locks.getLock('cart:8').isLocked()));
      carts.gate.open();
      await until(() => carts.served.length === 3);
    });
  });

  it('does not stop a running handler', async () => {
    const client = new AbortController();
    const asked = fetch(`${served.url}/slow/7`, { signal: client.signal }).catch(() => {});
    await until(() => carts.served.length === 1);
    client.abort();
    await asked;
    carts.gate.open();
    await until(() => carts.served.length === 2);
    expect(carts.served).toEqual(['begun', '7']);
  });
});
