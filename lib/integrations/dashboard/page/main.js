import { byId, setOptional, setText } from './elements.js';
import { filtered } from './filter.js';
import { showGroups, totalsOf } from './groups.js';
import { showLosses } from './losses.js';
import { askToRelease } from './release.js';
import { listen } from './stream.js';
import { clock, printable } from './text.js';

let snapshot;
let isLive = false;

const showConnection = (state, text) => {
  byId('connection').dataset.state = state;
  setText(byId('connection'), text);
  byId('main').classList.toggle('stale', state !== 'live');
  for (const button of document.querySelectorAll('.release')) button.setAttribute('aria-disabled', String(!isLive));
};

const showTotals = ({ groups, losses }) => {
  const { held, waiting } = totalsOf(groups);
  setText(byId('total-held'), String(held));
  setText(byId('total-waiting'), String(waiting));
  setText(byId('total-lost'), String(losses.length));
  byId('total-waiting').classList.toggle('some-wait', waiting > 0);
  byId('total-lost').classList.toggle('some-lost', losses.length > 0);
};

const releaseButtons = () => [...document.querySelectorAll('.release')].filter((button) => button.checkVisibility());

/** If the focused button goes with its row, the focus passes to the button in its place, or to the list. */
const keepFocus = (update) => {
  const focused = document.activeElement;
  const place = releaseButtons().indexOf(focused);
  update();
  if (place === -1 || (focused.isConnected && focused.checkVisibility())) return;
  const left = releaseButtons();
  (left[place] ?? left.at(-1) ?? byId('main')).focus();
};

const show = () => {
  const groups = filtered(snapshot.groups);
  showTotals(snapshot);
  keepFocus(() => showGroups(groups, snapshot));
  showLosses(snapshot);
  setOptional(byId('problem'), snapshot.problem && `The locks cannot be read: ${printable(snapshot.problem)}`);
  setOptional(
    byId('empty'),
    groups.length > 0 || snapshot.problem
      ? ''
      : snapshot.groups.length > 0
        ? 'No lock matches the search.'
        : 'No lock is held, and none is waited for.',
  );
  byId('more').hidden = !snapshot.hasMore;
  setText(byId('process'), `${printable(snapshot.process.host)}, process ${snapshot.process.pid}`);
};

listen(
  (next) => {
    snapshot = next;
    isLive = true;
    show();
    // The text is the same with every snapshot: it is announced once.
    showConnection('live', 'Live');
  },
  (isRefused) => {
    isLive = false;
    const since = snapshot ? ` What is shown is from ${clock(snapshot.at, Date.now())}.` : '';
    const what = isRefused
      ? 'This page is refused; reload it to sign in again.'
      : 'No answer from the application; trying again.';
    showConnection('trouble', `${what}${since}`);
  },
);

for (const type of ['input', 'submit']) {
  byId('filter').addEventListener(type, (event) => {
    if (type === 'submit') event.preventDefault();
    if (snapshot) show();
  });
}

byId('groups').addEventListener('click', ({ target }) => {
  const button = target.closest('.release');
  if (button && isLive) askToRelease(button.item);
});
