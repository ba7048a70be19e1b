import { type Channel, channel } from 'node:diagnostics_channel';
import { onRejection } from '../concurrency.js';
import { runOutsideContexts } from '../context/owner-context.js';
import { isSubscribed } from './hold-tracing.js';
import { ACQUISITION_TYPES, LIFE_CYCLE_TYPES, type LifeCycleEvent } from './life-cycle-events.js';
import { type LockNotice, NOTICE_TYPES } from './lock-notices.js';
import { invalidOption } from '../validation/options.js';

/** Something that happened to a lock, a connection or a server: a {@link LockNotice} or a {@link LifeCycleEvent}. */
export type LockEvent = LockNotice | LifeCycleEvent;
export type LockEventType = LockEvent['type'];
/** The events of these types. */
export type EventOf<T extends LockEventType> = Extract<LockEvent, { readonly type: T }>;

/** Called with an event. What it throws, or rejects with if it is `async`, changes nothing, and is an event `unexpected`. */
export type EventListener<T extends LockEventType = LockEventType> = (event: EventOf<T>) => void;

/** The types of all events. */
const LOCK_EVENT_TYPES: readonly LockEventType[] = [...NOTICE_TYPES, ...LIFE_CYCLE_TYPES];

/** The listeners of one type of event, and its channel for subscribers of the whole process. */
interface Hearers {
  readonly listeners: Set<(event: LockEvent) => unknown>;
  readonly channel: Channel;
}

/** The channel of `node:diagnostics_channel` on which events of a type are published. */
const channelName = (type: LockEventType): string => `nest-redis-lock:${type}`;

const CHANNELS = new Map(LOCK_EVENT_TYPES.map((type) => [type, channel(channelName(type))] as const));
const ACQUISITION_CHANNELS = ACQUISITION_TYPES.map((type) => channel(channelName(type)));

/**
 * Calls every listener once per event. A listener that throws or rejects affects neither the locks nor other listeners.
 * Listeners run outside all contexts: an event may be emitted inside a caller's context, and a listener that locks
 * there would re-enter that caller's locks.
 */
export class LockEvents {
  private readonly hearers = new Map<LockEventType, Hearers>();
  /** Found out when listeners come and go, which is rarer than acquisitions. */
  private hasAcquisitionListeners = false;

  constructor() {
    for (const [type, each] of CHANNELS) this.hearers.set(type, { listeners: new Set(), channel: each });
  }

  /** Calls `listener` for every notice until the returned function is called. */
  on(listener: EventListener<LockNotice['type']>): () => void;
  /** Calls `listener` for events of these types until the returned function is called. */
  on<T extends LockEventType>(listener: EventListener<T>, types: readonly T[]): () => void;
  on(listener: (event: never) => void, types: readonly LockEventType[] = NOTICE_TYPES): () => void {
    // One that is given twice is called twice, and each is removed by its own function.
    const heard = (event: LockEvent): unknown => (listener as (event: LockEvent) => unknown)(event);
    const sets = types.flatMap((type) => this.hearers.get(type)?.listeners ?? []);
    for (const listeners of sets) listeners.add(heard);
    this.lookForAcquisitionListeners();
    return () => {
      for (const listeners of sets) listeners.delete(heard);
      this.lookForAcquisitionListeners();
    };
  }

  /** Whether an event of this type has any listener, so that it is worth making. */
  hears(type: LockEventType): boolean {
    const hearers = this.hearers.get(type);
    return hearers !== undefined && (hearers.listeners.size > 0 || hearers.channel.hasSubscribers);
  }

  /** Whether any event that an acquisition may lead to has a listener. */
  get hearsAcquisitions(): boolean {
    return this.hasAcquisitionListeners || isSubscribed(ACQUISITION_CHANNELS);
  }

  emit(event: LockEvent): void {
    const hearers = this.hearers.get(event.type);
    if (!hearers) return;
    const { listeners, channel: published } = hearers;
    if (listeners.size > 0 || published.hasSubscribers) runOutsideContexts(() => this.tell(event, hearers));
  }

  private lookForAcquisitionListeners(): void {
    this.hasAcquisitionListeners = ACQUISITION_TYPES.some((type) => (this.hearers.get(type)?.listeners.size ?? 0) > 0);
  }

  private tell(event: LockEvent, { listeners, channel: published }: Hearers): void {
    const failed = (error: unknown): void => {
      if (event.type !== 'unexpected') this.emit({ type: 'unexpected', error });
    };
    for (const listener of listeners) {
      try {
        onRejection(listener(event), failed);
      } catch (error) {
        failed(error);
      }
    }
    published.publish(event);
  }
}

/** A listener, and the types of events that it is called for. */
interface ParsedListener {
  readonly listener: EventListener;
  readonly types: readonly LockEventType[];
}

const isType = (value: unknown): value is LockEventType => LOCK_EVENT_TYPES.some((type) => type === value);
const isListener = (value: unknown): value is EventListener => typeof value === 'function';

const parseTypes = (given: unknown): readonly LockEventType[] => {
  if (given === 'all') return LOCK_EVENT_TYPES;
  const types: readonly unknown[] = [given].flat();
  const wrong = types.length === 0 ? given : types.find((type) => !isType(type));
  if (wrong !== undefined || types.includes(undefined)) {
    throw invalidOption('types', wrong, `types of events, or 'all'; there are ${LOCK_EVENT_TYPES.join(', ')}`);
  }
  return [...new Set(types.filter(isType))];
};

/**
 * The arguments of `onEvent`.
 * @throws LockOptionsError
 */
export const parseEventListener = (given: readonly unknown[]): ParsedListener => {
  const listener = given.at(-1);
  if (!isListener(listener)) throw invalidOption('listener', listener, 'a function');
  return { listener, types: given.length > 1 ? parseTypes(given[0]) : NOTICE_TYPES };
};
