import { byId, clone, keepChildren, setOptional, setText } from './elements.js';
import { clock, printable, short } from './text.js';

const showLoss = (item, { at, name, what, method, owner }, now) => {
  setText(item.querySelector('time'), clock(at, now));
  item.querySelector('time').dateTime = new Date(at).toISOString();
  setText(item.querySelector('.name'), short(name));
  setText(item.querySelector('.what'), printable(what));
  setOptional(
    item.querySelector('small'),
    [method, owner && `owner ${owner}`].filter(Boolean).map(printable).join(' · '),
  );
};

export const showLosses = ({ losses, at }) => {
  byId('no-losses').hidden = losses.length > 0;
  byId('losses').hidden = losses.length === 0;
  keepChildren(
    byId('losses'),
    losses,
    (loss) => JSON.stringify([loss.at, loss.name, loss.owner]),
    () => clone('loss'),
    (item, loss) => showLoss(item, loss, at),
  );
};
