import { LockService } from 'nest-redis-lock';
import { PostgresServer } from '../servers/postgres/postgres-server.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { runtimeOf } from '../nest/applications.js';
import { Replica, type Servers } from './replica.js';
import { Sales } from './sales.js';

/** A Redis server, a PostgreSQL server, and one replica of the application in this process. */
export class ShopFixture {
  private constructor(
    private readonly redis: RedisServer,
    private readonly postgres: PostgresServer,
    readonly replica: Replica,
    readonly sales: Sales,
  ) {}

  static async start(): Promise<ShopFixture> {
    const postgres = await PostgresServer.start();
    const redis = await RedisServer.start();
    const replica = await Replica.start({ redis: redis.url, postgres: postgres.url });
    const sales = new Sales(replica.database);
    await sales.create();
    return new ShopFixture(redis, postgres, replica, sales);
  }

  get servers(): Servers {
    return { redis: this.redis.url, postgres: this.postgres.url };
  }

  isLocked(sku: string): Promise<boolean> {
    return this.replica.app.get(LockService).getLock(`stock:${sku}`).isLocked();
  }

  /** The number of locks that calls of this process wait for. */
  get waitingForLocks(): number {
    return runtimeOf(this.replica.app).acquirer.contended;
  }

  async stop(): Promise<void> {
    await this.replica.close();
    await this.redis.stop();
    await this.postgres.stop();
  }
}
