/** After this time without an event the page is shown as stale, ms. */
const SILENCE_MS = 3000;
const RECONNECT_MS = 1000;
/** Points in the history of waiting orders. */
const HISTORY = 120;
/** The largest number of waiting buyers that are drawn. */
const PEOPLE = 7;

const byId = (id) => document.getElementById(id);
const clone = (id) => byId(id).content.firstElementChild.cloneNode(true);
const sum = (values) => values.reduce((total, value) => total + value, 0);
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

let lastEvent;
let isSaleRunning = false;
let isRequestPending = false;
const waitingHistory = [];

function listen() {
  const events = new EventSource('live');
  events.addEventListener('snapshot', ({ data }) => {
    lastEvent = new Date();
    const snapshot = JSON.parse(data);
    showStatus('live', `Live: ${plural(snapshot.processes.length, 'process', 'processes')}, ${backendText(snapshot)}`);
    show(snapshot);
  });
  events.addEventListener('trouble', ({ data }) => {
    lastEvent = undefined;
    showStatus('trouble', `The shop cannot report its state: ${JSON.parse(data).reason}`);
  });
  events.addEventListener('error', () => {
    // EventSource reconnects by itself, unless the answer was no event stream.
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, RECONNECT_MS);
    disconnected();
  });
}

function disconnected() {
  const since = lastEvent ? ` since ${lastEvent.toLocaleTimeString()}; the figures below are from then` : '';
  showStatus('trouble', `The shop does not answer${since}. Trying again …`);
}

function showStatus(state, text) {
  const line = byId('connection');
  // An unchanged text must not be announced again by a screen reader.
  if (line.textContent !== text) line.textContent = text;
  line.dataset.state = state;
  if (state !== 'live') isSaleRunning = false;
  byId('shop').classList.toggle('stale', state !== 'live');
  showButton();
}

const backendText = ({ backend, locking }) =>
  `${backend === 'redis' ? 'locks in Redis' : 'locks in memory'}${locking === 'off' ? ' switched off' : `, ${locking}`}`;

function show({ warehouses, balances, gateway, report, processes, books, sale }) {
  isSaleRunning = sale.holders.length > 0;
  showWhyNotKill(processes.length === 1);
  showButton();

  const articles = warehouses.flatMap((warehouse) => warehouse.articles);
  const offered = sum(articles.map((article) => article.offered));
  const sold = sum(articles.map((article) => article.sold));
  const oversold = sum(articles.map((article) => Math.max(0, article.sold - article.offered)));
  byId('sold').textContent = sold;
  byId('offered').textContent = `of ${offered}`;
  byId('sold-bar').style.width = part(sold, offered);
  byId('oversold').textContent =
    oversold > 0 ? `${oversold} too many` : `none oversold, ${sum(articles.map(({ stock }) => stock))} left`;
  byId('oversold').classList.toggle('bad', oversold > 0);

  const waiting = sum(warehouses.map((warehouse) => warehouse.waiting));
  byId('waiting').textContent = waiting;
  byId('waiting-note').textContent =
    `${plural(warehouses.filter(({ lock }) => lock.holders.length > 0).length, 'order')} being served`;
  showHistory(waiting);

  byId('permits').textContent = gateway.inUse;
  byId('permits-limit').textContent = gateway.limit > 0 ? `of ${gateway.limit} permits in use` : 'not limited';
  byId('permit-dots').replaceChildren(
    ...Array.from({ length: gateway.limit }, (_, n) => {
      const dot = document.createElement('i');
      dot.classList.toggle('used', n < gateway.inUse);
      return dot;
    }),
  );
  byId('payments').textContent = `${plural(gateway.payments, 'payment')}, at most ${gateway.peak} at once`;

  showReport(report);
  byId('processes').replaceChildren(...processes.map(processItem));
  byId('books').textContent = { free: 'Nothing reads or writes', read: 'A report reads', write: 'An order writes' }[
    books.mode
  ];
  byId('books-note').textContent = balances
    ? 'Sold and left add up to what was offered.'
    : 'Sold and left do not add up!';
  byId('books-note').classList.toggle('bad', !balances);
  showWarehouses(warehouses);
}

function showHistory(waiting) {
  waitingHistory.push(waiting);
  if (waitingHistory.length > HISTORY) waitingHistory.shift();
  const highest = Math.max(10, ...waitingHistory);
  const points = waitingHistory.map(
    (value, n) => `${HISTORY - waitingHistory.length + n},${27 - (value / highest) * 26}`,
  );
  byId('history').firstElementChild.setAttribute('points', points.join(' '));
}

function showReport({ latest, ticks, mostRuns }) {
  if (!latest) return;
  byId('report-time').textContent = new Date(latest.at).toLocaleTimeString();
  byId('report').replaceChildren(
    'by ',
    named(latest.process),
    `: ${latest.sold} sold, ${latest.left} left${latest.balances ? '' : ', does not balance!'}`,
  );
  byId('ticks').textContent =
    `${plural(ticks, 'tick')} so far, ${mostRuns === 1 ? 'each on one process' : `up to ${mostRuns} times for one tick`}`;
  byId('ticks').classList.toggle('bad', mostRuns > 1);
}

function processItem({ process, leaseMs }) {
  const item = document.createElement('li');
  const lease = document.createElement('span');
  lease.textContent = leaseMs > 0 ? `lease ${seconds(leaseMs)}` : 'not running';
  item.append(named(process), lease);
  return item;
}

function named(process) {
  const name = document.createElement('b');
  name.textContent = process ? `Process ${process}` : 'Unknown process';
  name.dataset.process = process <= 3 ? process : 'other';
  return name;
}

