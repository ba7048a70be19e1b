import { invalidOption, namesOf, parseOptions } from '../validation/options.js';
import {
  type FlightPlan,
  parseFlight,
  RESULT_OPTIONS,
  type SharedResultOptions,
} from '../coordination/single-flight.options.js';
import { parseRequest } from '../locks/options/lock.options.js';
import { type ConnectionChoice, parseConnectionName } from '../locks/options/connection-choice.js';
import { type AcquireOptions, LEASE_OPTIONS, type LeaseOptions, type LockRequest } from '../waiting/acquire.options.js';

/** How the result of a method is shared. */
export type SingleFlightMethodOptions = SharedResultOptions &
  ConnectionChoice &
  LeaseOptions &
  Pick<AcquireOptions, 'wait'> & {
    /**
     * Whether a call stops waiting for another caller's result when the client of its HTTP request disconnects.
     * Default: true for handlers, false for other methods.
     */
    readonly cancelOnDisconnect?: boolean | undefined;
  };

const OPTIONS = namesOf<SingleFlightMethodOptions>()(
  ...RESULT_OPTIONS,
  ...LEASE_OPTIONS,
  'wait',
  'connection',
  'cancelOnDisconnect',
);

/** The options, parsed and validated. */
export interface SharedPlan {
  readonly flight: FlightPlan;
  /** `undefined`: the default connection. */
  readonly connection: string | undefined;
  readonly cancelOnDisconnect: boolean | undefined;
  /** @param defaultWait The module's default wait limit, ms. */
  request(defaultWait: number): LockRequest;
}

/** @throws LockOptionsError that names option and value. */
export const sharedPlanFor = (options: SingleFlightMethodOptions | undefined): SharedPlan =>
  sharedPlan(parseOptions(options, OPTIONS, { of: '@SingleFlight' }));

/** @throws LockOptionsError that names option and value. */
export const sharedPlan = (given: Partial<Record<keyof SingleFlightMethodOptions, unknown>>): SharedPlan => {
  const { cancelOnDisconnect } = given;
  if (cancelOnDisconnect !== undefined && typeof cancelOnDisconnect !== 'boolean') {
    throw invalidOption('cancelOnDisconnect', cancelOnDisconnect, 'true or false');
  }
  // Checked here, when the decorator is applied; the default wait is known only when the module runs.
  parseRequest(given, 0);
  return {
    flight: parseFlight(given),
    connection: parseConnectionName(given.connection),
    cancelOnDisconnect,
    request: (defaultWait) => parseRequest(given, defaultWait),
  };
};
