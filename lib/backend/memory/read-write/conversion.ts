import type {
  ConversionOperations,
  ConversionOutcome,
  ConversionRequest,
  UpgradeOutcome,
} from '../../conversion-operations.js';
import type { ReadWriteData } from './read-write-data.js';

/**
 * Makes readers writers and writers readers, in memory: the executable specification of `scripts/read-lock/upgrade.lua`
 * and `scripts/write-lock/downgrade.lua`.
 */
export class MemoryConversion implements ConversionOperations {
  constructor(private readonly data: ReadWriteData) {}

  async upgrade({ name, from, to, lease }: ConversionRequest): Promise<UpgradeOutcome> {
    const { locks, store } = this.data;
    const held = locks.find(name);
    if (held?.writer?.owner === to) {
      locks.set(name, held, Math.max(lease, store.remaining(name)));
      return { outcome: 'held', sent: store.stopwatch() };
    }
    const reads = held?.readers.get(from) ?? 0;
    if (!held || reads === 0) return { outcome: 'lost' };
    if (held.writer) return { outcome: 'writes' };
    const readers = [...held.readers].filter(
      ([reader, count]) => reader !== from && this.data.longestRead(name, new Map([[reader, count]])) > 0,
    ).length;
    if (readers > 0) return { outcome: 'others', readers };
    this.data.deleteTimeouts(name, from, 0, reads);
    this.data.keep(name, { writer: { owner: to, count: 1 }, readers: new Map() }, lease);
    return { outcome: 'held', sent: store.stopwatch() };
  }

  async downgrade({ name, from, to, lease }: ConversionRequest): Promise<ConversionOutcome> {
    const { locks, store } = this.data;
    const held = locks.find(name);
    const isReading = held !== undefined && !held.writer && held.readers.has(to);
    if (!held || (held.writer?.owner !== from && !isReading)) return { outcome: 'lost' };
    const left = isReading ? this.data.longestRead(name, new Map([[to, 1]])) : 0;
    this.data.setTimeouts(name, to, 1, Math.max(lease, left));
    const readers = isReading ? held.readers : new Map(held.readers).set(to, 1);
    locks.set(name, { writer: undefined, readers }, this.data.longestRead(name, readers));
    if (!isReading) this.data.publish(name);
    return { outcome: 'held', sent: store.stopwatch() };
  }
}
