import type { TestHolder, TestWaiter } from './leaked-locks-error.js';
import type { TestClient } from './test-connection.js';

/** The name as the application calls it. */
const shortName = (name: string, { runtime }: TestClient): string => {
  const { keyPrefix } = runtime.defaults;
  return name.startsWith(keyPrefix) ? name.slice(keyPrefix.length) : name;
};

/** The holds of a client that its backend confirms. */
export const holdersOf = async (client: TestClient): Promise<readonly TestHolder[]> => {
  const { side, connection, runtime } = client;
  const locks = [...runtime.grants].map(async ({ name, owner, method, kind, operations }) => {
    const { count } = await operations.inspect(name, owner);
    const holder = { name: shortName(name, client), side, connection, kind: kind.family, owner, method };
    return count > 0 ? [holder] : [];
  });
  const permits = [...runtime.permitsOut]
    .filter(({ isHeld }) => isHeld)
    .map(({ name, id }): TestHolder => {
      const kind = 'permit';
      return { name: shortName(name, client), side, connection, kind, owner: id, method: undefined };
    });
  return [...(await Promise.all(locks)).flat(), ...permits];
};

/** The acquisitions of a client that wait. */
export const waitersOf = (client: TestClient): readonly TestWaiter[] => {
  const { side, connection, pending } = client;
  return [...pending].map(({ name, what }) => ({ name: shortName(name, client), side, connection, what }));
};
