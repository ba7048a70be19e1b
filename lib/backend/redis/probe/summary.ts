import type { ServerReport } from './inspect-server.js';

/** Settings against the loss of data. */
export interface LossProtection {
  readonly minReplicas: number;
  /** Milliseconds; 0: none. */
  readonly restartGuard: number;
}

/** The texts of all servers, without duplicates. */
const ofAll = (servers: readonly ServerReport[], tell: (server: ServerReport) => string): string =>
  [...new Set(servers.map(tell))].join(' / ');

const version = ({ kind, version: own }: ServerReport): string => `${kind} ${own ?? 'of unknown version'}`;

const crash = ({ appendsToFile, fsync }: ServerReport): string => {
  if (appendsToFile === undefined) return 'persistence unknown';
  if (!appendsToFile) return 'a crash loses all locks (no AOF)';
  if (fsync === 'always') return 'a crash loses no lock (AOF, always)';
  return `a crash may lose the latest locks (AOF, ${fsync ?? 'fsync unknown'})`;
};

const failOver = ({ replicas }: ServerReport, minReplicas: number): string => {
  if (replicas === undefined) return 'replicas unknown';
  if (replicas === 0) return 'no replicas';
  const kept = minReplicas > 0 ? `, unless ${minReplicas} of them have them` : '';
  return `a fail-over to one of ${replicas} replica(s) may lose the latest locks${kept}`;
};

const eviction = ({ memoryLimit, evictionPolicy }: ServerReport): string => {
  if (memoryLimit === undefined || evictionPolicy === undefined) return 'eviction unknown';
  if (memoryLimit === 0) return 'no memory limit';
  return evictionPolicy === 'noeviction' ? 'nothing is evicted' : `locks may be evicted (${evictionPolicy})`;
};

const messages = ({ publish, hearsMessages }: ServerReport): string => {
  if (hearsMessages === undefined) return `messages by ${publish}, not tested`;
  return hearsMessages ? `messages by ${publish}` : 'no messages';
};

const rights = ({ lacks: { rules }, untold }: ServerReport): string => {
  if (rules.length > 0) return `rights missing: ${rules.join(' ')}`;
  return untold.length > 0 ? `all rights except ${untold.join(' ')}` : 'all rights';
};

/** One line: what is guaranteed here, and what is not. */
export const summaryOf = (
  where: string,
  servers: readonly ServerReport[],
  { minReplicas, restartGuard }: LossProtection,
): string => {
  const parts = [
    'locks exclude each other as long as their server keeps its data',
    ofAll(servers, crash),
    ofAll(servers, (server) => failOver(server, minReplicas)),
    restartGuard > 0 ? `restart guard of ${restartGuard} ms` : 'no restart guard',
    ofAll(servers, eviction),
    ofAll(servers, messages),
    ofAll(servers, rights),
  ];
  return `${ofAll(servers, version)}, ${where}: ${parts.join('; ')}`;
};
