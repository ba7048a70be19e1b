import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { LockService } from 'nest-redis-lock';

export interface Product {
  readonly id: string;
  readonly name: string;
}

/** Your database, or a slow service. */
export abstract class Products {
  abstract load(id: string): Promise<Product>;
}

const KEPT_SECONDS = 60;
/** Entries that were written together end apart, by up to that many seconds. */
const SPREAD_SECONDS = 10;

@Injectable()
export class ProductCache {
  constructor(
    private readonly locks: LockService,
    private readonly products: Products,
    @Inject(Redis) private readonly redis: Redis,
  ) {}

  async get(id: string): Promise<Product> {
    const load = async (): Promise<Product> => (await this.cached(id)) ?? this.fill(id);
    return (await this.cached(id)) ?? this.locks.singleFlight(`product:${id}`, { wait: '5s' }, load);
  }

  private async cached(id: string): Promise<Product | undefined> {
    const text = await this.redis.get(`cache:product:${id}`);
    return text === null ? undefined : (JSON.parse(text) as Product);
  }

  private async fill(id: string): Promise<Product> {
    const product = await this.products.load(id);
    const seconds = KEPT_SECONDS + Math.floor(Math.random() * SPREAD_SECONDS);
    await this.redis.set(`cache:product:${id}`, JSON.stringify(product), 'EX', seconds);
    return product;
  }
}
