import { AnnouncedServer } from '../redis/announced-server.js';
import { isInStep, REPLICATION_SETTINGS } from '../replication/replica.js';
import { untilAgreed } from '../replication/until-agreed.js';

export interface RedisSentinelsOptions {
  /** Default: 1. */
  readonly replicas?: number;
  /** Default: 3. */
  readonly sentinels?: number;
  /** Milliseconds without an answer after which a Sentinel takes a server for dead. Default: 1000. */
  readonly downAfter?: number;
  /** Further settings of the master and its replicas. */
  readonly args?: readonly string[];
  /** Of the master and its replicas. Default: none. */
  readonly password?: string;
  /** Of the Sentinels. Default: none. */
  readonly sentinelPassword?: string;
  /**
   * The master and every replica stand behind a proxy of their own, and clients, Sentinels and replicas alike reach them
   * through it: a fault there is one of the network around that server. Default: false.
   */
  readonly behindProxies?: boolean;
}

/** The name of the master at the Sentinels. */
export const MASTER_NAME = 'mymaster';

/** Milliseconds that a step of a fail-over may take; after twice as many another Sentinel may try. */
const FAIL_OVER_TIMEOUT_MS = 2000;
/**
 * Milliseconds between regular tasks of Sentinels. By default a new replica stays unknown for 10 s, and an old master
 * that returns stays a master for 8 s. With one ping a second Sentinels cannot tell within a second which server is
 * down, and replace masters that they have only just made.
 */
const PERIODS = ['INFO-PERIOD', 250, 'PUBLISH-PERIOD', 250, 'PING-PERIOD', 200] as const;

/** Starts a master, or a replica of `master`, in step. It has a file of settings that Sentinels rewrite. */
export const startWatched = async (
  { args = [], password, behindProxies = false }: RedisSentinelsOptions,
  master?: AnnouncedServer,
): Promise<AnnouncedServer> => {
  const passwords = password === undefined ? [] : ['--requirepass', password, '--masterauth', password];
  const seat = await AnnouncedServer.start({
    config: master === undefined ? '' : `replicaof ${master.address.host} ${master.address.port}\n`,
    args: [...REPLICATION_SETTINGS, ...passwords, ...args],
    behindProxy: behindProxies,
    announce: (announced) => ['--replica-announce-ip', '127.0.0.1', '--replica-announce-port', String(announced)],
  });
  if (master === undefined) return seat;
  try {
    await untilAgreed(() => isInStep(seat.admin), 'the replica is in step');
    return seat;
  } catch (error) {
    await seat.stop();
    throw error;
  }
};

export const startSentinel = async (
  master: AnnouncedServer,
  { sentinels = 3, downAfter = 1000, password, sentinelPassword }: RedisSentinelsOptions,
): Promise<AnnouncedServer> => {
  const { host, port } = master.address;
  const settings = [
    `sentinel monitor ${MASTER_NAME} ${host} ${port} ${Math.floor(sentinels / 2) + 1}`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${downAfter}`,
    `sentinel failover-timeout ${MASTER_NAME} ${FAIL_OVER_TIMEOUT_MS}`,
    `sentinel parallel-syncs ${MASTER_NAME} 1`,
    ...(password === undefined ? [] : [`sentinel auth-pass ${MASTER_NAME} ${password}`]),
    ...(sentinelPassword === undefined ? [] : [`sentinel sentinel-pass ${sentinelPassword}`]),
  ];
  const passwords = sentinelPassword === undefined ? [] : ['--requirepass', sentinelPassword];
  const seat = await AnnouncedServer.start({ config: `${settings.join('\n')}\n`, args: [...passwords, '--sentinel'] });
  try {
    await seat.admin.call('SENTINEL', 'DEBUG', ...PERIODS);
    return seat;
  } catch (error) {
    // Servers before 7.0 know no such setting, and take their time.
    if (error instanceof Error && /unknown/i.test(error.message)) return seat;
    await seat.stop();
    throw error;
  }
};
