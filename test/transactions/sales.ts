import type { DataSource, EntityManager } from 'typeorm';

/** A table with the number of sales of each article. */
export class Sales {
  constructor(private readonly database: DataSource) {}

  async create(): Promise<void> {
    await this.database.query('CREATE TABLE sales (sku text PRIMARY KEY, sold integer NOT NULL)');
    await this.database.query('CREATE TABLE receipts (id integer UNIQUE DEFERRABLE INITIALLY DEFERRED)');
  }

  async reset(sku: string): Promise<void> {
    await this.database.query('INSERT INTO sales VALUES ($1, 0) ON CONFLICT (sku) DO UPDATE SET sold = 0', [sku]);
  }

  /** The number of committed sales. */
  sold(sku: string): Promise<number> {
    return soldOf(this.database.manager, sku);
  }

  /** The number of transactions that wait for a row that another one has written. */
  async waitingForRows(): Promise<number> {
    const rows: readonly unknown[] = await this.database.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    return rows.length;
  }

  /** Cuts the connection of a transaction, which ends it. */
  async cut(manager: EntityManager): Promise<void> {
    const rows: readonly { pid: number }[] = await manager.query('SELECT pg_backend_pid() AS pid');
    await this.database.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  }
}

const soldOf = async (manager: EntityManager, sku: string): Promise<number> => {
  const rows: readonly { sold: number }[] = await manager.query('SELECT sold FROM sales WHERE sku = $1', [sku]);
  const [row] = rows;
  if (!row) throw new Error(`No ${sku} in the table`);
  return row.sold;
};

/** Reads the number and writes it plus one. Sales that another transaction commits after the read are lost. */
export const sellOne = async (manager: EntityManager, sku: string): Promise<void> => {
  const sold = await soldOf(manager, sku);
  await manager.query('UPDATE sales SET sold = $2 WHERE sku = $1', [sku, sold + 1]);
};

/** Makes the commit of a transaction fail. */
export const spoilCommit = async (manager: EntityManager): Promise<void> => {
  await manager.query('INSERT INTO receipts VALUES (1), (1)');
};
