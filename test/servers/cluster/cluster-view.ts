/** How one server of a cluster sees another one, or itself. */
export interface ViewedServer {
  readonly id: string;
  readonly isMyself: boolean;
  /** Id of the master, for a replica. */
  readonly replicaOf: string | undefined;
  /** Of two that say a slot is theirs, the one with the higher number is right. */
  readonly epoch: number;
  /** Slots it serves, as ranges with both ends. */
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

  /** Who serves what, by which right, and who replicates whom, in a form that can be compared. */
  get roles(): string {
    const roles = this.servers.map(({ id, replicaOf, ranges, epoch }) => ({ id, replicaOf, ranges, epoch }));
    return JSON.stringify(roles.toSorted((a, b) => a.id.localeCompare(b.id)));
  }

  /** Whether all slots are served, by these servers alone. */
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
    // In brackets are slots on the move, which are still where they were.
    ranges: slots.filter((range) => !range.startsWith('[')).map(parseRange),
  };
}

function parseRange(range: string): readonly [number, number] {
  const [from, to = from] = range.split('-').map(Number);
  if (from === undefined || to === undefined) throw new Error(`Not a range of slots: '${range}'`);
  return [from, to];
}
