import { Controller, Get, Inject, Injectable, Param, UseInterceptors } from '@nestjs/common';
import { Locked, lockHandler, LockService } from 'nest-redis-lock';
import { from, type Observable } from 'rxjs';
import { adapters, runtimeOf, serve, type Served } from './applications.js';
import { until } from './until.js';

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

describe.each(adapters)('A client that goes away from %s', (_, adapter) => {
  let served: Served;
  let carts: CartService;
  let locks: LockService;

  const waiting = (): number => runtimeOf(served.app).acquisitions.contended;

  /** Asks while somebody else has the lock, and goes. */
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
    // Others are served as before.
    const response = await fetch(`${served.url}/${path}/7`);
    await expect(response.text()).resolves.toBe('7');
  });

  it.each(['patient', 'patient-interceptor', 'patient-service'])('is waited for in vain: %s', async (path) => {
    const hold = await locks.acquire('cart:7');
    await askAndGo(`${path}/7`);
    expect(waiting()).toBe(1);
    await hold.release();
    await until(() => carts.served.length === 1);
  });

  it('does not stop what has begun', async () => {
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
