import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** @throws Error without the URL, which may contain a password. */
const connect = (url: string): Promise<DataSource> =>
  new DataSource({ type: 'postgres', url }).initialize().catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The PostgreSQL of DATABASE_URL does not answer: ${why}`, { cause });
  });

/** PostgreSQL. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly database: DataSource) {}

  static at(url: string): DynamicModule {
    const database = { provide: DataSource, useFactory: () => connect(url) };
    return { module: DatabaseModule, providers: [database], exports: [DataSource] };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.destroy();
  }
}
