import { type Client, clientOf, NO_OWNER, type Owner, type Request, type State } from './state.js';

/** Gives an owner id a letter, in the order of first appearance: its number does not matter. */
type OwnerCode = (owner: Owner) => string;

const OUTCOMES = {
  acquired: '0',
  busy: '1',
  gone: '2',
  'passed on': '3',
  kept: '4',
  released: '5',
  'not held': '6',
  held: '7',
  lost: '8',
};

const ATTEMPTS = { 1: 'R', 2: 'A', 3: 'B' };
const STATUSES = { up: '', crashed: '!', gone: '-' };
const PHASES = { idle: 'I', asking: 'K', waiting: 'W', setting: 'S', holding: 'H', releasing: 'R' };
const JAVA_PHASES = { away: 'A', listening: 'L', holding: 'H' };

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

const letters = (): OwnerCode => {
  const seen: Owner[] = [];
  return (owner) => {
    if (owner === NO_OWNER) return '.';
    const at = seen.indexOf(owner);
    return LETTERS.charAt(at === -1 ? seen.push(owner) - 1 : at);
  };
};

const requestCode = (request: Request, code: OwnerCode): string => {
  if (request.kind === 'hold') return `H${request.lease}${code(request.owner)}`;
  if (request.kind === 'wait') return (request.isNew ? 'W' : 'P') + code(request.owner);
  return ATTEMPTS[request.attempt] + code(request.owner) + code(request.requeue);
};

/** A client with its entries, by their positions in the set, and with its hold. */
const clientCode = (client: Client, index: number, state: State): string => {
  const { status, todo, waiting, phase, belief } = client;
  const code = letters();
  let text = `${STATUSES[status]}${todo}${waiting}${PHASES[phase]}${belief}${code(client.owner)}`;
  for (const owner of client.releases) text += code(owner);
  text += '/';
  for (const owner of client.withdrawals) text += code(owner);
  text += '/';
  for (const request of client.requests) text += requestCode(request, code);
  text += '/';
  for (const request of client.strays) text += requestCode(request, code);
  text += '/';
  for (const { request, outcome, isOver } of client.replies) {
    text += requestCode(request, code) + OUTCOMES[outcome] + (isOver ? '!' : '');
  }
  text += '/';
  for (const { owner, lease, isOver } of client.messages) text += code(owner) + lease + (isOver ? '!' : '');
  text += '/';
  for (let at = 0; at < state.entries.length; at += 1) {
    const entry = state.entries[at] ?? NO_OWNER;
    if (clientOf(entry) === index) text += at + code(entry);
  }
  return state.owner > 0 && clientOf(state.owner) === index ? `${text}*${code(state.owner)}` : text;
};

/** Equal for states that differ only in the numbers of owner ids and in the order of clients. */
export const encode = (state: State): string => {
  const { owner, lease, java, extensions, faults } = state;
  const clients = state.clients.map((client, index) => clientCode(client, index, state));
  const { all, crash, noReply, lostMessage, unheard, cancel, leaseEnd } = faults;
  const left = `${all}${crash}${noReply}${lostMessage}${unheard}${cancel}${leaseEnd}`;
  const others = `${owner < 0 ? 'J' : ''}${lease}${JAVA_PHASES[java.phase]}${java.todo}${extensions}`;
  return `${clients.toSorted().join(',')};${others};${left}`;
};
