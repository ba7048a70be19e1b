// With DRIVER=node-redis all tests run on that driver, but for clients of another library that they give.
const { driver } = require('../servers/chosen-driver.cjs');
if (driver !== undefined) {
  // In jest that takes more than a second on a busy machine, which the first connection of a test must not wait for.
  if (driver === 'node-redis') require('redis');
  jest.mock('../../lib/backend/driver/drivers.js', () => {
    const drivers = jest.requireActual('../../lib/backend/driver/drivers.js');
    return { ...drivers, installedDriver: drivers.driverNamed(driver) };
  });
}
