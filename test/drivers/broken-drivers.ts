import { socketDriver } from '../../docs/snippets/socket-driver.js';
import type { DriverConnection, DriverListener, RedisDriver } from '../../lib/driver-kit/index.js';

export const ignored = (): void => {};

type Connecting = Parameters<RedisDriver['connect']>;

/** The bare socket, connected in another way. */
export const connecting = (connect: (...given: Connecting) => Promise<DriverConnection>): RedisDriver => ({
  name: 'broken',
  connect,
});

/** The bare socket, whose connections do something else. */
export const sending = (change: (connection: DriverConnection) => Partial<DriverConnection>): RedisDriver =>
  connecting(async (...given) => {
    const connection = await socketDriver.connect(...given);
    return Object.assign(Object.create(connection) as DriverConnection, change(connection));
  });

export const hearing = (change: (listener: DriverListener) => Partial<DriverListener>): RedisDriver =>
  connecting((to, terms, listener) =>
    socketDriver.connect(to, terms, {
      onMessage: (...message) => listener.onMessage(...message),
      onMoved: () => listener.onMoved(),
      onEnd: (reason) => listener.onEnd(reason),
      ...change(listener),
    }),
  );
