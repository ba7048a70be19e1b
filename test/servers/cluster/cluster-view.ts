/** One server's view of another server of its cluster, or of itself. */
export interface ViewedServer {
  readonly id: string;
  readonly isMyself: boolean;
  /** Id of the master, for a replica. */
  readonly replicaOf: string | undefined;
  /** Of two servers that claim a slot, the one with the higher epoch owns it. */
  readonly epoch: number;
  /** Slots that it serves, as ranges that include both ends. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

const SLOTS = 16_384;

/** One server's view of its cluster: the reply to CLUSTER NODES. */
export class ClusterView {
  readonly servers: readonly ViewedServer[];

  constructor(nodes: string) {
    this.servers = nodes.trim().split('\n').map(parseLine);
  }

  get myself(): ViewedServer | undefined {
    return this.servers.find(({ isMyself }) => isMyself);
  }

  ownerOf(slot: number): ViewedServer | undefined {
    return this.servers.find(({ ranges }) => ranges.some(([from, to]) => from <= slot && slot <= to));
  }

  /** The slots, epoch and master of each server, in a form that can be compared. */
  get roles(): string {
    const roles = this.servers.map(({ id, replicaOf, ranges, epoch }) => ({ id, replicaOf, ranges, epoch }));
    return JSON.stringify(roles.toSorted((a, b) => a.id.localeCompare(b.id)));
  }

  /** Whether these servers serve all slots, and no other server serves one. */
  isServedBy(ids: ReadonlySet<string>): boolean {
    const owners = this.servers.filter(({ ranges }) => ranges.length > 0);
    const covered = owners.flatMap(({ ranges }) => ranges).reduce((sum, [from, to]) => sum + to - from + 1, 0);
    return covered === SLOTS && owners.every(({ id }) => ids.has(id));
  }
}

function parseLine(line: string): ViewedServer {
  const [id = '', , flags = '', master = '-', , , epoch = '', , ...slots] = line.split(' ');
  return {
    id,
    isMyself: flags.split(',').includes('myself'),
    replicaOf: master === '-' ? undefined : master,
    epoch: Number(epoch),
    // Brackets mark slots that are being moved, which the server still serves.
    ranges: slots.filter((range) => !range.startsWith('[')).map(parseRange),
  };
}

function parseRange(range: string): readonly [number, number] {
  const [from, to = from] = range.split('-').map(Number);
  if (from === undefined || to === undefined) throw new Error(`Not a range of slots: '${range}'`);
  return [from, to];
}
