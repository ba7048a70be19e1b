/** One connection of `pg`, for transactions. */
declare module 'pg' {
  export class Client {
    constructor(options: { readonly connectionString: string });
    connect(): Promise<void>;
    query(
      text: string,
      values?: readonly unknown[],
    ): Promise<{ rowCount: number | null; rows: Readonly<Record<string, string | null>>[] }>;
    end(): Promise<void>;
  }
}
