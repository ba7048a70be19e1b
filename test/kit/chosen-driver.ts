import { DRIVER_NAMES, type DriverName } from '../../lib/backend/driver/drivers.js';

/** The client library that `DRIVER` names for a run of the tests, if it does. */
export const chosenDriver = (): DriverName | undefined => {
  const { DRIVER } = process.env;
  const chosen = DRIVER_NAMES.find((name) => name === DRIVER);
  if (DRIVER !== undefined && chosen === undefined)
    throw new Error(`DRIVER=${DRIVER} is none of ${DRIVER_NAMES.join(', ')}`);
  return chosen;
};
