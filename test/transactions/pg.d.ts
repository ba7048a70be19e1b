/** The part of `pg` that the tests use; it comes without types. */
declare module 'pg' {
  export class Pool {
    constructor(options: { readonly connectionString: string });
    query(
      text: string,
      values?: readonly unknown[],
    ): Promise<{ readonly rowCount: number | null; readonly rows: readonly Record<string, string | null>[] }>;
    end(): Promise<void>;
    /** The number of open connections. */
    readonly totalCount: number;
    on(event: 'remove', listener: () => void): this;
  }
}
