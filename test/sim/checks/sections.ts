import type { OwnerId } from '../../../lib/context/owner-ids.js';
import type { SimulatedProcess } from '../client/simulated-process.js';
import type { Simulation } from '../engine/simulation.js';
import type { LockServer, Mode, SimulatedServer } from '../server/simulated-server.js';
import type { Belief } from './belief.js';

/** Work that runs under a lock. */
export interface Section {
  readonly who: string;
  readonly process: SimulatedProcess;
  readonly server: LockServer;
  readonly lock: string;
  readonly mode: Mode;
  readonly belief: Belief;
  readonly task: Task;
  /** The lease that the caller asked for, ms. Absent: it joins another hold, or asks step by step. */
  readonly lease?: number | undefined;
}

/** Work, possibly inside other work. Under the same lock, inner work is a re-entry. */
export interface Task {
  readonly within: Task | undefined;
}

const isWithin = (inner: Task, outer: Task): boolean =>
  inner === outer || (inner.within !== undefined && isWithin(inner.within, outer));

const mayOverlap = (one: Section, other: Section): boolean =>
  (one.mode === 'read' && other.mode === 'read') || isWithin(one.task, other.task) || isWithin(other.task, one.task);

/** Redis replies with leases in whole milliseconds. */
const GRAIN_MS = 1;

/** The least share of its lease that a section begins with, less a margin: a reply that took longer is refused. */
const LEAST_SHARE = 0.48;
const MARGIN_MS = 20 + GRAIN_MS;
/** The most by which the clock of a server is slow. */
const MOST_SHARE = 1.01;
/** Fair locks are given in units of this, ms. */
const UNIT_MS = 8;

/**
 * Checks mutual exclusion by the beliefs of holders and by the state of the server. No two sections of one lock believe
 * at the same time that they hold it. No section believes so for longer than the server keeps the hold.
 */
export class Sections {
  private readonly open = new Set<Section>();
  private readonly ended = new Set<string>();
  private readonly forcing = new Map<string, number>();

  constructor(private readonly simulation: Simulation) {
    simulation.checks.push(() => this.check());
  }

  watch(server: SimulatedServer): void {
    server.onExecuted(({ script, keys, reply, heldBefore }) => {
      if (!script.endsWith('force-release') || reply[0] !== 'released') return;
      const lock = String(keys['lock']);
      if ((this.forcing.get(lock) ?? 0) === 0) {
        this.simulation.violate(
          'no late force-release',
          `${lock} of ${heldBefore.join(', ')} was ended by a call that had settled`,
        );
      }
      // Holders learn of it later. Until then two of them may believe that they hold.
      for (const owner of heldBefore) this.forced(owner);
    });
  }

  /**
   * Registers a call that may end holds of others.
   * @param drift Milliseconds that clocks may drift apart in during the call.
   * @returns A function to call when the call has settled.
   */
  force(lock: string, drift: number): () => void {
    const { simulation, forcing } = this;
    forcing.set(lock, (forcing.get(lock) ?? 0) + 1);
    const over = (): void => void forcing.set(lock, (forcing.get(lock) ?? 1) - 1);
    return () => void simulation.at(simulation.now + drift, over);
  }

  /** Another caller has ended the hold of this owner, which learns of it later. */
  forced(owner: OwnerId): void {
    this.ended.add(owner);
  }

  /** Whether a call has ended the hold of this owner by force. */
  wasForced(owner: OwnerId): boolean {
    return this.ended.has(owner);
  }

  enter(section: Section): () => void {
    this.open.add(section);
    this.checkLease(section);
    section.process.note(() => `${section.who} enters ${section.lock} (${section.mode}) as ${section.belief.owner}`);
    return () => {
      if (!this.open.delete(section)) return;
      section.process.note(() => `${section.who} leaves ${section.lock}`);
    };
  }

  /** However a lock was acquired: from the first line on, its caller has the lease that it asked for, and no other. */
  private checkLease(section: Section): void {
    const { lease, belief, server, mode, lock } = section;
    if (lease === undefined || this.ended.has(belief.owner)) return;
    const has = belief.remaining;
    if (has > 0 && has < LEAST_SHARE * lease - MARGIN_MS) {
      this.simulation.violate('whole lease', `${describe(section)} begins with ${has.toFixed(1)} of ${lease} ms`);
    }
    const kept = server.remaining(mode, lock, belief.owner);
    if (kept > MOST_SHARE * lease + UNIT_MS) {
      this.simulation.violate(
        'whole lease',
        `${describe(section)} asked for ${lease} ms and has ${kept.toFixed(1)} ms`,
      );
    }
  }

  private believing(): Section[] {
    return [...this.open].filter(
      ({ process, belief }) => process.isAlive && belief.remaining > 0 && !this.ended.has(belief.owner),
    );
  }

  private check(): void {
    if (this.open.size === 0) return;
    const believing = this.believing();
    for (const [index, one] of believing.entries()) {
      this.checkAgainstServer(one);
      for (const other of believing.slice(index + 1)) this.checkAgainstEachOther(one, other);
    }
  }

  private checkAgainstEachOther(one: Section, other: Section): void {
    if (one.lock !== other.lock || one.server !== other.server || mayOverlap(one, other)) return;
    this.simulation.violate(
      'mutual exclusion',
      `${describe(one)} and ${describe(other)} hold ${one.lock} at the same time`,
    );
  }

  private checkAgainstServer(section: Section): void {
    const { server, mode, lock, belief, process } = section;
    const believed = belief.remaining / process.clock.rate;
    const real = server.remaining(mode, lock, belief.owner);
    if (believed <= real + GRAIN_MS) return;
    this.simulation.violate(
      'no belief beyond the lease',
      `${describe(section)} believes in ${lock} for ${believed.toFixed(1)} ms more; the server says ${real.toFixed(1)} ms`,
    );
  }
}

const describe = ({ who, process, belief }: Section): string => `${who} in ${process.name} (${belief.owner})`;