function showWarehouses(warehouses) {
  const list = byId('warehouses');
  byId('no-warehouses').hidden = warehouses.length > 0;
  const known = [...list.children].map((card) => card.dataset.name);
  const names = warehouses.map(({ warehouse }) => warehouse);
  if (known.join() !== names.join()) {
    list.replaceChildren(
      ...names.map((name) => {
        const card = clone('warehouse');
        card.dataset.name = name;
        card.querySelector('h3').textContent = name;
        return card;
      }),
    );
  }
  warehouses.forEach((warehouse, n) => showWarehouse(list.children[n], warehouse));
}

function showWarehouse(card, { articles, lock, waiting }) {
  const list = card.querySelector('.articles');
  while (list.children.length > articles.length) list.lastElementChild.remove();
  while (list.children.length < articles.length) list.append(clone('article'));
  articles.forEach(({ sku, offered, sold, stock }, n) => {
    const row = list.children[n];
    row.querySelector('dt').textContent = sku;
    row.querySelector('dd').textContent = stock > 0 ? `${sold} sold, ${stock} left` : `all ${sold} sold`;
    row.classList.toggle('sold-out', stock <= 0);
    row.querySelector('i').style.width = part(sold, offered);
  });

  const holder = card.querySelector('.holder');
  const [first] = lock.holders;
  holder.classList.toggle('free', !first);
  holder.replaceChildren(first ? named(first.process) : 'No order at the moment');
  holder.title = first?.owner ?? '';
  card.querySelector('.lease').textContent = first ? `lease ${seconds(lock.leaseMs)}` : '';
  card.querySelector('.people').textContent = '●'.repeat(Math.min(PEOPLE, waiting));
  card.querySelector('.count').textContent = waiting > 0 ? `${waiting} waiting` : 'no queue';
}

const part = (some, all) => `${all > 0 ? Math.min(100, (100 * some) / all) : 0}%`;

/** The disabled button stays focusable, so that the keyboard keeps its place. */
function showButton() {
  const isLive = byId('connection').dataset.state === 'live';
  byId('start').setAttribute('aria-disabled', String(!isLive || isSaleRunning || isRequestPending));
  byId('start').textContent = isLive && (isSaleRunning || isRequestPending) ? 'The sale is running …' : 'Start a sale';
}

async function startSale() {
  if (byId('start').getAttribute('aria-disabled') === 'true') return;
  isRequestPending = true;
  showButton();
  byId('outcome').textContent = 'Buyers arrive …';
  byId('outcome').textContent = await runSale();
  isRequestPending = false;
  showButton();
}

async function runSale() {
  try {
    const response = await fetch('sales', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    if (response.status === 409) return 'A sale is already running.';
    if (response.status === 503) return 'The shop closed before the sale was over.';
    if (!response.ok) return `The sale failed with status ${response.status}.`;
    const { accepted, refused, failed, itemsSold, oversold } = await response.json();
    const trouble = failed > 0 ? ` ${plural(failed, 'order')} failed.` : '';
    return (
      `The sale is over: ${plural(accepted, 'order')} for ${plural(itemsSold, 'item')}, ${plural(refused, 'order')} refused; ` +
      `${oversold === 0 ? 'nothing was oversold' : `${oversold} oversold`}.${trouble}`
    );
  } catch {
    return 'The connection to the shop was lost before the sale was over.';
  }
}

setInterval(() => {
  if (lastEvent && Date.now() - lastEvent.getTime() > SILENCE_MS) disconnected();
}, 1000);

/** With one process there is none to kill: the page says so before the button is pressed. */
function showWhyNotKill(isAlone) {
  const [button, reason] = [byId('kill'), byId('why-not-kill')];
  reason.hidden = !isAlone;
  button.toggleAttribute('data-off', isAlone);
  if (isAlone) button.setAttribute('aria-describedby', reason.id);
  else button.removeAttribute('aria-describedby');
  showAvailable(button);
}

/** The disabled button stays focusable, as above. */
function showAvailable(button) {
  button.setAttribute('aria-disabled', String(button.matches('[data-off], [data-busy]')));
}

/** Runs one action of a button at a time, and shows what came of it. */
function onClick(id, busy, action) {
  const button = byId(id);
  const title = button.textContent;
  const run = async () => {
    if (button.getAttribute('aria-disabled') === 'true') return;
    button.toggleAttribute('data-busy', true);
    showAvailable(button);
    button.textContent = busy;
    byId('outcome').textContent = await action().catch(() => 'The connection to the shop was lost.');
    button.textContent = title;
    button.toggleAttribute('data-busy', false);
    showAvailable(button);
  };
  button.addEventListener('click', () => void run());
}

async function post(path, tell) {
  const response = await fetch(path, { method: 'POST' });
  const answer = await response.json();
  return response.ok ? tell(answer) : answer.message;
}

const sellWithoutLocks = () =>
  post('sales/without-locks', ({ figures: { accepted, itemsSold, oversold, stockLeft } }) =>
    oversold > 0
      ? `A second shop without locks, for 400 buyers and 100 items: ${plural(accepted, 'order')} for ${plural(itemsSold, 'item')}, so ${oversold} were promised that it does not have; it shows a stock of ${stockLeft}.`
      : 'A second shop without locks oversold nothing this time: the orders did not overlap.',
  );

const kill = () =>
  post(
    'processes/kill',
    ({ killed }) =>
      `Process ${killed} was killed. Its requests fail, and its locks stay until their leases end, within 10 s; it starts again in 5 s.`,
  );

onClick('unlocked', 'Selling without locks …', sellWithoutLocks);
onClick('kill', 'Killing …', kill);
byId('start').addEventListener('click', () => void startSale());
listen();
