import { type Client, JAVA, NO_OWNER, type Owner, type Request, type State, WHOLE_LEASE } from './state.js';

export const requestText = (request: Request): string => {
  if (request.kind === 'hold')
    return `hold(${request.owner}, ${request.lease === WHOLE_LEASE ? 'whole' : 'extended'} lease)`;
  if (request.kind === 'wait') return `${request.isNew ? 'wait' : 'poll'}(${request.owner})`;
  if (request.attempt === 3) return `release(${request.owner}) in the background`;
  return `release(${request.owner}, requeue ${request.requeue})${request.attempt === 2 ? ' again' : ''}`;
};

const listText = (name: string, texts: readonly (string | number)[]): string =>
  texts.length === 0 ? '' : `; ${name}: ${texts.join(', ')}`;

const clientText = (client: Client, index: number): string => {
  const { status, phase, owner, belief, waiting, requests, strays, replies, messages, releases, withdrawals } = client;
  return [
    `client ${index}: ${status}, ${phase}${owner === NO_OWNER ? '' : ` as ${owner}`}${belief > 0 ? ', believes' : ''}`,
    waiting > 0 ? `; ${waiting} waiting` : '',
    listText('requests', requests.map(requestText)),
    listText('late requests', strays.map(requestText)),
    listText(
      'replies',
      replies.map(({ request, outcome }) => `${requestText(request)} ${outcome}`),
    ),
    listText(
      'messages',
      messages.map((message) => message.owner),
    ),
    listText('to release', releases),
    listText('to withdraw', withdrawals),
  ].join('');
};

const ownerText = (owner: Owner): string => (owner === JAVA ? 'held by Java' : `held by ${owner}`);

/** A state as text, for the end of a trace. */
export const stateText = ({ owner, entries, clients, java }: State): string =>
  [
    `lock: ${owner === NO_OWNER ? 'free' : ownerText(owner)}${listText('entries', entries)}`,
    ...clients.map(clientText),
    ...(java.phase === 'away' ? [] : [`Java: ${java.phase}`]),
  ].join('\n');
