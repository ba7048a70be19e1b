import { seconds } from '../../events/event-log.js';
import type { HolderRecord } from '../../inspection/holder-record.js';
import type { InspectedHolder, InspectedLock, InspectedPermits } from '../../inspection/inspected-lock.js';
import { printable } from '../../validation/printable.js';
import type { Column } from './table.js';

const NONE = '-';

const leaseOf = ({ remaining }: InspectedHolder): string => (remaining < 0 ? 'no end' : seconds(remaining));

/** `shop Orders.pay on web-3 (pid 7)`, and whether it has ended its work and only keeps the lock. */
const whoIs = ({ service, method, host, pid, keptUntil }: HolderRecord): string => {
  const who = [service, method, `on ${host} (pid ${pid})`].filter((part) => part !== undefined).join(' ');
  return keptUntil === undefined ? who : `${who}, ended`;
};

const heldFor = ({ since }: HolderRecord): string => seconds(Math.max(0, Date.now() - since));

/** Text of the first of several holders, with the number of the others. */
const firstOf = ({ holders, holderCount }: InspectedLock, text: (holder: InspectedHolder) => string): string => {
  const [holder] = holders;
  if (holder === undefined) return NONE;
  return printable(text(holder)) + (holderCount > 1 ? ` and ${holderCount - 1} more` : '');
};

const recordOf = (lock: InspectedLock, text: (record: HolderRecord) => string): string => {
  const [holder] = lock.holders;
  return holder?.record === undefined ? NONE : printable(text(holder.record));
};

/** The columns of a list of locks. */
export const LOCK_COLUMNS: readonly Column<InspectedLock>[] = [
  { title: 'NAME', text: ({ name }) => printable(name) },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'OWNER', text: (lock) => firstOf(lock, ({ owner }) => owner) },
  { title: 'LEASE LEFT', text: ({ holders: [holder] }) => (holder === undefined ? NONE : leaseOf(holder)) },
  { title: 'WAITING', text: ({ waiting: { count } }) => String(count) },
  { title: 'HELD FOR', text: (lock) => recordOf(lock, heldFor) },
  { title: 'HELD BY', text: (lock) => (lock.problem === undefined ? recordOf(lock, whoIs) : printable(lock.problem)) },
];

const HOLDER_COLUMNS: readonly Column<InspectedHolder>[] = [
  { title: 'OWNER', text: ({ owner }) => printable(owner) },
  { title: 'MODE', text: ({ mode }) => mode },
  { title: 'COUNT', text: ({ count }) => String(count) },
  { title: 'LEASE LEFT', text: leaseOf },
  { title: 'HELD FOR', text: ({ record }) => (record === undefined ? NONE : heldFor(record)) },
  { title: 'HELD BY', text: ({ record }) => (record === undefined ? NONE : printable(whoIs(record))) },
  { title: 'NOTE', text: ({ record }) => (record?.note === undefined ? NONE : printable(record.note)) },
  { title: 'TRACE', text: ({ record }) => (record?.traceId === undefined ? NONE : printable(record.traceId)) },
];

const permitsText = ({ available, inUse, total }: InspectedPermits): string =>
  [
    `${available} available`,
    ...(inUse === undefined ? [] : [`${inUse} in use`]),
    ...(total === undefined ? [] : [`${total} in all`]),
  ].join(', ');

/** Facts of a lock, each with its title; of those that it does not have, none. */
export const factsOf = (lock: InspectedLock): readonly (readonly [title: string, text: string])[] => {
  const { name, kind, state, waiting, fence, permits, count, problem } = lock;
  return [
    ['name', printable(name)],
    ['kind', kind],
    ['state', state],
    ...(problem === undefined ? [] : [['problem', printable(problem)] as const]),
    ...(permits === undefined ? [] : [['permits', permitsText(permits)] as const]),
    ...(count === undefined ? [] : [['count', String(count)] as const]),
    ...(fence === undefined ? [] : [['last fence', String(fence)] as const]),
    ['waiting', String(waiting.count)],
  ];
};

/** The columns of the holders of one lock, without those in which no holder has anything. */
export const holderColumns = (holders: readonly InspectedHolder[]): readonly Column<InspectedHolder>[] =>
  HOLDER_COLUMNS.filter((column) => holders.some((holder) => column.text(holder) !== NONE));
