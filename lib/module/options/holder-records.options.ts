import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordSettings } from '../../holds/recorded-grants.js';
import { invalidOption, namesOf, parseOptions } from '../../validation/options.js';

/** Record that a process makes of itself beside each lock that it holds. */
export interface HolderRecordOptions {
  /** The name of the service. Default: the `name` in the `package.json` of the working directory. */
  readonly service?: string | undefined;
  /**
   * Returns the trace id of the running code, called for each acquisition in the context of its caller. `undefined`:
   * there is none. Only the first 128 characters are kept; an error is an event (`unexpected`).
   */
  readonly traceId?: (() => string | undefined) | undefined;
}

const OPTIONS = namesOf<HolderRecordOptions>()('service', 'traceId');

const packageName = (): string | undefined => {
  try {
    const found: unknown = JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8'));
    const { name }: { readonly name?: unknown } = { ...(found as object) };
    return typeof name === 'string' ? name : undefined;
  } catch {
    // An application that is deployed without its package.json has no name of its own.
    return undefined;
  }
};

const isTraceId = (value: unknown): value is () => string | undefined => typeof value === 'function';

/**
 * @returns `undefined`: nothing is recorded.
 * @throws LockOptionsError that names option and value.
 */
export const parseHolderRecords = (value: unknown): RecordSettings | undefined => {
  if (value === undefined || value === false) return undefined;
  if (value === true) return { service: packageName(), traceId: undefined };
  if (typeof value !== 'object' || value === null) {
    throw invalidOption('holderRecords', value, 'true, false, or an object such as { service: "shop" }');
  }
  const { service, traceId } = parseOptions(value, OPTIONS, { of: 'holderRecords' });
  if (service !== undefined && (typeof service !== 'string' || service === '')) {
    throw invalidOption('holderRecords.service', service, 'a text');
  }
  if (traceId !== undefined && !isTraceId(traceId)) {
    throw invalidOption('holderRecords.traceId', traceId, 'a function that returns a text');
  }
  return { service: service ?? packageName(), traceId };
};
