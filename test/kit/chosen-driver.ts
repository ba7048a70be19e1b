import { DRIVER_NAMES, type DriverName } from '../../lib/backend/driver/drivers.js';

/** The client library that `DRIVER` names for a run of the tests, if it does. */
export const chosenDriver = (): DriverName | undefined => {
  const [name] = process.env['DRIVER']?.split('@') ?? [];
  return DRIVER_NAMES.find((known) => known === name);
};
