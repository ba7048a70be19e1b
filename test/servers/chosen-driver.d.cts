import type { DriverName } from '../../lib/backend/driver/drivers.js';

/** The client library that `DRIVER` names for a run of the tests, if it does. */
export const chosenDriver: DriverName | undefined;
