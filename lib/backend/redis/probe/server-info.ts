/** A server's report about itself. `undefined` means that this user may not read the fact: unknown, never "no". */
export interface ServerInfo {
  /** Its address, without user and password. */
  readonly address: string;
  /** `Redis`, `Valkey`, `KeyDB` … */
  readonly kind: string;
  /** The version of Redis whose commands it has, as `[7, 0]`. */
  readonly level: readonly [major: number, minor: number] | undefined;
  /** Its own version, in its own spelling. */
  readonly version: string | undefined;
  readonly runId: string | undefined;
  /** Whether it only watches servers, and stores nothing. */
  readonly isSentinel: boolean | undefined;
  readonly isClusterNode: boolean | undefined;
  readonly role: 'master' | 'replica' | undefined;
  /** For a replica: `host:port` of its master, as the replica knows it. */
  readonly master: string | undefined;
  /** Bytes; 0: no limit. */
  readonly memoryLimit: number | undefined;
  /** Its behaviour at that limit: `noeviction`, `allkeys-lru` … */
  readonly evictionPolicy: string | undefined;
  /** Whether it appends every change to a file. */
  readonly appendsToFile: boolean | undefined;
  readonly replicas: number | undefined;
}

/** Servers compatible with Redis, each with the field of its own version, which no other reports. */
const OTHER_KINDS: readonly (readonly [kind: string, field: string])[] = [
  ['Valkey', 'valkey_version'],
  ['Dragonfly', 'dragonfly_version'],
  ['Garnet', 'garnet_version'],
];

const levelOf = (version: string | undefined): readonly [number, number] | undefined => {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
};

const isOn = (value: string | undefined): boolean | undefined => (value === undefined ? undefined : value === '1');

const numberOf = (value: string | undefined): number | undefined =>
  value === undefined || !/^\d+$/.test(value) ? undefined : Number(value);

/** @param info The reply to INFO, or '' if it is refused. */
export const factsOf = (address: string, info: string): ServerInfo => {
  const field = (name: string): string | undefined => new RegExp(`^${name}:([^\\r\\n]+)`, 'm').exec(info)?.[1];
  const redisVersion = field('redis_version');
  const [kind, ownField] = OTHER_KINDS.find(([, name]) => field(name) !== undefined) ?? [
    field('executable')?.includes('keydb') ? 'KeyDB' : 'Redis',
    'redis_version',
  ];
  const role = field('role');
  const [host, port] = [field('master_host'), field('master_port')];
  const mode = field('redis_mode');
  return {
    address,
    kind,
    level: levelOf(redisVersion),
    version: field(ownField),
    runId: field('run_id'),
    isSentinel: mode === undefined ? undefined : mode === 'sentinel',
    isClusterNode: mode === undefined ? isOn(field('cluster_enabled')) : mode === 'cluster',
    role: role === undefined ? undefined : role === 'slave' ? 'replica' : 'master',
    master: role === 'slave' && host !== undefined ? `${host}:${port}` : undefined,
    memoryLimit: numberOf(field('maxmemory')),
    evictionPolicy: field('maxmemory_policy'),
    appendsToFile: isOn(field('aof_enabled')),
    replicas: numberOf(field('connected_slaves')),
  };
};
