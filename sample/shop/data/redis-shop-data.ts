import { Injectable } from '@nestjs/common';
import { ShopData, TAKE_MS } from './shop-data.js';
import { ShopRedis } from './shop-redis.js';

/** In Redis: a hash per table, a list per list. */
@Injectable()
export class RedisShopData extends ShopData {
  constructor(private readonly redis: ShopRedis) {
    super();
  }

  override async read(table: string, row: string): Promise<string | undefined> {
    return (await this.redis.client.hget(this.key(table), row)) ?? undefined;
  }

  override async readAll(table: string): Promise<ReadonlyMap<string, string>> {
    return new Map(Object.entries(await this.redis.client.hgetall(this.key(table))));
  }

  override async write(table: string, row: string, value: string | number): Promise<void> {
    await this.redis.client.hset(this.key(table), row, value);
  }

  override async remove(table: string, row: string): Promise<void> {
    await this.redis.client.hdel(this.key(table), row);
  }

  override async add(table: string, row: string, by: number): Promise<number> {
    return this.redis.client.hincrby(this.key(table), row, by);
  }

  override async push(list: string, entries: readonly string[]): Promise<void> {
    if (entries.length > 0) await this.redis.client.rpush(this.key(list), ...entries);
  }

  override async take(list: string): Promise<string | undefined> {
    const taken = await this.redis.waiting.blpop(this.key(list), TAKE_MS / 1000);
    return taken?.[1];
  }

  private key(name: string): string {
    return `${this.redis.keyPrefix}data:${name}`;
  }
}
