import { byId, setText } from './elements.js';
import { base } from './stream.js';
import { printable, short } from './text.js';
import { reasonOf, whereIs, whoIs } from './rows.js';

const tell = (text) => setText(byId('outcome'), text);

const token = document.querySelector('meta[name="lock-dashboard-token"]').content;

/** The lock that the dialog asks about. */
let asked;

/** Asks whether to release a lock. The dialog gives the focus back to the button. */
export const askToRelease = ({ lock, holder }) => {
  asked = { name: lock.name, owner: holder.owner };
  setText(byId('confirm-name'), printable(lock.name));
  setText(byId('confirm-holder'), whoIs(holder));
  setText(
    byId('confirm-place'),
    [reasonOf(holder), whereIs(holder), printable(holder.owner)].filter(Boolean).join(' · '),
  );
  byId('confirm').returnValue = 'cancel';
  byId('confirm').showModal();
};

const outcomeOf = async (response, name) => {
  const { released, message } = await response.json();
  if (!response.ok) return `“${name}” was not released. ${printable(String(message))}`;
  return released ? `“${name}” was released.` : `“${name}” was not released: this owner no longer holds it.`;
};

const release = async ({ name, owner }) => {
  tell(`Releasing “${short(name)}” …`);
  try {
    const response = await fetch(`${base}/release`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-lock-dashboard-token': token },
      body: JSON.stringify({ name, owner }),
    });
    tell(await outcomeOf(response, short(name)));
  } catch {
    tell(`Whether “${short(name)}” was released is unknown: there was no answer. See whether it is still held.`);
  }
};

byId('confirm').addEventListener('close', () => {
  if (byId('confirm').returnValue === 'release') void release(asked);
});
