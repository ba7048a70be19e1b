import type { NodeBinary } from './node-binary.js';

/** Where processes run: wherever the system puts them, or the server on one core and all of its clients on another. */
export type Placement = 'free' | 'pinned';

/** What a table of results was measured with: every scenario is measured in each set-up. */
export interface SetUp {
  readonly node: NodeBinary;
  readonly placement: Placement;
}

/** Where the processes of libraries run. */
export interface Launch {
  /** Path of Node. */
  readonly node: string;
  /** Core of the clients. Absent: any. */
  readonly core?: number;
  /** Whether the library is not used before the measurement. Default: it is, until it is warm. */
  readonly isCold?: boolean;
}

export const SERVER_CORE = 0;
export const CLIENT_CORE = 1;

export const setUpTitle = ({ node, placement }: SetUp): string =>
  `Node ${node.version}, ${placement === 'pinned' ? 'server and clients pinned to a core each' : 'no core assigned'}`;

/** All combinations, the pinned ones first: their figures vary less, and the bars are judged by them. */
export function setUps(nodes: readonly NodeBinary[], pin: boolean): readonly SetUp[] {
  const placements: readonly Placement[] = pin ? ['pinned', 'free'] : ['free'];
  return placements.flatMap((placement) => nodes.map((node) => ({ node, placement })));
}
