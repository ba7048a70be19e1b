// With DRIVER=node-redis all tests run on that driver, but for clients of another library that they give.
const { DRIVER } = process.env;
if (DRIVER !== undefined) {
  // In jest that takes more than a second on a busy machine, which the first connection of a test must not wait for.
  if (DRIVER === 'node-redis') require('redis');
  jest.mock('../../lib/backend/driver/drivers.js', () => {
    const drivers = jest.requireActual('../../lib/backend/driver/drivers.js');
    return { ...drivers, installedDriver: drivers.driverNamed(DRIVER) };
  });
}
