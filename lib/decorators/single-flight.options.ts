import { parseOptions, invalidOption } from '../validation/options.js';
import { type FlightPlan, parseFlight, type SharedResultOptions } from '../coordination/single-flight.options.js';
import { parseRequest, type ConnectionChoice, parseConnectionName } from '../locks/lock.options.js';
import { type AcquireOptions, type LockRequest } from '../waiting/acquire.options.js';

/** How the result of a method is shared. */
export type SharedMethodOptions = SharedResultOptions &
  ConnectionChoice &
  Pick<AcquireOptions, 'lease' | 'wait'> & {
    /**
     * Whether a call stops to wait for somebody else's result when the client of the HTTP request that it works for has
     * gone. Default: true for handlers, false for other methods.
     */
    readonly cancelOnDisconnect?: boolean | undefined;
  };

/** The options, read once and checked. */
export interface SharedPlan {
  readonly flight: FlightPlan;
  /** `undefined` is the default one. */
  readonly connection: string | undefined;
  readonly cancelOnDisconnect: boolean | undefined;
  /** @param defaultWait Milliseconds that the module waits by default. */
  request(defaultWait: number): LockRequest;
}

/** @throws LockOptionsError naming option and value. */
export const sharedPlanFor = (options: SharedMethodOptions | undefined): SharedPlan => {
  const given = parseOptions(options, ['ttl', 'errors', 'lease', 'wait', 'connection', 'cancelOnDisconnect'], {
    of: '@SingleFlight',
  });
  const { cancelOnDisconnect } = given;
  if (cancelOnDisconnect !== undefined && typeof cancelOnDisconnect !== 'boolean') {
    throw invalidOption('cancelOnDisconnect', cancelOnDisconnect, 'true or false');
  }
  // Checked now, where the method is written; the default wait is known only when the module runs.
  parseRequest(given, 0);
  return {
    flight: parseFlight(given),
    connection: parseConnectionName(given.connection),
    cancelOnDisconnect,
    request: (defaultWait) => parseRequest(given, defaultWait),
  };
};
