import type { CanActivate, ModuleMetadata, Type } from '@nestjs/common';
import { LockOptionsError } from '../../errors.js';
import { type ConnectionChoice, parseConnectionName } from '../../locks/options/connection-choice.js';
import { type Duration, parseDuration } from '../../time/duration.js';
import {
  contradiction,
  invalidOption,
  namesOf,
  parseCount,
  parseFlag,
  parseOptions,
} from '../../validation/options.js';

/** A guard, as `@UseGuards()` takes it. */
export type DashboardGuard = CanActivate | Type<CanActivate>;

/** Options of `LockDashboardModule.forRoot()`. One of `guard` and `allowAnonymous: true` must be given. */
export interface LockDashboardOptions extends ConnectionChoice {
  /** The path of the page, below the global prefix of the application if it has one. Default: `locks`. */
  readonly path?: string | undefined;
  /**
   * Decides who sees the page and releases locks: a guard or several, all of which must agree, as classes or instances.
   * Those of classes are created by Nest, with what `imports` export. It protects the page, its data and the release.
   */
  readonly guard?: DashboardGuard | readonly DashboardGuard[] | undefined;
  /** Whether every client that reaches the application may see the page and release locks. Default: false. */
  readonly allowAnonymous?: boolean | undefined;
  /** Modules whose exports the guard needs. Default: none. */
  readonly imports?: ModuleMetadata['imports'] | undefined;
  /** How often an open page is brought up to date, in ms or such as `'2s'`, from 100 ms to an hour. Default: 1 second. */
  readonly refresh?: Duration | undefined;
  /** The most locks that one page shows, from 1 to 10,000. Default: 500. */
  readonly maxLocks?: number | undefined;
}

/** The checked options. */
interface DashboardSettings {
  readonly path: string;
  /** Empty: every request is admitted. */
  readonly guards: readonly DashboardGuard[];
  readonly imports: NonNullable<ModuleMetadata['imports']>;
  readonly connection: string | undefined;
  readonly refresh: number;
  readonly maxLocks: number;
}

const OPTIONS = namesOf<LockDashboardOptions>()(
  'path',
  'guard',
  'allowAnonymous',
  'imports',
  'connection',
  'refresh',
  'maxLocks',
);

const REFRESH = { min: 100, max: 3_600_000 };
const MOST_LOCKS = { min: 1, max: 10_000 };

/** @throws LockOptionsError that names option and value. */
export const parseDashboardOptions = (options: unknown): DashboardSettings => {
  const given = parseOptions(options, OPTIONS, { of: 'LockDashboardModule' });
  return {
    path: parsePath(given.path),
    guards: parseGuards(given.guard, parseFlag(given.allowAnonymous, 'allowAnonymous')),
    imports: parseImports(given.imports),
    connection: parseConnectionName(given.connection),
    refresh: parseDuration(given.refresh ?? 1000, 'refresh', REFRESH),
    maxLocks: parseCount(given.maxLocks ?? 500, 'maxLocks', MOST_LOCKS),
  };
};

/** Without characters that a router reads as parameters or wildcards. */
const parsePath = (path: unknown = 'locks'): string => {
  const trimmed = typeof path === 'string' ? path.replaceAll(/^\/+|\/+$/g, '') : '';
  if (/^[\w.~-]+(\/[\w.~-]+)*$/.test(trimmed)) return trimmed;
  throw invalidOption('path', path, "a path of letters, digits, '-', '_', '.' and '~', such as 'locks'");
};

const parseGuards = (guard: unknown, isOpenToAll: boolean): readonly DashboardGuard[] => {
  if (guard === undefined) {
    if (isOpenToAll) return [];
    throw new LockOptionsError(
      'LockDashboardModule needs a guard: its page shows the names of locks and can release them; ' +
        'give the option guard, or allowAnonymous: true if every client that reaches the application may do that',
      { details: { option: 'guard' } },
    );
  }
  if (isOpenToAll) throw contradiction('guard', 'allowAnonymous', 'a guard admits some clients, and not all');
  const guards: readonly unknown[] = Array.isArray(guard) ? guard : [guard];
  if (guards.length > 0 && guards.every(isGuard)) return guards;
  throw invalidOption('guard', guard, 'a guard or a list of guards: classes with canActivate(), or instances of them');
};

const isGuard = (value: unknown): value is DashboardGuard => {
  const target: unknown = typeof value === 'function' ? value.prototype : value;
  return typeof target === 'object' && target !== null && typeof Reflect.get(target, 'canActivate') === 'function';
};

const parseImports = (imports: unknown = []): NonNullable<ModuleMetadata['imports']> => {
  if (Array.isArray(imports)) return imports;
  throw invalidOption('imports', imports, 'a list of modules');
};
