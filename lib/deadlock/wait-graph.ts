import type { OwnerId } from '../context/owner-ids.js';
import { type BlockedHold, type BlockedWait, type HeldLock, isExcluded } from './blocked-hold.js';

/** A wait of a deadlock, and the hold that the wait before it, in the cycle, is blocked by. */
export interface CycleStep {
  readonly wait: BlockedWait;
  readonly holds: HeldLock;
}

/** Waits of which none can end unless one of them gives up. */
export interface Deadlock {
  /** The wait that is to give up: the one that began last. */
  readonly victim: string;
  /** A cycle from the victim to the victim: each waits for what the next one holds. */
  readonly cycle: readonly CycleStep[];
  /** The ids of all waits that depend on each other. */
  readonly members: ReadonlySet<string>;
}

interface Node {
  readonly wait: BlockedWait;
  readonly holds: readonly HeldLock[];
}

type Graph = ReadonlyMap<string, Node>;

const graphOf = (blocked: readonly BlockedHold[]): Map<string, Node> => {
  const nodes = new Map<string, Node>();
  for (const { wait, held } of blocked) {
    nodes.set(wait.id, { wait, holds: [...(nodes.get(wait.id)?.holds ?? []), held] });
  }
  return nodes;
};

/** The hold by which one wait blocks another, if it does. A wait does not block itself. */
const blocking = (waiting: Node, other: Node): HeldLock | undefined =>
  waiting === other ? undefined : other.holds.find((held) => isExcluded(waiting.wait.wants, held));

/**
 * Whether a wait can only end after another of these waits: so many owners among them hold what it wants that it gets
 * nothing, whatever others release. A writer is blocked by any reader, a caller of a limit only by as many as are allowed.
 */
const isBlocked = (waiting: Node, nodes: Graph): boolean => {
  const owners = new Set<OwnerId>();
  for (const other of nodes.values()) {
    if (other === waiting) continue;
    for (const held of other.holds) if (isExcluded(waiting.wait.wants, held)) owners.add(held.owner);
    if (owners.size >= waiting.wait.wants.limit) return true;
  }
  return false;
};

/** Removes every wait that may end although no other gives up, until none is left that may. */
const removeFree = (nodes: Map<string, Node>): void => {
  let before: number;
  do {
    before = nodes.size;
    for (const [id, node] of nodes) if (!isBlocked(node, nodes)) nodes.delete(id);
  } while (nodes.size < before);
};

/** For each wait on a shortest path from one wait, the wait before it. */
const pathsFrom = (start: Node, nodes: Graph, isNext: (from: Node, to: Node) => boolean): Map<Node, Node> => {
  const before = new Map<Node, Node>();
  const open = [start];
  for (let from = open.shift(); from; from = open.shift()) {
    for (const to of nodes.values()) {
      if (before.has(to) || !isNext(from, to)) continue;
      before.set(to, from);
      open.push(to);
    }
  }
  return before;
};

const waitsFor = (from: Node, to: Node): boolean => blocking(from, to) !== undefined;

/** Which of two waits gives up: the one that began later, for every process that sees both. */
const isLater = (one: BlockedWait, other: BlockedWait): boolean =>
  one.since === other.since ? one.id > other.id : one.since > other.since;

const cycleOf = (victim: Node, members: Graph): readonly CycleStep[] => {
  const before = pathsFrom(victim, members, waitsFor);
  const path: Node[] = [victim];
  for (let node = before.get(victim); node && node !== victim; node = before.get(node)) path.unshift(node);
  // From the victim, each followed by the one it waits for.
  const order = [victim, ...path.slice(0, -1)];
  return order.flatMap((node, index) => {
    const holds = blocking(order.at(index - 1) ?? node, node);
    return holds ? [{ wait: node.wait, holds }] : [];
  });
};

/**
 * The deadlock that a wait is part of, if it is part of one: every wait of it is blocked, on every way out, by another of
 * them. A wait that is only blocked by a deadlock of others is not part of it.
 * @param blocked What is known of other waits, and of this one. With fewer records less is found, and nothing false.
 */
export const findDeadlock = (id: string, blocked: readonly BlockedHold[]): Deadlock | undefined => {
  const nodes = graphOf(blocked);
  removeFree(nodes);
  const start = nodes.get(id);
  if (!start) return undefined;
  const ahead = pathsFrom(start, nodes, waitsFor);
  const behind = pathsFrom(start, nodes, (from, to) => waitsFor(to, from));
  const members = new Map([...nodes].filter(([, node]) => ahead.has(node) && behind.has(node)));
  let victim: Node | undefined;
  for (const node of members.values()) if (!victim || isLater(node.wait, victim.wait)) victim = node;
  if (!victim) return undefined;
  return { victim: victim.wait.id, cycle: cycleOf(victim, members), members: new Set(members.keys()) };
};
