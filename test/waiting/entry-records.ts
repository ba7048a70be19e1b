import type { WaitingEntry } from '../../lib/backend/lock-operations.js';

/** What has become of one entry, as far as the server and the callers can tell. */
export interface EntryRecord {
  readonly entry: WaitingEntry;
  /** Whether the server may have the entry, or may have given its owner the lock. */
  mayExist: boolean;
  isHanded: boolean;
  isWithdrawn: boolean;
  /** Whether no caller waits for it any more, although it could not be withdrawn yet. */
  isForgotten: boolean;
  /** Whether the server has said that it is not there. */
  isGone: boolean;
}

/** All entries of a client, and the rules that hold for each of them, whatever the order of events. */
export class EntryRecords {
  private readonly records = new Map<string, EntryRecord>();
  /** Whether a release that carries the entry can still take effect. */
  private readonly carried = new Set<string>();
  /** The rules that were broken. */
  readonly violations: string[] = [];

  get all(): readonly EntryRecord[] {
    return [...this.records.values()];
  }

  /** The entry that the client waits with, if any. */
  get current(): EntryRecord | undefined {
    return this.all.findLast(({ mayExist, isHanded, isWithdrawn }) => mayExist && !isHanded && !isWithdrawn);
  }

  of({ owner }: Pick<WaitingEntry, 'owner'>): EntryRecord {
    const record = this.records.get(owner);
    if (!record) throw new Error(`${owner} was never sent`);
    return record;
  }

  isCarried({ owner }: WaitingEntry): boolean {
    return this.carried.has(owner);
  }

  onCarried(entry: WaitingEntry): void {
    this.add(entry);
    this.carried.add(entry.owner);
  }

  /** The release that carried the entry is over. */
  onSettled({ owner }: WaitingEntry, mayExist: boolean): void {
    this.carried.delete(owner);
    this.of({ owner }).mayExist = mayExist;
  }

  onAsked(entry: WaitingEntry, isNew: boolean): void {
    this.check(!this.carried.has(entry.owner), `${entry.owner} is not asked about during the release that carries it`);
    if (isNew) return this.add(entry);
    const { mayExist, isHanded, isWithdrawn, isForgotten, isGone } = this.of(entry);
    this.check(!isWithdrawn && !isForgotten, `${entry.owner} is not asked about after its client has left`);
    this.check(mayExist && !isHanded && !isGone, `${entry.owner} is asked about only while it may wait`);
  }

  onWithdrawn(entry: WaitingEntry): void {
    this.check(!this.carried.has(entry.owner), `${entry.owner} is not withdrawn during the release that carries it`);
    const record = this.of(entry);
    this.check(!record.isWithdrawn, `${entry.owner} is withdrawn once`);
    this.check(!record.isHanded, `${entry.owner} is not withdrawn, and so released, after its grant was handed on`);
    record.isWithdrawn = true;
  }

  onHanded(owner: string): void {
    const record = this.of({ owner });
    this.check(!record.isHanded, `${owner} is granted once`);
    this.check(!record.isWithdrawn && !record.isForgotten, `${owner} is not granted after its client has left`);
    record.isHanded = true;
  }

  /** To be called when the client must not wait with the entry any longer. */
  checkIsOver(entry: WaitingEntry): void {
    const { isHanded, isWithdrawn } = this.of(entry);
    this.check(isHanded || isWithdrawn, `${entry.owner} is withdrawn at once`);
  }

  /** To be called once everything was answered, and the client has closed. */
  checkNothingIsLeft(): void {
    for (const { entry, mayExist, isHanded, isWithdrawn } of this.records.values())
      this.check(!mayExist || isHanded || isWithdrawn, `${entry.owner} is granted or withdrawn in the end`);
  }

  check(holds: boolean, rule: string): void {
    if (!holds) this.violations.push(rule);
  }

  private add(entry: WaitingEntry): void {
    this.check(!this.records.has(entry.owner), `${entry.owner} is new once`);
    const flags = { isHanded: false, isWithdrawn: false, isForgotten: false, isGone: false };
    this.records.set(entry.owner, { entry, mayExist: true, ...flags });
  }
}
