/** A step, and whether the database has had it. Migration tools keep a table of these. */
export interface Migration {
  readonly name: string;
  isDone(): Promise<boolean>;
  /** Runs the step and records it, in one transaction. */
  run(): Promise<void>;
}

/** Runs the steps that are missing. What is missing is read under the lock, never before it. */
export const runMigrations = async (migrations: readonly Migration[], signal: AbortSignal): Promise<void> => {
  for (const migration of migrations) {
    signal.throwIfAborted(); // another pod may have begun
    if (!(await migration.isDone())) await migration.run();
  }
};
