import { keepChildren, setAttribute, setOptional, setText } from './elements.js';
import { clock, duration, plural, printable, short } from './text.js';

const KINDS = {
  countDownLatch: 'latch',
  fair: 'fair lock',
  fenced: 'fenced lock',
  group: 'group lock',
  permitExpirableSemaphore: 'semaphore',
  read: 'read lock',
  redLock: 'RedLock',
  reentrant: 'lock',
  spin: 'spin lock',
  write: 'write lock',
};

/** One row for each holder of a lock, or one for a lock that has none. */
export const rowsOf = (lock) =>
  lock.holders.length === 0
    ? [{ lock }]
    : lock.holders.map((holder, index) => ({ lock, holder, isFirst: index === 0 }));

export const keyOf = ({ lock, holder }) => JSON.stringify([lock.name, lock.kind, holder?.owner]);

/** Who a holder is, in a few words. */
export const whoIs = ({ method, service, owner }) => printable(method ?? service ?? `owner ${owner}`);

const kindText = ({ kind, counts, moreHolders }, holder) => {
  const again = holder && holder.count > 1 && holder.mode !== 'permit' ? `held ${holder.count} times` : '';
  const more = moreHolders > 0 ? `and ${plural(moreHolders, 'more holder')}` : '';
  return [KINDS[kind] ?? kind, counts, again, more].filter(Boolean).join(' · ');
};

export const whereIs = ({ host, pid, service, method, isThisProcess }) => {
  const place = host === undefined ? '' : `${printable(host)}, process ${pid}`;
  const name = method === undefined ? '' : service && printable(service);
  return [name, place, isThisProcess ? 'this process' : ''].filter(Boolean).join(' · ');
};

/** Why the lock is held, as its holder has noted. */
export const reasonOf = ({ note }) => note && `“${printable(note)}”`;

const leaseText = ({ remaining }) => (remaining === -1 ? 'no end' : duration(remaining));

const sinceText = ({ since, keptUntil }, now) =>
  keptUntil ? `ended, kept until ${clock(keptUntil, now)}` : since && `since ${clock(since, now)}`;

const showHolder = (row, holder, now) => {
  const [who, reason, where, owner, trace] = ['.who', '.reason', '.where', '.owner', '.trace'].map((name) =>
    row.querySelector(name),
  );
  if (holder === undefined) {
    setText(who, '–');
    for (const element of [reason, where, owner, trace]) setOptional(element, '');
    setText(row.querySelector('.held'), '–');
    setOptional(row.querySelector('.since'), '');
    setText(row.querySelector('.lease'), '–');
    return;
  }
  const isNamed = holder.method !== undefined || holder.service !== undefined;
  setText(who, whoIs(holder));
  setOptional(reason, reasonOf(holder));
  setOptional(where, whereIs(holder));
  setOptional(owner, isNamed ? printable(holder.owner) : '');
  setOptional(trace, holder.traceId && `trace ${printable(holder.traceId)}`);
  setText(row.querySelector('.held'), holder.since === undefined ? 'unknown' : duration(now - holder.since));
  setOptional(row.querySelector('.since'), sinceText(holder, now));
  setText(row.querySelector('.lease'), leaseText(holder));
};

const showWaiting = (cell, { waiting, order }, isFirst) => {
  const number = cell.querySelector('.number');
  setText(number, !isFirst ? 'as above' : waiting === 0 ? 'none' : String(waiting));
  number.classList.toggle('some', isFirst && waiting > 0);
  const details = cell.querySelector('details');
  details.hidden = !isFirst || order.length === 0;
  keepChildren(
    details.querySelector('ol'),
    order.map((owner, index) => ({ owner, index })),
    ({ owner, index }) => `${index} ${owner}`,
    () => document.createElement('li'),
    (item, { owner }) => setText(item, printable(owner)),
  );
};

/** @param now The time of the server, ms since 1970. */
export const showRow = (row, item, now) => {
  const { lock, holder, isFirst = true } = item;
  const name = row.querySelector('.name');
  setText(name, short(lock.name));
  setText(row.querySelector('.kind'), kindText(lock, holder));
  setOptional(row.querySelector('.bad'), lock.problem && printable(lock.problem));
  showHolder(row, holder, now);
  showWaiting(row.querySelector('.waiting'), lock, isFirst);
  const button = row.querySelector('button');
  button.hidden = holder === undefined;
  setAttribute(button, 'aria-label', `Release ${short(lock.name)}${holder ? `, held by ${whoIs(holder)}` : ''}`);
  button.item = item;
};
