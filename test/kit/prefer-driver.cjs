// With DRIVER=node-redis all tests run on that driver, but for clients of another library that they give.
const { chosenDriver, library } = require('../servers/chosen-driver.cjs');

/** Clients of older versions. A client of any version makes connections of that version. */
const clientOf = {
  ioredis5: ({ Redis }) => new Redis({ lazyConnect: true }),
  redis5: ({ createClient }) => createClient(),
}[library];

if (chosenDriver !== undefined) {
  // That of node-redis takes more than a second on a busy machine, which the first connection of a test must not wait for.
  const loaded = require(library);
  jest.mock('../../lib/backend/driver/drivers.js', () => {
    const drivers = jest.requireActual('../../lib/backend/driver/drivers.js');
    const { driverOf } = jest.requireActual('../../lib/backend/driver/given-client.js');
    return { ...drivers, installedDriver: clientOf ? driverOf(clientOf(loaded)) : drivers.driverNamed(chosenDriver) };
  });
}
