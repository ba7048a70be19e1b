import { byId, clone, keepChildren, setText } from './elements.js';
import { showChart } from './chart.js';
import { keyOf, rowsOf, showRow } from './rows.js';
import { plural, short } from './text.js';

let lastId = 0;

const createGroup = () => {
  const group = clone('group');
  lastId += 1;
  const title = group.querySelector('h2');
  title.id = `group-${lastId}`;
  group.setAttribute('aria-labelledby', title.id);
  group.querySelector('table').setAttribute('aria-labelledby', title.id);
  return group;
};

const heldIn = (locks) => locks.filter(({ state }) => state === 'held').length;
const waitingIn = (locks) => locks.reduce((sum, { waiting }) => sum + waiting, 0);

/** Held locks and waiters of these groups. */
export const totalsOf = (groups) => {
  const locks = groups.flatMap((group) => group.locks);
  return { held: heldIn(locks), waiting: waitingIn(locks) };
};

const showUse = (element, use) => {
  element.hidden = use === undefined;
  if (use === undefined) return;
  const [waited, held] = element.querySelectorAll('figure');
  showChart(waited, use.waited, 'Longest wait');
  showChart(held, use.held, 'Longest hold');
  const refused = use.refused > 0 ? `, ${use.refused} refused` : '';
  setText(
    element.querySelector('.counts'),
    `${plural(use.acquired, 'acquisition')}, ${use.contended} after a wait${refused}, in 5 minutes`,
  );
};

const showGroup = (element, { title, locks, use }, snapshot) => {
  setText(element.querySelector('h2 code'), short(title));
  const [held, waiting] = [heldIn(locks), waitingIn(locks)];
  setText(
    element.querySelector('.sum'),
    locks.length === 0 ? 'free now' : `${held} held, ${waiting === 0 ? 'none' : waiting} waiting`,
  );
  showUse(element.querySelector('.use'), use);
  const table = element.querySelector('table');
  table.hidden = locks.length === 0;
  keepChildren(
    table.querySelector('tbody'),
    locks.flatMap(rowsOf),
    keyOf,
    () => clone('row'),
    (row, item) => showRow(row, item, snapshot.at),
  );
};

export const showGroups = (groups, snapshot) =>
  keepChildren(
    byId('groups'),
    groups,
    ({ title }) => title,
    createGroup,
    (element, group) => showGroup(element, group, snapshot),
  );
