import { byId, setText } from './elements.js';
import { plural, printable } from './text.js';

const textsOf = ({ name, holders, order }) => [
  name,
  ...order,
  ...holders.flatMap(({ owner, host, service, method, traceId, note }) => [
    owner,
    host,
    service,
    method,
    traceId,
    note,
  ]),
];

/** Found in the text itself, or in what the page shows for it. */
const has = (text, wanted) => text !== undefined && `${text}\n${printable(text)}`.toLowerCase().includes(wanted);

/** The groups with the locks that the form asks for, and without groups that have none. */
export const filtered = (groups) => {
  const wanted = byId('search').value.trim().toLowerCase();
  const isOnlyWaiting = byId('only-waiting').checked;
  if (wanted === '' && !isOnlyWaiting) {
    setText(byId('matches'), '');
    return groups;
  }
  const found = groups
    .map((group) => {
      const isTitle = has(group.title, wanted);
      const locks = group.locks.filter(
        (lock) => (!isOnlyWaiting || lock.waiting > 0) && (isTitle || textsOf(lock).some((text) => has(text, wanted))),
      );
      return { ...group, locks, isTitle };
    })
    .filter(({ locks, isTitle }) => locks.length > 0 || (isTitle && !isOnlyWaiting));
  const count = found.reduce((sum, { locks }) => sum + locks.length, 0);
  setText(byId('matches'), `${plural(count, 'lock')} found`);
  return found;
};
