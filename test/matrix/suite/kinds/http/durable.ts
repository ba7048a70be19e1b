import assert from 'node:assert/strict';
import { Controller, Get, Inject, Injectable, Param, Scope } from '@nestjs/common';
import {
  type AbstractHttpAdapter,
  type ContextId,
  ContextIdFactory,
  type ContextIdResolverFn,
  type ContextIdStrategy,
} from '@nestjs/core';
import { Locked } from 'nest-redis-lock';
import { NumberPipe } from '../../enhancers.js';
import { type Cell, type Cells, POSITIONS } from '../../cell.js';
import { checkExclusion, rawId } from '../../exclusion.js';
import { ConcurrencyProbe } from '../../concurrency-probe.js';
import { withHttpApplication } from '../../http-application.js';

const TENANTS = ['north', 'south'];
const TENANT = 'x-tenant';

interface TenantRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Shares durable instances among the requests of a tenant. The strategy stays in force for the rest of the process. */
class ByTenant implements ContextIdStrategy {
  private readonly contexts = new Map(TENANTS.map((tenant) => [tenant, ContextIdFactory.create()]));

  attach(contextId: ContextId, { headers }: TenantRequest): ContextIdResolverFn {
    const shared = this.contexts.get(headers[TENANT] ?? '') ?? contextId;
    return ({ isTreeDurable }) => (isTreeDurable ? shared : contextId);
  }
}

@Injectable({ scope: Scope.REQUEST, durable: true })
class TenantOrders {
  constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
    probe.register(this);
  }

  @Locked('order:<0>')
  async pay(id: number): Promise<string> {
    return this.probe.work(id);
  }
}

@Controller({ path: 'orders', scope: Scope.REQUEST, durable: true })
class TenantController {
  constructor(
    @Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe,
    @Inject(TenantOrders) private readonly orders: TenantOrders,
  ) {
    probe.register(this);
  }

  @Locked('order:<0>')
  @Get(':id/above')
  async above(@Param('id', NumberPipe) id: number): Promise<string> {
    return this.probe.work(id);
  }

  @Get(':id/below')
  @Locked('order:<0>')
  async below(@Param('id', NumberPipe) id: number): Promise<string> {
    return this.probe.work(id);
  }

  @Get(':id/alone')
  async alone(@Param('id', NumberPipe) id: number): Promise<string> {
    return this.orders.pay(id);
  }
}

/** Cells of durable classes, of which each tenant has an instance. */
export const durableCells = (name: string, adapter: () => AbstractHttpAdapter): Cells => {
  const cell = (kind: string, position: Cell['position']): Cell => ({
    kind: `${kind}, ${name}`,
    scope: 'request',
    position,
    check: () => {
      ContextIdFactory.apply(new ByTenant());
      const metadata = { controllers: [TenantController], providers: [TenantOrders] };
      return withHttpApplication(adapter(), metadata, async ({ probe, locks, url }) => {
        let calls = 0;
        const ask = (id: number): Promise<Response> => {
          const tenant = TENANTS[calls++ % TENANTS.length] ?? '';
          return fetch(`${url}/orders/${encodeURIComponent(rawId(id))}/${position}`, { headers: { [TENANT]: tenant } });
        };
        await checkExclusion({ probe, locks }, { call: ask, scope: 'durable' });
        assert.equal(probe.instances, 2 * TENANTS.length, 'each tenant has a controller and a provider');
      });
    },
  });
  return [...POSITIONS.map((position) => cell('HTTP handler, durable', position)), cell('provider, durable', 'alone')];
};
