import { AnnouncedServer } from '../redis/announced-server.js';
import { isInStep, REPLICATION_SETTINGS } from '../replication/replica.js';
import { untilAgreed } from '../replication/until-agreed.js';

export interface RedisSentinelsOptions {
  /** Default: 1. */
  readonly replicas?: number;
  /** Default: 3. */
  readonly sentinels?: number;
  /** Milliseconds without an answer after which a Sentinel regards a server as dead. Default: 1000. */
  readonly downAfter?: number;
  /** Further settings of the master and its replicas. */
  readonly args?: readonly string[];
  /** Password of the master and its replicas. Default: none. */
  readonly password?: string;
  /** Password of the Sentinels. Default: none. */
  readonly sentinelPassword?: string;
  /**
   * Whether the master and every replica have a proxy of their own, through which clients, Sentinels and replicas reach
   * them. A fault of a proxy is a fault of the network around that server. Default: false.
   */
  readonly behindProxies?: boolean;
}

/** The name by which the Sentinels know the master. */
export const MASTER_NAME = 'mymaster';

/** Milliseconds that a step of a fail-over may take. After twice this time another Sentinel may try. */
const FAIL_OVER_TIMEOUT_MS = 2000;
/**
 * Milliseconds between regular tasks of Sentinels. By default a new replica stays unknown for 10 s, and an old master
 * that returns stays a master for 8 s. With one ping a second Sentinels cannot tell within a second that a server is
 * down, and replace masters that they have only just promoted.
 */
const PERIODS = ['INFO-PERIOD', 250, 'PUBLISH-PERIOD', 250, 'PING-PERIOD', 200] as const;

/** Starts a master, or a replica of `master` that is in step. Sentinels rewrite its file of settings. */
export const startMonitored = async (
  { args = [], password, behindProxies = false }: RedisSentinelsOptions,
  master?: AnnouncedServer,
): Promise<AnnouncedServer> => {
  const passwords = password === undefined ? [] : ['--requirepass', password, '--masterauth', password];
  const node = await AnnouncedServer.start({
    config: master === undefined ? '' : `replicaof ${master.address.host} ${master.address.port}\n`,
    args: [...REPLICATION_SETTINGS, ...passwords, ...args],
    behindProxy: behindProxies,
    announce: (announced) => ['--replica-announce-ip', '127.0.0.1', '--replica-announce-port', String(announced)],
  });
  if (master === undefined) return node;
  try {
    await untilAgreed(() => isInStep(node.admin), 'the replica is in step');
    return node;
  } catch (error) {
    await node.stop();
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
  const node = await AnnouncedServer.start({ config: `${settings.join('\n')}\n`, args: [...passwords, '--sentinel'] });
  try {
    await node.admin.call('SENTINEL', 'DEBUG', ...PERIODS);
    return node;
  } catch (error) {
    // Servers before 7.0 have no such setting, and are slower.
    if (error instanceof Error && /unknown/i.test(error.message)) return node;
    await node.stop();
    throw error;
  }
};
