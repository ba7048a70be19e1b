// @ts-nocheck Written by tools/translate-scripts.mjs from the .lua files: edit those, then 'npm run scripts:embed'.
import * as L from './lua.js';

// kinds/permits/shared/from-hex.lua
const fromHex = (hex) => {
  let bytes = L.string.gsub(hex, '%x%x', (byte) => {
    return L.string.char(...L.tonumber(byte, 16));
  })[0];
  return [bytes];
};

// kinds/shared/server-now.lua
const serverNow = () => {
  let time = L.redis.call('TIME')[0];
  return [L.number(L.get(time, 1)) * 1000 + L.number(L.math.floor(L.number(L.get(time, 2)) / 1000)[0])];
};

// kinds/shared/count-under.lua
const countUnder = (key) => {
  let text = L.redis.pcall('GET', key)[0];
  if (L.type(text)[0] === 'table') {
    let found = L.get(L.redis.call('TYPE', key)[0], 'ok');
    if (found === 'string' || found === 'none') {
      L.redis.call('GET', key);
    }
    return [undefined, found];
  }
  if (!L.isTrue(text)) {
    return [0, 'none'];
  }
  let count = L.tonumber(text)[0];
  if (
    L.isTrue(count) &&
    L.math.abs(count)[0] < 2 ** 53 &&
    text === L.string.format('%.0f', count)[0] &&
    text !== '-0'
  ) {
    return [count, 'string'];
  }
  return [undefined, 'string that is not a count'];
};

// kinds/shared/answer-once.lua
const answerOnce = (key, marker, notAfter) => {
  let now = serverNow()[0];
  if (now > notAfter) {
    return [now, L.tableOf(['late', '', now])];
  }
  let [count, found] = countUnder(key);
  if (!L.isTrue(count)) {
    return [now, L.tableOf(['wrong-type', found, now])];
  }
  let answered = L.redis.call('GET', marker)[0];
  return [now, L.and(answered, () => L.tableOf([answered, '', now])), count, found];
};

// kinds/shared/owners.lua
const isOwner = (text) => {
  return [
    L.or(
      L.string.find(text, '.:%-?%d+$')[0] !== undefined,
      () => L.string.find(text, '.:%-?%d+:%x+$')[0] !== undefined,
    ),
  ];
};
const countIn = (text) => {
  return [
    L.or(
      L.and(
        L.and(
          L.and(text, () => L.length(text) < 16),
          () => L.string.find(text, '^%d+$')[0],
        ),
        () => L.tonumber(text)[0],
      ),
      () => undefined,
    ),
  ];
};

// kinds/shared/sole-hold.lua
const soleHold = (lock) => {
  let size = L.redis.pcall('HLEN', lock)[0];
  if (L.type(size)[0] === 'table') {
    let found = L.get(L.redis.call('TYPE', lock)[0], 'ok');
    if (found === 'hash' || found === 'none') {
      L.redis.call('HLEN', lock);
    }
    return [undefined, found];
  }
  if (size === 0) {
    return ['', 0];
  }
  if (size === 1) {
    let owner = L.get(L.redis.call('HKEYS', lock)[0], 1);
    let count = L.and(
      L.and(owner, () => isOwner(owner)[0]),
      () => countIn(...L.redis.call('HGET', lock, owner))[0],
    );
    if (L.isTrue(count)) {
      return [owner, count];
    }
  }
  let mode = L.redis.call('HGET', lock, 'mode')[0];
  return [
    undefined,
    L.or(
      L.and(
        L.or(mode === 'read', () => mode === 'write'),
        () => 'hash of a read-write lock',
      ),
      () => 'hash that is no lock of this kind',
    ),
  ];
};

// kinds/shared/take-lock.lua
const takeLock = (lock, owner, lease) => {
  L.redis.call('HSET', lock, owner, '1');
  let limited = L.redis.pcall('PEXPIRE', lock, lease)[0];
  if (L.type(limited)[0] !== 'table') {
    return [undefined];
  }
  L.redis.call('DEL', lock);
  return [limited];
};

// kinds/shared/what-is-left.lua
const ofWhatIsLeft = (answer) => {
  if (L.type(answer)[0] !== 'table' || !L.isTrue(L.get(answer, 'err'))) {
    return [answer];
  }
  if (L.isTrue(L.string.find(L.get(answer, 'err'), 'non local key', 1, true)[0])) {
    return [false];
  }
  L.error(L.get(answer, 'err'), 0);
  return L.nothing;
};

// kinds/fair-lock/shared/our-waiters.lua
const isOurs = (waiter) => {
  return [L.string.sub(waiter, 15, 15)[0] === '8'];
};
const hasBraces = (waiter) => {
  return [L.string.find(waiter, ':%-%d+$')[0] !== undefined];
};
const waitsFor = (waiter, lock) => {
  return [hasBraces(waiter)[0] === (L.string.find(lock, '{', 1, true)[0] !== undefined)];
};
const clientChannel = (channel, waiter) => {
  if (!L.isTrue(isOurs(waiter)[0])) {
    return [undefined];
  }
  let client = L.string.match(waiter, '^(.+):%-?%d+$')[0];
  return [
    L.and(
      client,
      () =>
        L.text(channel) +
        (L.text(
          L.or(
            L.and(hasBraces(waiter)[0], () => '::'),
            () => ':',
          ),
        ) +
          L.text(client)),
    ),
  ];
};

// kinds/fair-lock/shared/fair-queue.lua
const foreignKey = (queue, deadlines) => {
  let found = L.get(L.redis.call('TYPE', queue)[0], 'ok');
  if (found !== 'none' && found !== 'list') {
    return [queue, found];
  }
  found = L.get(L.redis.call('TYPE', deadlines)[0], 'ok');
  if (found !== 'none' && found !== 'zset') {
    return [deadlines, found];
  }
  return L.nothing;
};
const headOf = (queue) => {
  return ofWhatIsLeft(...L.redis.pcall('LINDEX', queue, 0));
};
const purgeQueue = (queue, deadlines, now) => {
  let purged = false;
  let head = L.redis.call('LINDEX', queue, 0)[0];
  while (L.isTrue(head)) {
    let deadline = L.tonumber(...L.redis.call('ZSCORE', deadlines, head))[0];
    if (!L.isTrue(deadline) || deadline > now) {
      return [head, deadline, purged];
    }
    L.redis.call('ZREM', deadlines, head);
    L.redis.call('LPOP', queue);
    purged = true;
    head = headOf(queue)[0];
  }
  return L.nothing;
};
const tellHead = (head, channel, publish, lease) => {
  if (!L.isTrue(head)) {
    return [];
  }
  let client = clientChannel(channel, head)[0];
  let message = L.or(
    L.and(client, () => lease),
    () => '0',
  );
  L.redis.pcall(publish, L.text(channel) + (':' + L.text(head)), message);
  if (L.isTrue(client)) {
    L.redis.pcall(publish, client, message);
  }
  return L.nothing;
};

// kinds/shared/foreign-type.lua
const foreignType = (key) => {
  let found = L.get(L.redis.call('TYPE', key)[0], 'ok');
  return [
    L.or(
      L.and(
        L.and(found !== 'hash', () => found !== 'none'),
        () => found,
      ),
      () => undefined,
    ),
  ];
};

// kinds/shared/hold-count.lua
const holdCount = (lock, owner) => {
  let count = L.redis.pcall('HGET', lock, owner)[0];
  if (L.type(count)[0] === 'table') {
    count = L.and(!L.isTrue(foreignType(lock)[0]), () => L.redis.call('HGET', lock, owner)[0]);
  }
  return [L.or(L.tonumber(L.or(count, () => '0'))[0], () => 0)];
};

// kinds/shared/take-over.lua
const takeOver = (lock, from, to, lease, setLease) => {
  let isTaken = holdCount(lock, to)[0] > 0;
  if (!L.isTrue(isTaken) && holdCount(lock, from)[0] === 0) {
    return ['lost'];
  }
  if (!L.isTrue(isTaken) || L.redis.call('PTTL', lock)[0] < lease) {
    setLease();
  }
  if (!L.isTrue(isTaken)) {
    L.redis.call('HSET', lock, to, 1);
    L.redis.call('HDEL', lock, from);
  }
  return ['held'];
};

// kinds/fair-lock/shared/set-fair-lease.lua
const setFairLease = (lock, queue, deadlines, lease, channel, publish, now) => {
  let before = L.redis.call('PTTL', lock)[0];
  L.redis.call('PEXPIRE', lock, lease);
  if ((before !== -1 && lease >= before) || L.isTrue(foreignKey(queue, deadlines)[0])) {
    return [];
  }
  let head = purgeQueue(queue, deadlines, now)[0];
  tellHead(
    head,
    channel,
    publish,
    L.or(
      L.and(
        L.and(head, () => waitsFor(head, lock)[0]),
        () => L.math.max(2, lease)[0],
      ),
      () => '0',
    ),
  );
  return L.nothing;
};

// kinds/fair-lock/shared/fair-places.lua
let QUEUE_GRACE = 60000;
let MARK = 1000;
const onlyOurs = (queue, deadlines) => {
  let ends = L.redis.call('PTTL', deadlines)[0];
  if (ends <= 0 || L.redis.call('PTTL', queue)[0] < L.number(ends) + L.number(MARK) / 2) {
    return [false];
  }
  let count = L.redis.call('ZCARD', deadlines)[0];
  let last = L.redis.call('LINDEX', queue, L.number(count) - 1)[0];
  return [
    L.and(
      L.and(last, () => isOurs(last)[0]),
      () => !L.isTrue(L.redis.call('LINDEX', queue, count)[0]),
    ),
  ];
};
const areOurs = (waiters) => {
  for (const [_, waiter] of L.ipairs(waiters)) {
    if (!L.isTrue(isOurs(waiter)[0])) {
      return [false];
    }
  }
  return [true];
};
const limitQueue = (queue, deadlines, hasEnd, now) => {
  if (L.isTrue(hasEnd)) {
    let last = L.tonumber(L.get(L.redis.call('ZREVRANGE', deadlines, 0, 0, 'WITHSCORES')[0], 2))[0];
    let ends =
      L.number(
        L.math.floor(
          L.number(
            L.math.max(
              L.or(last, () => now),
              now,
            )[0],
          ) -
            L.number(now) +
            0.5,
        )[0],
      ) + L.number(QUEUE_GRACE);
    L.redis.call('PEXPIRE', queue, ends);
    L.redis.call('PEXPIRE', deadlines, L.number(ends) - L.number(MARK));
  } else {
    L.redis.call('PERSIST', queue);
    L.redis.call('PERSIST', deadlines);
  }
  return L.nothing;
};
const countedOn = (queue, leaver) => {
  if (L.isTrue(isOurs(leaver)[0])) {
    return [L.tableOf([])];
  }
  let [waiters, isBehind] = [L.tableOf([]), false];
  for (const [_, waiter] of L.ipairs(L.redis.call('LRANGE', queue, 0, -1)[0])) {
    if (L.isTrue(isBehind)) {
      L.set(waiters, L.length(waiters) + 1, waiter);
    }
    isBehind = L.or(isBehind, () => waiter === leaver);
  }
  return [waiters];
};
const lower = (deadlines, waiters, slot) => {
  for (const [_, waiter] of L.ipairs(waiters)) {
    L.redis.call('ZADD', deadlines, 'XX', 'INCR', -L.number(slot), waiter);
  }
  return L.nothing;
};
let REDISSON_WAIT = 300000;
const behindJava = (deadline, last) => {
  return L.math.max(
    L.number(last) + L.number(REDISSON_WAIT),
    L.or(deadline, () => 0),
  );
};
let BOOKED = 0.5;
let FIRST_LEASES = 16384;
const firstLeaseIn = (deadline) => {
  return [
    L.or(
      L.and(deadline, () => L.modulo(L.number(deadline), L.number(BOOKED)) * L.number(FIRST_LEASES)),
      () => 0,
    ),
  ];
};
const keptUntil = (last, slot, now, firstLease) => {
  return [
    L.number(L.math.ceil(L.number(last) + L.number(slot))[0]) -
      L.number(
        L.or(
          L.and(last > now, () => BOOKED),
          () => 0,
        ),
      ) +
      L.number(firstLease) / L.number(FIRST_LEASES),
  ];
};
const withoutExcess = (deadline, slot, now) => {
  if (!L.isTrue(deadline) || L.modulo(L.number(deadline), 1) < BOOKED) {
    return [undefined];
  }
  let enough = keptUntil(now, slot, now, ...firstLeaseIn(deadline))[0];
  return [
    L.or(
      L.and(enough < deadline, () => enough),
      () => undefined,
    ),
  ];
};
const endBookings = (queue, deadlines, head, deadline, slot, now) => {
  let lowered = L.and(
    L.and(head, () => isOurs(head)[0]),
    () => withoutExcess(deadline, slot, now)[0],
  );
  if (!L.isTrue(lowered)) {
    return [deadline];
  }
  let waiters = L.redis.call('LRANGE', queue, 0, -1)[0];
  limitQueue(queue, deadlines, areOurs(waiters)[0], now);
  for (const [_, waiter] of L.ipairs(waiters)) {
    if (!L.isTrue(isOurs(waiter)[0])) {
      break;
    }
    let enough = withoutExcess(L.tonumber(...L.redis.call('ZSCORE', deadlines, waiter))[0], slot, now)[0];
    if (L.isTrue(enough)) {
      L.redis.call('ZADD', deadlines, enough, waiter);
    }
  }
  limitQueue(queue, deadlines, areOurs(waiters)[0], now);
  return [lowered];
};

// kinds/shared/keep-fields.lua
const keepFields = (lock) => {
  if (L.redis.pcall('EXISTS', lock)[0] === 1 && !L.isTrue(L.redis.call('HGET', lock, 'mode')[0])) {
    L.redis.call('PERSIST', lock);
  }
  return L.nothing;
};

// kinds/shared/drop-hold.lua
const dropHold = (lock, owner) => {
  let dropped = L.redis.pcall('HDEL', lock, owner)[0];
  if (L.type(dropped)[0] === 'table') {
    dropped = L.or(
      L.and(foreignType(lock)[0], () => 0),
      () => L.redis.call('HDEL', lock, owner)[0],
    );
  }
  if (dropped === 0) {
    return [false];
  }
  keepFields(lock);
  return [true];
};

// kinds/shared/listeners.lua
const countCommand = (publish) => {
  return [
    L.or(
      L.and(publish === 'SPUBLISH', () => 'SHARDNUMSUB'),
      () => 'NUMSUB',
    ),
  ];
};
const listeners = (channel, publish) => {
  return L.tonumber(L.get(L.redis.pcall('PUBSUB', countCommand(publish)[0], channel)[0], 2));
};
const ownChannel = (lock, channel, part) => {
  return [
    L.text(channel) +
      (L.text(
        L.or(
          L.and(L.string.find(lock, '{', 1, true)[0], () => '::'),
          () => ':',
        ),
      ) +
        L.text(part)),
  ];
};
const others = (lock, channel, publish) => {
  let clients = ownChannel(lock, channel, 'clients')[0];
  let counts = L.redis.pcall('PUBSUB', countCommand(publish)[0], channel, clients)[0];
  return [L.and(L.get(counts, 4), () => L.math.max(0, L.number(L.get(counts, 2)) - L.number(L.get(counts, 4)))[0])];
};

// kinds/fair-lock/shared/take-turn.lua
const takeTurn = (lock, queue, deadlines, owner, lease, slot, now) => {
  let refused = takeLock(lock, owner, lease)[0];
  if (L.isTrue(refused)) {
    return [refused];
  }
  let isKnown = onlyOurs(queue, deadlines)[0];
  let lowered = countedOn(queue, owner)[0];
  L.redis.call('LPOP', queue);
  L.redis.call('ZREM', deadlines, owner);
  lower(deadlines, lowered, slot);
  if (L.isTrue(L.redis.call('LINDEX', queue, 0)[0])) {
    limitQueue(
      queue,
      deadlines,
      L.or(isKnown, () => areOurs(...L.redis.call('LRANGE', queue, 0, -1))[0]),
      now,
    );
  } else {
    L.redis.call('DEL', deadlines);
  }
  return L.nothing;
};

// kinds/fair-lock/shared/tell-next.lua
const nextOfOurs = (queue, deadlines, now) => {
  let [index, waiter] = [0, ...headOf(queue)];
  while (L.isTrue(waiter)) {
    let deadline = L.tonumber(...L.redis.pcall('ZSCORE', deadlines, waiter))[0];
    if (L.isTrue(isOurs(waiter)[0]) && L.or(deadline, () => L.number(now) + 1) > now) {
      return [waiter, deadline];
    }
    index = L.number(index) + 1;
    waiter = L.redis.call('LINDEX', queue, index)[0];
  }
  return L.nothing;
};
const tellNext = (lock, queue, deadlines, channel, publish, lease, now) => {
  let [waiter, deadline] = nextOfOurs(queue, deadlines, now);
  if (!L.isTrue(waiter)) {
    return [];
  }
  let heard = L.or(
    L.and(firstLeaseIn(deadline)[0] > 0, () => clientChannel(channel, waiter)[0]),
    () => L.text(channel) + (':' + L.text(waiter)),
  );
  L.redis.pcall(
    publish,
    heard,
    L.or(
      L.and(waitsFor(waiter, lock)[0], () => L.math.max(2, lease)[0]),
      () => '0',
    ),
  );
  return L.nothing;
};

// kinds/fair-lock/shared/give-to-head.lua
const giveToHead = (lock, queue, deadlines, head, deadline, channel, publish, now) => {
  let own = L.or(
    L.and(
      L.and(head, () => waitsFor(head, lock)[0]),
      () => clientChannel(channel, head)[0],
    ),
    () => undefined,
  );
  let lease = L.or(
    L.and(own, () => firstLeaseIn(deadline)[0]),
    () => 0,
  );
  if (lease === 0 || L.redis.pcall('EXISTS', lock)[0] !== 0 || L.or(listeners(own, publish)[0], () => 0) === 0) {
    return [false];
  }
  if (L.isTrue(takeTurn(lock, queue, deadlines, head, lease, 0, now)[0])) {
    return [false];
  }
  L.redis.pcall(publish, own, L.text(head) + (' ' + (L.text(lease) + (' ' + L.text(now)))));
  tellNext(lock, queue, deadlines, channel, publish, lease, now);
  return [true];
};

// kinds/shared/last-token.lua
const lastToken = (token) => {
  let found = L.get(L.redis.call('TYPE', token)[0], 'ok');
  if (found === 'none') {
    return ['0'];
  }
  if (found !== 'string') {
    return [undefined, found];
  }
  let last = L.redis.call('GET', token)[0];
  let whole = L.or(last === '0', () => L.string.find(last, '^[1-9]%d*$')[0]);
  let countable = L.and(whole, () =>
    L.or(L.length(last) < 19, () => L.and(L.length(last) === 19, () => last < '9223372036854775807')),
  );
  if (!L.isTrue(countable)) {
    return [undefined, 'string that is no fencing token'];
  }
  return [last];
};

// kinds/shared/take-fenced-lock.lua
let TOKEN_LASTS = 604800000;
const takeFencedLock = (lock, token, last, owner, lease, fencing, isFree) => {
  let time = L.redis.call('TIME')[0];
  let micros = L.number(L.get(time, 1)) * 1000000 + L.number(L.get(time, 2));
  if (L.isTrue(isFree) || last === '0') {
    if (fencing === 'clock' && L.tonumber(last)[0] < micros) {
      L.redis.call('SET', token, ...L.string.format('%.0f', micros));
    } else {
      L.redis.call('INCR', token);
    }
    last = L.redis.call('GET', token)[0];
  }
  if (L.isTrue(isFree)) {
    let refused = takeLock(lock, owner, lease)[0];
    if (L.isTrue(refused)) {
      return [undefined, refused];
    }
  } else if (L.redis.call('PTTL', lock)[0] < lease) {
    L.redis.call('PEXPIRE', lock, lease);
  }
  if (fencing === 'clock' && L.tonumber(last)[0] <= micros) {
    L.redis.call('PEXPIRE', token, L.number(lease) + L.number(TOKEN_LASTS));
  } else if (L.redis.call('PTTL', token)[0] > 0) {
    L.redis.call('SET', token, last);
  }
  return [last];
};

// kinds/shared/tell-shorter.lua
const tellShorter = (before, left, channel, publish, passed) => {
  if (before === -1 || L.number(left) + L.number(L.or(passed, () => 0)) < before) {
    L.redis.pcall(publish, channel, ...L.math.max(2, left));
  }
  return L.nothing;
};

// kinds/shared/take-from-holder.lua
const askToEnd = (holder, holders, publish) => {
  L.redis.pcall(publish, holders, 'replace ' + L.text(holder));
  return L.nothing;
};
const dropForNewer = (lock, holder, remaining, lease, holders, channel, publish) => {
  L.redis.call('DEL', lock);
  L.redis.pcall(publish, holders, 'replaced ' + L.text(holder));
  tellShorter(remaining, lease, channel, publish);
  return L.nothing;
};

// kinds/shared/is-later.lua
const isLater = (token, other) => {
  if (L.length(token) !== L.length(other)) {
    return [L.length(token) > L.length(other)];
  }
  return [token > other];
};

// kinds/shared/group-fields.lua
const expiryField = (field, owner) => {
  return [L.text(field) + (':' + (L.text(owner) + ':expire_time'))];
};
const countField = (field, owner) => {
  return [L.text(field) + (':' + (L.text(owner) + ':lock_count'))];
};
const fieldHolder = (group, field, now) => {
  let owner = L.redis.call('HGET', group, field)[0];
  let expiry = L.and(
    owner,
    () => L.tonumber(L.or(L.redis.call('HGET', group, ...expiryField(field, owner))[0], () => ''))[0],
  );
  if (L.isTrue(expiry) && expiry >= now) {
    return [owner, expiry];
  }
  return L.nothing;
};
const onlyOfGroup = (group) => {
  let some = L.redis.call('HRANDFIELD', group, 3, 'WITHVALUES')[0];
  for (let i = 1, $1 = L.length(some); i <= $1; i += 2) {
    let field = L.get(some, i);
    let named = L.or(
      L.string.match(field, '^[^:]+:(.+):expire_time$')[0],
      () => L.string.match(field, '^[^:]+:(.+):lock_count$')[0],
    );
    let owner = L.or(named, () =>
      L.and(!L.isTrue(L.string.find(field, ':', 1, true)[0]), () => L.get(some, L.number(i) + 1)),
    );
    if (!L.isTrue(owner) || !L.isTrue(isOwner(owner)[0])) {
      return [false];
    }
  }
  return [true];
};
const typeOfGroup = (group) => {
  let found = L.get(L.redis.call('TYPE', group)[0], 'ok');
  return [
    L.or(
      L.and(
        L.and(found === 'hash', () => !L.isTrue(onlyOfGroup(group)[0])),
        () => 'hash that is no lock of this kind',
      ),
      () => found,
    ),
  ];
};
const leaveToOthers = (group) => {
  if (L.redis.pcall('EXISTS', group)[0] === 1 && !L.isTrue(onlyOfGroup(group)[0])) {
    L.redis.call('PERSIST', group);
  }
  return L.nothing;
};
const holdsAll = (group, fields, owner, now) => {
  if (L.get(L.redis.call('TYPE', group)[0], 'ok') !== 'hash') {
    return [false];
  }
  for (const [_, field] of L.ipairs(fields)) {
    if (fieldHolder(group, field, now)[0] !== owner) {
      return [false];
    }
  }
  return [true];
};
const keepFields2 = (group, fields, owner, expiry) => {
  for (const [_, field] of L.ipairs(fields)) {
    let name = expiryField(field, owner)[0];
    if (L.or(L.tonumber(L.or(L.redis.call('HGET', group, name)[0], () => ''))[0], () => 0) < expiry) {
      L.redis.call('HSET', group, name, ...L.string.format('%.0f', expiry));
    }
  }
  return L.nothing;
};
const shortenFields = (group, fields, owner, expiry) => {
  let isShorter = false;
  for (const [_, field] of L.ipairs(fields)) {
    let name = expiryField(field, owner)[0];
    if (L.tonumber(...L.redis.call('HGET', group, name))[0] > expiry) {
      L.redis.call('HSET', group, name, ...L.string.format('%.0f', expiry));
      isShorter = true;
    }
  }
  return [isShorter];
};
const keepGroup = (group, lease) => {
  let left = L.redis.call('PTTL', group)[0];
  if (left !== -1) {
    L.redis.call('PEXPIRE', group, ...L.math.max(left, lease));
  }
  return L.nothing;
};
const dropField = (group, field, owner) => {
  let isHolder = ofWhatIsLeft(...L.redis.pcall('HGET', group, field))[0] === owner;
  let names = L.tableOf([
    expiryField(field, owner)[0],
    countField(field, owner)[0],
    L.or(
      L.and(isHolder, () => field),
      () => undefined,
    ),
  ]);
  ofWhatIsLeft(...L.redis.pcall('HDEL', group, ...L.unpack(names)));
  return [isHolder];
};

// kinds/limit/shared/places.lua
let FIRST_PLACE = -9000000000000;
let LAST_PLACE = -5000000000000;
const hasPlace = (permits, owner) => {
  return [
    L.or(
      L.and(L.redis.call('ZSCORE', permits, 'place ' + L.text(owner))[0], () => true),
      () => false,
    ),
  ];
};
const removePlace = (permits, owner) => {
  return [L.redis.call('ZREM', permits, 'place ' + L.text(owner), 'until ' + L.text(owner))[0] > 0];
};
const keepPlace = (permits, owner, slot, now) => {
  L.redis.call('PEXPIRE', permits, ...L.math.max(L.redis.call('PTTL', permits)[0], slot));
  L.redis.call('ZADD', permits, -(L.number(now) + L.number(slot)), 'until ' + L.text(owner));
  return L.nothing;
};
const addPlace = (permits, owner, slot, now) => {
  let places = L.redis.call('ZCOUNT', permits, '-inf', LAST_PLACE)[0];
  let place = FIRST_PLACE;
  if (places > 0) {
    let last = L.number(L.redis.call('ZCARD', permits)[0]) - L.number(places);
    place = L.number(L.tonumber(L.get(L.redis.call('ZREVRANGE', permits, last, last, 'WITHSCORES')[0], 2))[0]) + 1;
  }
  L.redis.call('ZADD', permits, place, 'place ' + L.text(owner));
  keepPlace(permits, owner, slot, now);
  return L.nothing;
};
const headOf2 = (permits, now) => {
  let purged = false;
  while (true) {
    let first = L.get(L.redis.call('ZRANGEBYSCORE', permits, '-inf', LAST_PLACE, 'LIMIT', 0, 1)[0], 1);
    if (!L.isTrue(first)) {
      return [undefined, undefined, purged];
    }
    let owner = L.string.sub(first, L.length('place ') + 1)[0];
    let left =
      -L.number(L.tonumber(L.or(L.redis.call('ZSCORE', permits, 'until ' + L.text(owner))[0], () => '0'))[0]) -
      L.number(now);
    if (left > 0) {
      return [owner, left, purged];
    }
    removePlace(permits, owner);
    purged = true;
  }
  return L.nothing;
};
const tellNext2 = (head, channel, turns, publish) => {
  L.redis.pcall(
    publish,
    L.or(
      L.and(head, () => L.text(turns) + (':' + L.text(head))),
      () => channel,
    ),
    '0',
  );
  return L.nothing;
};

// kinds/inspection/shared/inspected.lua
const textUnder = (key) => {
  let text = L.redis.pcall('GET', key)[0];
  if (L.type(text)[0] === 'string') {
    return [L.tableOf([], [['text', text]])];
  }
  if (!L.isTrue(text)) {
    return [undefined];
  }
  let found = L.redis.pcall('TYPE', key)[0];
  return [
    L.or(
      L.and(L.get(found, 'ok'), () => L.tableOf([], [['type', L.get(found, 'ok')]])),
      () => undefined,
    ),
  ];
};
const membersOf = (key, least, most) => {
  let count = L.redis.pcall('ZCOUNT', key, least, '+inf')[0];
  if (L.type(count)[0] !== 'number') {
    let found = L.redis.pcall('TYPE', key)[0];
    return [
      L.tableOf(
        [],
        [
          ['type', L.get(found, 'ok')],
          ['count', 0],
          ['members', L.tableOf([])],
        ],
      ),
    ];
  }
  return [
    L.tableOf(
      [],
      [
        ['count', count],
        ['members', L.redis.call('ZRANGEBYSCORE', key, least, '+inf', 'LIMIT', 0, most)[0]],
      ],
    ),
  ];
};

// kinds/inspection/shared/places-in-line.lua
const placesIn = (queue, deadlines, now, most) => {
  let waiters = L.redis.pcall('LRANGE', queue, 0, L.number(most) - 1)[0];
  if (L.isTrue(L.get(waiters, 'err'))) {
    let found = L.redis.pcall('TYPE', queue)[0];
    return [
      L.tableOf(
        [],
        [
          ['type', L.get(found, 'ok')],
          ['count', 0],
          ['members', L.tableOf([])],
        ],
      ),
    ];
  }
  let alive = L.tableOf([]);
  for (const [_, waiter] of L.ipairs(waiters)) {
    let deadline = L.redis.pcall('ZSCORE', deadlines, waiter)[0];
    if (L.type(deadline)[0] !== 'string' || L.tonumber(deadline)[0] > now) {
      L.set(alive, L.length(alive) + 1, waiter);
    }
  }
  let all = L.or(
    L.and(L.length(waiters) < most, () => 0),
    () => L.redis.pcall('ZCARD', deadlines)[0],
  );
  return [
    L.tableOf(
      [],
      [
        [
          'count',
          L.math.max(
            L.length(alive),
            L.or(L.tonumber(all)[0], () => 0),
          )[0],
        ],
        ['members', alive],
      ],
    ),
  ];
};

// kinds/shared/elsewhere.lua
const isElsewhere = (lock, key) => {
  return [L.type(...L.redis.pcall('EXISTS', lock, key))[0] === 'table'];
};

// kinds/read-write/shared/waiting-writers.lua
const writersKey = (lock, stem) => {
  return [
    L.text(stem) +
      (L.text(
        L.or(
          L.and(L.string.find(lock, '{', 1, true)[0], () => ':'),
          () => '',
        ),
      ) +
        'rwlock_writers'),
  ];
};
const announceWriter = (lock, stem, writer, now, slot) => {
  let key = writersKey(lock, stem)[0];
  if (L.isTrue(isElsewhere(lock, key)[0])) {
    return [];
  }
  L.redis.pcall('ZREMRANGEBYSCORE', key, '-inf', now);
  L.redis.pcall('ZADD', key, L.number(now) + L.number(slot), writer);
  let left = L.redis.pcall('PTTL', key)[0];
  L.redis.pcall(
    'PEXPIRE',
    key,
    ...L.math.max(
      L.or(
        L.and(L.type(left)[0] === 'number', () => left),
        () => 0,
      ),
      slot,
    ),
  );
  return L.nothing;
};
const waitingWriter = (lock, stem, now) => {
  let last = L.redis.pcall('ZREVRANGE', writersKey(lock, stem)[0], 0, 0, 'WITHSCORES')[0];
  let remaining = L.or(
    L.and(L.get(last, 1), () => L.number(L.tonumber(L.get(last, 2))[0]) - L.number(now)),
    () => 0,
  );
  if (remaining > 0) {
    return [L.get(last, 1), remaining];
  }
  return [undefined];
};

// kinds/permits/shared/no-deadline.lua
let NO_DEADLINE = 922337203685477;

// kinds/limit/shared/stored-limit.lua
const storedLimit = (permits) => {
  let found = L.get(L.redis.call('TYPE', permits)[0], 'ok');
  if (found === 'none') {
    return [0];
  }
  if (found !== 'zset') {
    return [undefined, found];
  }
  let limit = L.redis.call('ZSCORE', permits, 'limit')[0];
  if (!L.isTrue(limit)) {
    return [undefined, 'zset that is no limit'];
  }
  return L.tonumber(limit);
};

// kinds/limit/shared/permits-in-use.lua
const permitsInUse = (permits, now) => {
  return L.redis.call('ZCOUNT', permits, '(' + L.text(now), '+inf');
};

// kinds/limit/shared/holds-permit.lua
const holdsPermit = (permits, owner, now) => {
  if (L.get(L.redis.call('TYPE', permits)[0], 'ok') !== 'zset') {
    return [false];
  }
  let deadline = L.redis.call('ZSCORE', permits, owner)[0];
  return [
    L.or(
      L.and(deadline, () => L.tonumber(deadline)[0] > now),
      () => false,
    ),
  ];
};

// kinds/limit/shared/take-permit.lua
const takePermit = (permits, owner, lease, limit, inUse, now) => {
  L.redis.call('ZADD', permits, L.number(now) + L.number(lease), owner, limit, 'limit');
  let limited = L.redis.pcall('PEXPIRE', permits, ...L.math.max(L.redis.call('PTTL', permits)[0], lease))[0];
  if (L.type(limited)[0] === 'table') {
    L.redis.call('ZREM', permits, owner);
    if (inUse === 0) {
      L.redis.call('DEL', permits);
    }
    return [limited];
  }
  L.redis.call('ZREMRANGEBYSCORE', permits, 2147483648, now);
  return L.nothing;
};

// kinds/limit/shared/numbers.lua
let LEAST_NUMBER = -2147483648;
const takeNumber = (permits, owner, now) => {
  let own = L.redis.call('ZSCORE', permits, 'number ' + L.text(owner))[0];
  if (L.isTrue(own)) {
    return [-1 - L.number(L.tonumber(own)[0])];
  }
  let taken = L.tableOf([]);
  let marks = L.redis.call('ZRANGEBYSCORE', permits, LEAST_NUMBER, -1, 'WITHSCORES')[0];
  for (let i = 1, $1 = L.length(marks); i <= $1; i += 2) {
    let deadline = L.redis.call('ZSCORE', permits, ...L.string.sub(L.get(marks, i), L.length('number ') + 1))[0];
    if (L.isTrue(deadline) && L.tonumber(deadline)[0] > now) {
      L.set(taken, -1 - L.number(L.tonumber(L.get(marks, L.number(i) + 1))[0]), true);
    } else {
      L.redis.call('ZREM', permits, L.get(marks, i));
    }
  }
  let number = 0;
  while (L.isTrue(L.get(taken, number))) {
    number = L.number(number) + 1;
  }
  L.redis.call('ZADD', permits, -1 - L.number(number), 'number ' + L.text(owner));
  return [number];
};

// kinds/limit/shared/keep-permit.lua
const keepPermit = (permits, owner, lease, now) => {
  L.redis.call('PEXPIRE', permits, ...L.math.max(L.redis.call('PTTL', permits)[0], lease));
  L.redis.call('ZADD', permits, 'XX', L.number(now) + L.number(lease), owner);
  return L.nothing;
};

// kinds/shared/set-lease.lua
const setLease = (lock, lease, channel, publish, entries) => {
  let before = L.redis.call('PTTL', lock)[0];
  L.redis.call('PEXPIRE', lock, lease);
  if (entries !== '' && L.redis.pcall('EXISTS', entries)[0] !== 1) {
    return [];
  }
  tellShorter(before, lease, channel, publish);
  return L.nothing;
};

// kinds/shared/waiting-entry.lua
let ENTRIES_LAST = 60000;
const partsOf = (entry) => {
  return L.string.match(entry, '^((.+):%d+) (%d+) (%d+)$');
};
const addEntry = (waiters, entry) => {
  let time = L.redis.call('TIME')[0];
  L.redis.pcall(
    'ZADD',
    waiters,
    'NX',
    L.text(L.get(time, 1)) + L.text(L.string.format('%06d', L.get(time, 2))[0]),
    entry,
  );
  L.redis.pcall('PEXPIRE', waiters, ENTRIES_LAST);
  return L.nothing;
};

// kinds/shared/pass-on.lua
let FRESH = 100;
let OTHERS_LOOK = 5000;
const grant = (lock, entry, arrived, channel, publish, now) => {
  let [owner, client, lease, first] = partsOf(entry);
  let own = L.and(owner, () => ownChannel(lock, channel, client)[0]);
  if (!L.isTrue(owner) || L.or(listeners(own, publish)[0], () => 0) === 0) {
    return [false];
  }
  let granted = L.or(
    L.and(L.number(now) - L.number(arrived) / 1000 <= FRESH, () => lease),
    () => first,
  );
  if (L.isTrue(takeLock(lock, owner, granted)[0])) {
    return [false];
  }
  L.redis.pcall(publish, own, L.text(owner) + (' ' + (L.text(granted) + (' ' + L.text(now)))));
  if (granted === first || L.tonumber(granted)[0] < OTHERS_LOOK) {
    L.redis.pcall(publish, channel, granted);
  }
  return [true];
};
const passOn = (lock, waiters, channel, publish, again, now) => {
  if (L.or(others(lock, channel, publish)[0], () => 1) > 0) {
    return [undefined];
  }
  for (let _ = 1, $1 = L.number(L.or(L.tonumber(...L.redis.pcall('ZCARD', waiters))[0], () => 0)); _ <= $1; _ += 1) {
    let first = L.redis.call('ZPOPMIN', waiters)[0];
    if (L.isTrue(grant(lock, L.get(first, 1), L.get(first, 2), channel, publish, now)[0])) {
      if (again !== '') {
        addEntry(waiters, again);
      }
      return ['passed-on'];
    }
  }
  if (again === '' || L.isTrue(isElsewhere(lock, waiters)[0])) {
    return [undefined];
  }
  let [owner, _, lease] = partsOf(again);
  return [
    L.or(
      L.and(!L.isTrue(takeLock(lock, owner, lease)[0]), () => 'kept'),
      () => undefined,
    ),
  ];
};

// kinds/permits/shared/permit-pool.lua
const permitPool = (permits, deadlines) => {
  let [available, found] = countUnder(permits);
  if (!L.isTrue(available)) {
    return [undefined, 'wrong-type', found];
  }
  let kind = L.get(L.redis.call('TYPE', deadlines)[0], 'ok');
  if (kind !== 'none' && kind !== 'zset') {
    return [undefined, 'wrong-deadlines', kind];
  }
  return [
    L.tableOf(
      [],
      [
        ['isSet', found !== 'none'],
        ['available', available],
        ['out', L.redis.call('ZCARD', deadlines)[0]],
      ],
    ),
  ];
};

// kinds/permits/shared/sweep-permits.lua
const sweepPermits = (permits, deadlines, channel, publish, now, limit) => {
  let swept = 0;
  if (L.isTrue(limit)) {
    for (const [_, permit] of L.ipairs(L.redis.call('ZRANGEBYSCORE', deadlines, 0, now, 'LIMIT', 0, limit)[0])) {
      swept = L.number(swept) + L.number(L.redis.call('ZREM', deadlines, permit)[0]);
    }
  } else {
    swept = L.redis.call('ZREMRANGEBYSCORE', deadlines, 0, now)[0];
  }
  if (swept > 0) {
    let available = L.redis.call('INCRBY', permits, swept)[0];
    if (available > 0) {
      L.redis.pcall(publish, channel, available);
    }
  }
  return [swept];
};

// kinds/read-write/shared/read-write-mode.lua
const modeField = (lock) => {
  let mode = L.redis.pcall('HGET', lock, 'mode')[0];
  if (L.type(mode)[0] === 'table') {
    mode = L.and(!L.isTrue(foreignType(lock)[0]), () => L.redis.call('HGET', lock, 'mode')[0]);
  }
  return [
    L.or(
      L.and(
        L.or(mode === 'read', () => mode === 'write'),
        () => mode,
      ),
      () => undefined,
    ),
  ];
};

// kinds/read-write/shared/read-write-state.lua
const ownerIn = (field) => {
  if (L.isTrue(isOwner(field)[0])) {
    return [field];
  }
  let owner = L.string.gsub(field, ':write', '', 1)[0];
  return [
    L.or(
      L.and(isOwner(owner)[0], () => owner),
      () => undefined,
    ),
  ];
};
const modeOf = (lock) => {
  let foreign = 'hash that is no lock of this kind';
  let mode = modeField(lock)[0];
  if (!L.isTrue(mode)) {
    let found = L.get(L.redis.call('TYPE', lock)[0], 'ok');
    if (found === 'none') {
      return [''];
    }
    return [
      undefined,
      L.or(
        L.and(found === 'hash', () => foreign),
        () => found,
      ),
    ];
  }
  let some = L.redis.call('HRANDFIELD', lock, 4, 'WITHVALUES')[0];
  let holder;
  for (let i = 1, $1 = L.length(some); i <= $1; i += 2) {
    if (L.get(some, i) !== 'mode') {
      let owner = ownerIn(L.get(some, i))[0];
      if (!L.isTrue(owner) || !L.isTrue(countIn(L.get(some, L.number(i) + 1))[0])) {
        return [undefined, foreign];
      }
      holder = L.or(holder, () => owner);
    }
  }
  if (!L.isTrue(holder) || (mode === 'write' && L.length(some) > 6)) {
    return [undefined, foreign];
  }
  return [mode, holder];
};

// kinds/read-write/shared/read-timeouts.lua
const timeoutKey = (stem, owner, n) => {
  return [L.text(stem) + (L.text(owner) + (':rwlock_timeout:' + L.text(n)))];
};
const keepRead = (lock, stem, owner, n, lease, isNew) => {
  let key = timeoutKey(stem, owner, n)[0];
  if (!L.isTrue(isNew)) {
    if (L.redis.pcall('PEXPIRE', key, lease)[0] === 1) {
      return [true];
    }
    if (L.isTrue(isElsewhere(lock, key)[0])) {
      return [false];
    }
  }
  let kept = L.redis.pcall('SET', key, '1', 'PX', lease)[0];
  if (!L.isTrue(L.get(kept, 'err'))) {
    return [true];
  }
  if (L.isTrue(isElsewhere(lock, key)[0])) {
    return [false];
  }
  return L.redis.call('SET', key, '1', 'PX', lease);
};
const dropRead = (lock, stem, owner, n) => {
  let key = timeoutKey(stem, owner, n)[0];
  let dropped = L.redis.pcall('DEL', key)[0];
  if (L.type(dropped)[0] === 'table' && !L.isTrue(isElsewhere(lock, key)[0])) {
    L.redis.call('DEL', key);
  }
  return L.nothing;
};
const longestRead = (lock, stem, owner, count) => {
  let longest = -2;
  for (let n = 1, $1 = L.number(count); n <= $1; n += 1) {
    let key = timeoutKey(stem, owner, n)[0];
    let left = L.redis.pcall('PTTL', key)[0];
    if ((left === -2 || L.type(left)[0] === 'table') && L.isTrue(isElsewhere(lock, key)[0])) {
      left = L.redis.call('PTTL', lock)[0];
    }
    if (L.type(left)[0] === 'table') {
      left = L.redis.call('PTTL', key)[0];
    }
    longest = L.math.max(longest, left)[0];
  }
  return [longest];
};
const longestOfAll = (lock, stem) => {
  let longest = -2;
  let fields = L.redis.call('HGETALL', lock)[0];
  for (let i = 1, $2 = L.length(fields); i <= $2; i += 2) {
    let reads = L.or(
      L.and(isOwner(L.get(fields, i))[0], () => countIn(L.get(fields, L.number(i) + 1))[0]),
      () => 0,
    );
    longest = L.math.max(longest, ...longestRead(lock, stem, L.get(fields, i), reads))[0];
  }
  return [longest];
};

// kinds/read-write/shared/free-read-write.lua
const freeReadWrite = (lock) => {
  let [ours, theirs] = [L.tableOf(['mode']), 0];
  for (const [_, field] of L.ipairs(L.redis.call('HKEYS', lock)[0])) {
    if (L.isTrue(ownerIn(field)[0])) {
      L.set(ours, L.length(ours) + 1, field);
    } else if (field !== 'mode') {
      theirs = L.number(theirs) + 1;
    }
  }
  if (theirs === 0) {
    L.redis.call('DEL', lock);
    return [];
  }
  for (const [_, field] of L.ipairs(ours)) {
    L.redis.call('HDEL', lock, field);
  }
  L.redis.call('PERSIST', lock);
  return L.nothing;
};

// kinds/read-write/shared/read-count.lua
const readCount = (lock, owner) => {
  if (!L.isTrue(modeField(lock)[0])) {
    return [0];
  }
  return L.tonumber(L.or(L.redis.call('HGET', lock, owner)[0], () => '0'));
};

// kinds/read-write/shared/write-count.lua
const writeCount = (lock, owner) => {
  if (modeField(lock)[0] !== 'write') {
    return [0];
  }
  return L.tonumber(L.or(L.redis.call('HGET', lock, L.text(owner) + ':write')[0], () => '0'));
};

// kinds/read-write/shared/other-readers.lua
const otherReaders = (lock, stem, owner) => {
  let [alive, dead] = [0, L.tableOf([])];
  let fields = L.redis.call('HGETALL', lock)[0];
  for (let i = 1, $1 = L.length(fields); i <= $1; i += 2) {
    let reader = L.get(fields, i);
    let reads = L.or(
      L.and(
        L.and(reader !== owner, () => isOwner(reader)[0]),
        () => countIn(L.get(fields, L.number(i) + 1))[0],
      ),
      () => 0,
    );
    if (reads > 0) {
      if (longestRead(lock, stem, reader, reads)[0] > 0) {
        alive = L.number(alive) + 1;
      } else {
        L.set(dead, L.length(dead) + 1, reader);
      }
    }
  }
  return [alive, dead];
};

// kinds/read-write/shared/keep-writing.lua
const keepWriting = (lock, stem, owner, lease) => {
  let reads = L.tonumber(L.or(L.redis.call('HGET', lock, owner)[0], () => '0'))[0];
  let kept = L.math.max(lease, ...longestRead(lock, stem, owner, reads))[0];
  L.redis.call('PEXPIRE', lock, kept);
  return [kept];
};

export const translated: Readonly<Record<string, L.TranslatedScript>> = {
  'replication/confirm-hold': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let field = L.get(ARGV, 1);
    let count = L.redis.call('HGET', lock, field)[0];
    if (!L.isTrue(count)) {
      return [L.tableOf(['lost'])];
    }
    L.redis.call('HSET', lock, field, count);
    return [L.tableOf(['held'])];
  },
  'replication/confirm-limit': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let deadline = L.redis.call('ZSCORE', permits, owner)[0];
    if (!L.isTrue(deadline)) {
      return [L.tableOf(['lost'])];
    }
    L.redis.call('ZREM', permits, owner);
    L.redis.call('ZADD', permits, deadline, owner);
    return [L.tableOf(['held'])];
  },
  'replication/confirm-marker': (KEYS, ARGV) => {
    let marker = L.get(KEYS, 1);
    let left = L.redis.call('PTTL', marker)[0];
    if (left < 0) {
      return [L.tableOf(['lost'])];
    }
    L.redis.call('PEXPIRE', marker, ...L.math.max(1, left));
    return [L.tableOf(['held'])];
  },
  'replication/confirm-permits': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let deadlines = L.get(KEYS, 2);
    let id = L.get(ARGV, 1);
    if (L.redis.call('EXISTS', permits)[0] === 0) {
      return [L.tableOf(['lost'])];
    }
    if (id !== '' && !L.isTrue(L.redis.call('ZSCORE', deadlines, ...fromHex(id))[0])) {
      return [L.tableOf(['lost'])];
    }
    L.redis.call('INCRBY', permits, 0);
    return [L.tableOf(['held'])];
  },
  'counter/count-down': (KEYS, ARGV) => {
    let latch = L.get(KEYS, 1);
    let marker = L.get(KEYS, 2);
    let channel = L.get(ARGV, 1);
    let publish = L.get(ARGV, 2);
    let keep = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let [now, answer, count, found] = answerOnce(latch, marker, notAfter);
    if (L.isTrue(answer)) {
      return [answer];
    }
    L.redis.call('DEL', marker);
    let outcome = L.or(
      L.and(found === 'none', () => 'open'),
      () => 'counted',
    );
    L.redis.call('SET', marker, outcome, 'PX', keep);
    if (count > 1) {
      L.redis.call('DECR', latch);
    } else {
      L.redis.call('DEL', latch);
    }
    if (count === 1) {
      L.redis.pcall(publish, channel, '0');
    }
    return [L.tableOf([outcome, '', now])];
  },
  'counter/delete': (KEYS, ARGV) => {
    let counter = L.get(KEYS, 1);
    let marker = L.get(KEYS, 2);
    let channel = L.get(ARGV, 1);
    let publish = L.get(ARGV, 2);
    let message = L.get(ARGV, 3);
    let keep = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 5))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let [now, answer] = answerOnce(counter, marker, notAfter);
    if (L.isTrue(answer)) {
      return [answer];
    }
    let outcome = L.or(
      L.and(L.redis.call('DEL', counter)[0] === 1, () => 'deleted'),
      () => 'none',
    );
    L.redis.call('SET', marker, outcome, 'PX', keep);
    if (outcome === 'deleted' && message !== '') {
      L.redis.pcall(publish, channel, message);
    }
    return [L.tableOf([outcome, '', now])];
  },
  'counter/expire': (KEYS, ARGV) => {
    let counter = L.get(KEYS, 1);
    let marker = L.get(KEYS, 2);
    let ttl = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(ttl)) {
      return L.redis.error_reply('ERR argument ttl is not a number');
    }
    let keep = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let [now, answer] = answerOnce(counter, marker, notAfter);
    if (L.isTrue(answer)) {
      return [answer];
    }
    let changed;
    if (ttl > 0) {
      changed = L.redis.call('PEXPIRE', counter, ttl)[0];
    } else {
      changed = L.redis.call('PERSIST', counter)[0];
    }
    let outcome = L.or(
      L.and(changed === 1, () => 'changed'),
      () => 'unchanged',
    );
    L.redis.call('SET', marker, outcome, 'PX', keep);
    return [L.tableOf([outcome, '', now])];
  },
  'counter/forget': (KEYS, ARGV) => {
    let marker = L.get(KEYS, 1);
    return [L.tableOf([...L.redis.call('DEL', marker)])];
  },
  'counter/inspect': (KEYS, ARGV) => {
    let counter = L.get(KEYS, 1);
    let [count, found] = countUnder(counter);
    if (!L.isTrue(count)) {
      return [L.tableOf(['wrong-type', found, '0', -1])];
    }
    return [
      L.tableOf([
        L.or(
          L.and(found === 'none', () => 'none'),
          () => 'set',
        ),
        '',
        L.string.format('%.0f', count)[0],
        ...L.redis.call('PTTL', counter),
      ]),
    ];
  },
  'counter/try-set': (KEYS, ARGV) => {
    let counter = L.get(KEYS, 1);
    let marker = L.get(KEYS, 2);
    let count = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(count)) {
      return L.redis.error_reply('ERR argument count is not a number');
    }
    let ttl = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(ttl)) {
      return L.redis.error_reply('ERR argument ttl is not a number');
    }
    let channel = L.get(ARGV, 3);
    let publish = L.get(ARGV, 4);
    let message = L.get(ARGV, 5);
    let keep = L.tonumber(L.get(ARGV, 6))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 7))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let [now, answer, _, found] = answerOnce(counter, marker, notAfter);
    if (L.isTrue(answer)) {
      return [answer];
    }
    let outcome = L.or(
      L.and(found === 'none', () => 'set'),
      () => 'exists',
    );
    L.redis.call('SET', marker, outcome, 'PX', keep);
    if (outcome === 'exists') {
      return [L.tableOf([outcome, '', now])];
    }
    if (ttl > 0) {
      L.redis.call('SET', counter, count, 'PX', ttl);
    } else {
      L.redis.call('SET', counter, count);
    }
    L.redis.pcall(publish, channel, message);
    return [L.tableOf([outcome, '', now])];
  },
  'semaphore/add': (KEYS, ARGV) => {
    let semaphore = L.get(KEYS, 1);
    let marker = L.get(KEYS, 2);
    let delta = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(delta)) {
      return L.redis.error_reply('ERR argument delta is not a number');
    }
    let most = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(most)) {
      return L.redis.error_reply('ERR argument most is not a number');
    }
    let channel = L.get(ARGV, 3);
    let publish = L.get(ARGV, 4);
    let keep = L.tonumber(L.get(ARGV, 5))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 6))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let [now, answer, available] = answerOnce(semaphore, marker, notAfter);
    if (L.isTrue(answer)) {
      L.set(
        answer,
        4,
        L.or(available, () => 0),
      );
      return [answer];
    }
    if (L.math.abs(L.number(available) + L.number(delta))[0] > most) {
      return [L.tableOf(['too-many', '', now, available])];
    }
    L.redis.call('SET', marker, 'added', 'PX', keep);
    available = L.number(available) + L.number(delta);
    L.redis.call('SET', semaphore, available);
    if (available >= 0) {
      L.redis.pcall(publish, channel, available);
    }
    return [L.tableOf(['added', '', now, available])];
  },
  'semaphore/drain': (KEYS, ARGV) => {
    let semaphore = L.get(KEYS, 1);
    let marker = L.get(KEYS, 2);
    let keep = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now, 0])];
    }
    let [available, found] = countUnder(semaphore);
    if (!L.isTrue(available)) {
      return [L.tableOf(['wrong-type', found, now, 0])];
    }
    let drained = L.redis.call('GET', marker)[0];
    if (L.isTrue(drained)) {
      return [L.tableOf(['taken', '', now, ...L.tonumber(drained)])];
    }
    if (found === 'none') {
      return [L.tableOf(['not-set', '', now, 0])];
    }
    L.redis.call('SET', marker, available, 'PX', keep);
    L.redis.call('SET', semaphore, 0);
    return [L.tableOf(['taken', '', now, available])];
  },
  'semaphore/release': (KEYS, ARGV) => {
    let semaphore = L.get(KEYS, 1);
    let marker = L.get(KEYS, 2);
    let permits = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(permits)) {
      return L.redis.error_reply('ERR argument permits is not a number');
    }
    let most = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(most)) {
      return L.redis.error_reply('ERR argument most is not a number');
    }
    let create = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(create)) {
      return L.redis.error_reply('ERR argument create is not a number');
    }
    let channel = L.get(ARGV, 4);
    let publish = L.get(ARGV, 5);
    let keep = L.tonumber(L.get(ARGV, 6))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 7))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let [now, answer, available, found] = answerOnce(semaphore, marker, notAfter);
    if (L.isTrue(answer)) {
      L.set(
        answer,
        4,
        L.or(available, () => 0),
      );
      return [answer];
    }
    if (L.number(available) + L.number(permits) > most) {
      return [L.tableOf(['too-many', '', now, available])];
    }
    L.redis.call('DEL', marker);
    let outcome = L.or(
      L.and(
        L.and(found === 'none', () => create === 0),
        () => 'not-set',
      ),
      () => 'released',
    );
    L.redis.call('SET', marker, outcome, 'PX', keep);
    if (outcome === 'not-set') {
      return [L.tableOf([outcome, '', now, 0])];
    }
    available = L.redis.call('INCRBY', semaphore, permits)[0];
    if (available >= 0) {
      L.redis.pcall(publish, channel, available);
    }
    return [L.tableOf([outcome, '', now, available])];
  },
  'semaphore/take': (KEYS, ARGV) => {
    let semaphore = L.get(KEYS, 1);
    let marker = L.get(KEYS, 2);
    let permits = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(permits)) {
      return L.redis.error_reply('ERR argument permits is not a number');
    }
    let keep = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now, 0])];
    }
    let [available, found] = countUnder(semaphore);
    if (!L.isTrue(available)) {
      return [L.tableOf(['wrong-type', found, now, 0])];
    }
    if (L.redis.call('EXISTS', marker)[0] === 1) {
      return [L.tableOf(['taken', '', now, available])];
    }
    if (found === 'none') {
      return [L.tableOf(['not-set', '', now, 0])];
    }
    if (available < permits) {
      return [L.tableOf(['too-few', '', now, available])];
    }
    L.redis.call('SET', marker, permits, 'PX', keep);
    return [L.tableOf(['taken', '', now, ...L.redis.call('DECRBY', semaphore, permits)])];
  },
  'semaphore/undo': (KEYS, ARGV) => {
    let semaphore = L.get(KEYS, 1);
    let marker = L.get(KEYS, 2);
    let channel = L.get(ARGV, 1);
    let publish = L.get(ARGV, 2);
    let now = serverNow()[0];
    let taken = L.redis.call('GET', marker)[0];
    if (!L.isTrue(taken)) {
      return [L.tableOf(['nothing', now])];
    }
    let [available, found] = countUnder(semaphore);
    L.redis.call('DEL', marker);
    if (!L.isTrue(available) || found === 'none') {
      return [L.tableOf(['nothing', now])];
    }
    available = L.redis.call('INCRBY', semaphore, taken)[0];
    if (available >= 0) {
      L.redis.pcall(publish, channel, available);
    }
    return [L.tableOf(['undone', now])];
  },
  'deadlock/drop': (KEYS, ARGV) => {
    let blocked = L.get(KEYS, 1);
    let text = L.get(ARGV, 1);
    let now = serverNow()[0];
    L.redis.call('ZREMRANGEBYSCORE', blocked, '-inf', now);
    L.redis.call('ZREM', blocked, text);
    return [L.tableOf(['dropped', now])];
  },
  'deadlock/find': (KEYS, ARGV) => {
    let blocked = L.get(KEYS, 1);
    let most = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(most)) {
      return L.redis.error_reply('ERR argument most is not a number');
    }
    let now = serverNow()[0];
    let reply = L.redis.call('ZRANGEBYSCORE', blocked, '(' + L.text(now), '+inf', 'WITHSCORES', 'LIMIT', 0, most)[0];
    L.table.insert(reply, 1, now);
    L.table.insert(reply, 1, 'found');
    return [reply];
  },
  'deadlock/keep': (KEYS, ARGV) => {
    let blocked = L.get(KEYS, 1);
    let text = L.get(ARGV, 1);
    let ms = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(ms)) {
      return L.redis.error_reply('ERR argument ms is not a number');
    }
    let now = serverNow()[0];
    L.redis.call('ZREMRANGEBYSCORE', blocked, '-inf', now);
    L.redis.call('ZADD', blocked, L.number(now) + L.number(ms), text);
    L.redis.call(
      'PEXPIRE',
      blocked,
      L.number(L.get(L.redis.call('ZREVRANGE', blocked, 0, 0, 'WITHSCORES')[0], 2)) - L.number(now),
    );
    return [L.tableOf(['kept', now])];
  },
  'fair-lock/acquire': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let queue = L.get(KEYS, 2);
    let deadlines = L.get(KEYS, 3);
    let owner = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let channel = L.get(ARGV, 3);
    let publish = L.get(ARGV, 4);
    let notAfter = L.tonumber(L.get(ARGV, 5))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, '', now, ''])];
    }
    let [foreign, found] = foreignKey(queue, deadlines);
    if (L.isTrue(foreign)) {
      return [L.tableOf(['wrong-type', 0, found, now, foreign])];
    }
    let [head, deadline, isNewHead] = purgeQueue(queue, deadlines, now);
    if (L.redis.call('EXISTS', lock)[0] === 0) {
      if (!L.isTrue(head)) {
        return [L.or(takeLock(lock, owner, lease)[0], () => L.tableOf(['acquired', lease, '', now, '']))];
      }
      if (L.isTrue(isNewHead)) {
        tellHead(head, channel, publish);
      }
      return [
        L.tableOf([
          'reserved',
          L.or(
            L.and(deadline, () => L.math.ceil(L.number(deadline) - L.number(now))[0]),
            () => -1,
          ),
          head,
          now,
          '',
        ]),
      ];
    }
    let [holder, kind] = soleHold(lock);
    if (!L.isTrue(holder)) {
      return [L.tableOf(['wrong-type', 0, kind, now, lock])];
    }
    if (holder !== owner) {
      return [L.tableOf(['busy', L.redis.call('PTTL', lock)[0], holder, now, ''])];
    }
    L.redis.call('PEXPIRE', lock, lease);
    return [L.tableOf(['acquired', lease, '', now, ''])];
  },
  'fair-lock/attach': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let queue = L.get(KEYS, 2);
    let deadlines = L.get(KEYS, 3);
    let from = L.get(ARGV, 1);
    let to = L.get(ARGV, 2);
    let lease = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let channel = L.get(ARGV, 4);
    let publish = L.get(ARGV, 5);
    let notAfter = L.tonumber(L.get(ARGV, 6))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    const keep = () => {
      setFairLease(lock, queue, deadlines, lease, channel, publish, now);
      return L.nothing;
    };
    return [L.tableOf([takeOver(lock, from, to, lease, keep)[0], now])];
  },
  'fair-lock/detach': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let queue = L.get(KEYS, 2);
    let deadlines = L.get(KEYS, 3);
    let from = L.get(ARGV, 1);
    let to = L.get(ARGV, 2);
    let lease = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let channel = L.get(ARGV, 4);
    let publish = L.get(ARGV, 5);
    let notAfter = L.tonumber(L.get(ARGV, 6))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    const keep = () => {
      setFairLease(lock, queue, deadlines, lease, channel, publish, now);
      return L.nothing;
    };
    return [L.tableOf([takeOver(lock, from, to, lease, keep)[0], now])];
  },
  'fair-lock/force-release': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let queue = L.get(KEYS, 2);
    let deadlines = L.get(KEYS, 3);
    let channel = L.get(ARGV, 1);
    let publish = L.get(ARGV, 2);
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now])];
    }
    let [holder, found] = soleHold(lock);
    if (!L.isTrue(holder)) {
      return [L.tableOf(['wrong-type', found, now])];
    }
    let head = L.and(!L.isTrue(foreignKey(queue, deadlines)[0]), () => purgeQueue(queue, deadlines, now)[0]);
    if (holder === '') {
      return [L.tableOf(['not-held', '', now])];
    }
    L.redis.call('DEL', lock);
    tellHead(head, channel, publish);
    return [L.tableOf(['released', '', now])];
  },
  'fair-lock/hold': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let queue = L.get(KEYS, 2);
    let deadlines = L.get(KEYS, 3);
    let owner = L.get(ARGV, 1);
    let count = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(count)) {
      return L.redis.error_reply('ERR argument count is not a number');
    }
    let lease = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let channel = L.get(ARGV, 4);
    let publish = L.get(ARGV, 5);
    let notAfter = L.tonumber(L.get(ARGV, 6))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    let held = holdCount(lock, owner)[0];
    if (held === 0) {
      return [L.tableOf(['lost', now])];
    }
    setFairLease(lock, queue, deadlines, lease, channel, publish, now);
    if (held !== count) {
      L.redis.call('HINCRBY', lock, owner, L.number(count) - L.number(held));
    }
    return [L.tableOf(['held', now])];
  },
  'fair-lock/keep': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let queue = L.get(KEYS, 2);
    let deadlines = L.get(KEYS, 3);
    let slot = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(slot)) {
      return L.redis.error_reply('ERR argument slot is not a number');
    }
    let channel = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let owners = L.tableOf([]);
    for (let i = 4, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(owners, L.number(i) - 3, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    let [reply, indexes] = [L.tableOf(['kept', now]), L.tableOf([])];
    for (const [i, owner] of L.ipairs(owners)) {
      L.set(reply, L.number(i) + 2, 0);
      L.set(indexes, owner, i);
    }
    if (L.isTrue(foreignKey(queue, deadlines)[0])) {
      return [reply];
    }
    let [head, deadline] = purgeQueue(queue, deadlines, now);
    deadline = endBookings(queue, deadlines, head, deadline, slot, now)[0];
    let hasEnd = onlyOurs(queue, deadlines)[0];
    let places = L.tableOf([]);
    if (L.isTrue(hasEnd)) {
      for (const [i, owner] of L.ipairs(owners)) {
        let before = L.tonumber(...L.redis.call('ZSCORE', deadlines, owner))[0];
        if (L.isTrue(before)) {
          L.set(reply, L.number(i) + 2, 1);
          L.set(
            places,
            L.length(places) + 1,
            L.tableOf([keptUntil(now, slot, now, ...firstLeaseIn(before))[0], owner]),
          );
        }
      }
    } else {
      if (L.isTrue(head) && !L.isTrue(deadline)) {
        L.set(places, 1, L.tableOf([L.number(now) + L.number(slot), head]));
      }
      let last = now;
      hasEnd = true;
      for (const [_, waiter] of L.ipairs(L.redis.call('LRANGE', queue, 0, -1)[0])) {
        let ours = isOurs(waiter)[0];
        hasEnd = L.and(hasEnd, () => ours);
        if (L.isTrue(L.get(indexes, waiter))) {
          let firstLease = firstLeaseIn(...L.tonumber(...L.redis.call('ZSCORE', deadlines, waiter)))[0];
          L.set(reply, L.number(L.get(indexes, waiter)) + 2, 1);
          L.set(places, L.length(places) + 1, L.tableOf([keptUntil(last, slot, now, firstLease)[0], waiter]));
        } else if (!L.isTrue(ours)) {
          last = behindJava(L.tonumber(...L.redis.call('ZSCORE', deadlines, waiter))[0], last)[0];
        }
      }
    }
    limitQueue(queue, deadlines, false, now);
    for (const [_, place] of L.ipairs(places)) {
      L.redis.call('ZADD', deadlines, L.get(place, 1), L.get(place, 2));
    }
    for (const [i, owner] of L.ipairs(owners)) {
      if (L.get(reply, L.number(i) + 2) === 0) {
        L.redis.call('ZREM', deadlines, owner);
      }
    }
    if (L.isTrue(hasEnd)) {
      limitQueue(queue, deadlines, true, now);
    }
    if (L.isTrue(head) && L.redis.call('EXISTS', lock)[0] === 0) {
      tellHead(head, channel, publish);
    }
    return [reply];
  },
  'fair-lock/leave': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let queue = L.get(KEYS, 2);
    let deadlines = L.get(KEYS, 3);
    let slot = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(slot)) {
      return L.redis.error_reply('ERR argument slot is not a number');
    }
    let channel = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let mayGrant = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(mayGrant)) {
      return L.redis.error_reply('ERR argument mayGrant is not a number');
    }
    let owners = L.tableOf([]);
    for (let i = 5, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(owners, L.number(i) - 4, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    let held = false;
    for (const [_, owner] of L.ipairs(owners)) {
      held = L.or(held, () => dropHold(lock, owner)[0]);
    }
    if (L.isTrue(foreignKey(queue, deadlines)[0])) {
      return [L.tableOf(['left', now])];
    }
    let isKnown = onlyOurs(queue, deadlines)[0];
    let head = L.redis.call('LINDEX', queue, 0)[0];
    let [hadHead, hadPlace, wasNext] = [false, false, false];
    let nextOwner = nextOfOurs(queue, deadlines, now)[0];
    for (const [_, owner] of L.ipairs(owners)) {
      if (!L.isTrue(head)) {
        break;
      }
      let lowered = countedOn(queue, owner)[0];
      let hadDeadline = L.redis.call('ZREM', deadlines, owner)[0] === 1;
      if (
        (L.isTrue(hadDeadline) || !L.isTrue(isKnown)) &&
        L.redis.call(
          'LREM',
          queue,
          L.or(
            L.and(isKnown, () => 1),
            () => 0,
          ),
          owner,
        )[0] > 0
      ) {
        const $2 = [true, L.or(hadHead, () => head === owner), L.or(wasNext, () => nextOwner === owner)];
        hadPlace = $2[0];
        hadHead = $2[1];
        wasNext = $2[2];
        head = headOf(queue)[0];
        if (L.isTrue(head)) {
          lower(deadlines, lowered, slot);
        }
      }
    }
    if (!L.isTrue(head)) {
      ofWhatIsLeft(...L.redis.pcall('DEL', deadlines));
    }
    if (L.isTrue(head) && L.isTrue(hadPlace)) {
      limitQueue(
        queue,
        deadlines,
        L.or(isKnown, () => areOurs(...L.redis.call('LRANGE', queue, 0, -1))[0]),
        now,
      );
    }
    if (L.isTrue(head) && (L.isTrue(held) || (L.isTrue(hadHead) && L.redis.call('EXISTS', lock)[0] === 0))) {
      let [nextHead, deadline] = purgeQueue(queue, deadlines, now);
      let isGiven = L.and(
        mayGrant === 1,
        () => giveToHead(lock, queue, deadlines, nextHead, deadline, channel, publish, now)[0],
      );
      if (!L.isTrue(isGiven)) {
        tellHead(nextHead, channel, publish);
      }
    } else if (L.isTrue(head) && L.isTrue(wasNext)) {
      tellNext(lock, queue, deadlines, channel, publish, L.redis.call('PTTL', lock)[0], now);
    }
    return [L.tableOf(['left', now])];
  },
  'fair-lock/queue': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let queue = L.get(KEYS, 2);
    let deadlines = L.get(KEYS, 3);
    let owner = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let slot = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(slot)) {
      return L.redis.error_reply('ERR argument slot is not a number');
    }
    let firstLease = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(firstLease)) {
      return L.redis.error_reply('ERR argument firstLease is not a number');
    }
    let channel = L.get(ARGV, 5);
    let publish = L.get(ARGV, 6);
    let notAfter = L.tonumber(L.get(ARGV, 7))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, '', now, '', 0])];
    }
    let [foreign, found] = foreignKey(queue, deadlines);
    if (L.isTrue(foreign)) {
      return [L.tableOf(['wrong-type', 0, found, now, foreign, 0])];
    }
    let [head, deadline, isNewHead] = purgeQueue(queue, deadlines, now);
    deadline = endBookings(queue, deadlines, head, deadline, slot, now)[0];
    let isFree = L.redis.call('EXISTS', lock)[0] === 0;
    if (L.isTrue(isFree) && (!L.isTrue(head) || head === owner)) {
      let refused = takeTurn(lock, queue, deadlines, owner, lease, slot, now)[0];
      if (L.isTrue(refused)) {
        return [refused];
      }
      tellNext(lock, queue, deadlines, channel, publish, lease, now);
      return [L.tableOf(['acquired', lease, '', now, '', 0])];
    }
    let [holder, kind] = ['', undefined];
    if (!L.isTrue(isFree)) {
      const $1 = soleHold(lock);
      holder = $1[0];
      kind = $1[1];
    }
    if (!L.isTrue(holder)) {
      return [L.tableOf(['wrong-type', 0, kind, now, lock, 0])];
    }
    if (holder === owner) {
      if (L.redis.call('PTTL', lock)[0] < lease) {
        L.redis.call('PEXPIRE', lock, lease);
      }
      return [L.tableOf(['acquired', lease, '', now, '', 0])];
    }
    let [outcome, isMixed] = ['waiting', true];
    let remaining = L.or(
      L.and(isFree, () => 0),
      () => L.redis.call('PTTL', lock)[0],
    );
    if (!L.isTrue(L.redis.call('ZSCORE', deadlines, owner)[0])) {
      outcome = 'queued';
      let isOwn = isOurs(owner)[0];
      let isKnown = L.and(isOwn, () => onlyOurs(queue, deadlines)[0]);
      let hasLease = L.and(
        !L.isTrue(isOwn),
        () =>
          !L.isTrue(
            L.redis.call(
              'LINDEX',
              queue,
              L.or(
                L.and(head === owner, () => 1),
                () => 0,
              ),
            )[0],
          ),
      );
      let last = L.or(
        L.and(hasLease, () => L.number(now) + L.number(L.math.max(remaining, 0)[0])),
        () => now,
      );
      for (const [_, waiter] of L.ipairs(
        L.or(
          L.and(isKnown, () => L.tableOf([])),
          () => L.redis.call('LRANGE', queue, 0, -1)[0],
        ),
      )) {
        if (waiter !== owner && !L.isTrue(isOurs(waiter)[0])) {
          last = behindJava(L.tonumber(...L.redis.call('ZSCORE', deadlines, waiter))[0], last)[0];
        }
      }
      L.redis.call(
        'ZADD',
        deadlines,
        L.or(
          L.and(isOwn, () => keptUntil(last, slot, now, firstLease)[0]),
          () => L.number(last) + L.number(slot),
        ),
        owner,
      );
      if (!L.isTrue(isKnown)) {
        L.redis.call('LREM', queue, 0, owner);
      }
      L.redis.call('RPUSH', queue, owner);
      isMixed = !(L.isTrue(isKnown) || L.isTrue(areOurs(...L.redis.call('LRANGE', queue, 0, -1))[0]));
      limitQueue(queue, deadlines, !L.isTrue(isMixed), now);
    }
    let mixed = L.or(
      L.and(isMixed, () => 1),
      () => 0,
    );
    if (L.isTrue(head) && !L.isTrue(deadline) && head !== owner) {
      deadline = L.number(now) + L.number(slot);
      L.redis.call('ZADD', deadlines, deadline, head);
    }
    if (!L.isTrue(isFree)) {
      return [L.tableOf([outcome, remaining, holder, now, L.or(head, () => owner), mixed])];
    }
    if (L.isTrue(isNewHead) || outcome === 'waiting') {
      tellHead(head, channel, publish);
    }
    return [L.tableOf([outcome, L.math.ceil(L.number(deadline) - L.number(now))[0], head, now, head, mixed])];
  },
  'fair-lock/release': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let queue = L.get(KEYS, 2);
    let deadlines = L.get(KEYS, 3);
    let owner = L.get(ARGV, 1);
    let channel = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let mayGrant = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(mayGrant)) {
      return L.redis.error_reply('ERR argument mayGrant is not a number');
    }
    let now = serverNow()[0];
    let head, deadline;
    if (!L.isTrue(foreignKey(queue, deadlines)[0])) {
      const $1 = purgeQueue(queue, deadlines, now);
      head = $1[0];
      deadline = $1[1];
    }
    let held = dropHold(lock, owner)[0];
    if (
      L.isTrue(held) &&
      mayGrant === 1 &&
      L.isTrue(giveToHead(lock, queue, deadlines, head, deadline, channel, publish, now)[0])
    ) {
      return [L.tableOf(['passed-on', now])];
    }
    if (L.isTrue(held) || L.redis.call('EXISTS', lock)[0] === 0) {
      tellHead(head, channel, publish);
    }
    return [
      L.tableOf([
        L.or(
          L.and(held, () => 'released'),
          () => 'not-held',
        ),
        now,
      ]),
    ];
  },
  'fenced-lock/acquire': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let token = L.get(KEYS, 2);
    let owner = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let fencing = L.get(ARGV, 4);
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, '', now, ''])];
    }
    let isFree = L.redis.call('EXISTS', lock)[0] === 0;
    if (!L.isTrue(isFree)) {
      let [holder, found] = soleHold(lock);
      if (!L.isTrue(holder)) {
        return [L.tableOf(['wrong-type', 0, found, now, ''])];
      }
      if (holder !== owner) {
        return [L.tableOf(['busy', L.redis.call('PTTL', lock)[0], holder, now, ''])];
      }
    }
    let [last, foreign] = lastToken(token);
    if (!L.isTrue(last)) {
      return [L.tableOf(['no-token', 0, foreign, now, ''])];
    }
    let [given, refused] = takeFencedLock(lock, token, last, owner, lease, fencing, isFree);
    return [
      L.or(
        L.and(given, () => L.tableOf(['acquired', lease, '', now, given])),
        () => refused,
      ),
    ];
  },
  'fenced-lock/current-token': (KEYS, ARGV) => {
    let token = L.get(KEYS, 1);
    let [last, found] = lastToken(token);
    if (!L.isTrue(last)) {
      return [L.tableOf(['no-token', found])];
    }
    return [L.tableOf(['token', last])];
  },
  'fenced-lock/replace': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let token = L.get(KEYS, 2);
    let owner = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let fencing = L.get(ARGV, 4);
    let asks = L.tonumber(L.get(ARGV, 5))[0];
    if (!L.isTrue(asks)) {
      return L.redis.error_reply('ERR argument asks is not a number');
    }
    let holders = L.get(ARGV, 6);
    let channel = L.get(ARGV, 7);
    let publish = L.get(ARGV, 8);
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, '', now, ''])];
    }
    let [holder, found] = soleHold(lock);
    if (!L.isTrue(holder)) {
      return [L.tableOf(['wrong-type', 0, found, now, ''])];
    }
    let isOther = L.and(holder !== '', () => holder !== owner);
    let remaining = L.redis.call('PTTL', lock)[0];
    if (L.isTrue(isOther) && asks === 1) {
      askToEnd(holder, holders, publish);
      return [L.tableOf(['busy', remaining, holder, now, ''])];
    }
    let [last, foreign] = lastToken(token);
    if (!L.isTrue(last)) {
      return [L.tableOf(['no-token', 0, foreign, now, ''])];
    }
    if (L.isTrue(isOther)) {
      dropForNewer(lock, holder, remaining, lease, holders, channel, publish);
    }
    let [given, refused] = takeFencedLock(lock, token, last, owner, lease, fencing, holder !== owner);
    return [
      L.or(
        L.and(given, () => L.tableOf(['acquired', lease, '', now, given])),
        () => refused,
      ),
    ];
  },
  'fencing/advance': (KEYS, ARGV) => {
    let fence = L.get(KEYS, 1);
    let token = L.get(ARGV, 1);
    let keep = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let [last, found] = lastToken(fence);
    if (!L.isTrue(last)) {
      return [L.tableOf(['no-token', found])];
    }
    if (L.isTrue(isLater(last, token)[0])) {
      return [L.tableOf(['stale', last])];
    }
    L.redis.call('SET', fence, token);
    if (L.tonumber(keep)[0] > 0) {
      L.redis.call('PEXPIRE', fence, keep);
    }
    return [L.tableOf(['recorded', token])];
  },
  'fencing/set': (KEYS, ARGV) => {
    let value = L.get(KEYS, 1);
    let fence = L.get(KEYS, 2);
    let token = L.get(ARGV, 1);
    let keep = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let text = L.get(ARGV, 3);
    let ttl = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(ttl)) {
      return L.redis.error_reply('ERR argument ttl is not a number');
    }
    let found = L.get(L.redis.call('TYPE', value)[0], 'ok');
    if (found !== 'none' && found !== 'string') {
      return [L.tableOf(['wrong-type', found])];
    }
    let [last, foreign] = lastToken(fence);
    if (!L.isTrue(last)) {
      return [L.tableOf(['no-token', foreign])];
    }
    if (L.isTrue(isLater(last, token)[0])) {
      return [L.tableOf(['stale', last])];
    }
    L.redis.call('SET', fence, token);
    if (L.tonumber(keep)[0] > 0) {
      L.redis.call('PEXPIRE', fence, keep);
    }
    L.redis.call('SET', value, text);
    if (L.tonumber(ttl)[0] > 0) {
      L.redis.call('PEXPIRE', value, ttl);
    }
    return [L.tableOf(['recorded', token])];
  },
  'group-lock/acquire': (KEYS, ARGV) => {
    let group = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let fields = L.tableOf([]);
    for (let i = 4, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(fields, L.number(i) - 3, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, '', now])];
    }
    let found = typeOfGroup(group)[0];
    if (found !== 'hash' && found !== 'none') {
      return [L.tableOf(['wrong-type', 0, found, now])];
    }
    let latest, latestHolder;
    for (const [_, field] of L.ipairs(fields)) {
      let [holder, expiry] = fieldHolder(group, field, now);
      if (L.isTrue(holder) && holder !== owner && expiry > L.or(latest, () => now)) {
        const $2 = [expiry, holder];
        latest = $2[0];
        latestHolder = $2[1];
      }
    }
    if (L.isTrue(latest)) {
      return [L.tableOf(['busy', L.number(latest) - L.number(now), latestHolder, now])];
    }
    for (const [_, field] of L.ipairs(fields)) {
      let before = L.redis.call('HGET', group, field)[0];
      L.redis.call('HSET', group, field, owner, countField(field, owner)[0], 1);
      if (L.isTrue(before) && before !== owner) {
        dropField(group, field, before);
      }
    }
    keepFields2(group, fields, owner, L.number(now) + L.number(lease));
    let left = L.redis.call('PTTL', group)[0];
    if (found === 'none' || (left >= 0 && left < lease)) {
      let limited = L.redis.pcall('PEXPIRE', group, lease)[0];
      if (L.type(limited)[0] === 'table') {
        for (const [_, field] of L.ipairs(fields)) {
          dropField(group, field, owner);
        }
        return [limited];
      }
    }
    return [L.tableOf(['acquired', lease, '', now])];
  },
  'group-lock/force-release': (KEYS, ARGV) => {
    let group = L.get(KEYS, 1);
    let channel = L.get(ARGV, 1);
    let publish = L.get(ARGV, 2);
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let fields = L.tableOf([]);
    for (let i = 4, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(fields, L.number(i) - 3, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now])];
    }
    let found = typeOfGroup(group)[0];
    if (found === 'none') {
      return [L.tableOf(['not-held', '', now])];
    }
    if (found !== 'hash') {
      return [L.tableOf(['wrong-type', found, now])];
    }
    let freed = false;
    for (const [_, field] of L.ipairs(fields)) {
      let holder = ofWhatIsLeft(...L.redis.pcall('HGET', group, field))[0];
      if (L.isTrue(holder)) {
        freed = L.or(dropField(group, field, holder)[0], () => freed);
      }
    }
    if (L.isTrue(freed)) {
      leaveToOthers(group);
      L.redis.pcall(publish, channel, '0');
    }
    return [
      L.tableOf([
        L.or(
          L.and(freed, () => 'released'),
          () => 'not-held',
        ),
        '',
        now,
      ]),
    ];
  },
  'group-lock/hold': (KEYS, ARGV) => {
    let group = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let count = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(count)) {
      return L.redis.error_reply('ERR argument count is not a number');
    }
    let lease = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let left = L.tonumber(L.get(ARGV, 5))[0];
    if (!L.isTrue(left)) {
      return L.redis.error_reply('ERR argument left is not a number');
    }
    let channel = L.get(ARGV, 6);
    let publish = L.get(ARGV, 7);
    let fields = L.tableOf([]);
    for (let i = 8, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(fields, L.number(i) - 7, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    if (!L.isTrue(holdsAll(group, fields, owner, now)[0])) {
      return [L.tableOf(['lost', now])];
    }
    keepGroup(group, lease);
    let isShorter = L.and(left === 1, () => shortenFields(group, fields, owner, L.number(now) + L.number(lease))[0]);
    keepFields2(group, fields, owner, L.number(now) + L.number(lease));
    let before = 0;
    for (const [_, field] of L.ipairs(fields)) {
      let name = countField(field, owner)[0];
      before = L.math.max(
        before,
        L.or(L.tonumber(L.or(L.redis.call('HGET', group, name)[0], () => ''))[0], () => 0),
      )[0];
      L.redis.call('HSET', group, name, count);
    }
    if (count < before || L.isTrue(isShorter)) {
      L.redis.pcall(publish, channel, '0');
    }
    return [L.tableOf(['held', now])];
  },
  'group-lock/inspect': (KEYS, ARGV) => {
    let group = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let fields = L.tableOf([]);
    for (let i = 2, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(fields, L.number(i) - 1, L.get(ARGV, i));
    }
    let found = typeOfGroup(group)[0];
    if (found === 'none') {
      return [L.tableOf(['free', '', 0, -2])];
    }
    if (found !== 'hash') {
      return [L.tableOf(['wrong-type', found, 0, 0])];
    }
    let now = serverNow()[0];
    let remaining = -2;
    for (const [_, field] of L.ipairs(fields)) {
      let [_2, expiry] = fieldHolder(group, field, now);
      if (L.isTrue(expiry)) {
        remaining = L.math.max(remaining, L.number(expiry) - L.number(now))[0];
      }
    }
    let count = 0;
    if (L.isTrue(holdsAll(group, fields, owner, now)[0])) {
      count = L.or(
        L.tonumber(L.or(L.redis.call('HGET', group, ...countField(L.get(fields, 1), owner))[0], () => ''))[0],
        () => 0,
      );
    }
    return [
      L.tableOf([
        L.or(
          L.and(remaining === -2, () => 'free'),
          () => 'locked',
        ),
        '',
        count,
        remaining,
      ]),
    ];
  },
  'group-lock/release': (KEYS, ARGV) => {
    let group = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let channel = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let fields = L.tableOf([]);
    for (let i = 4, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(fields, L.number(i) - 3, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    if (L.get(L.redis.call('TYPE', group)[0], 'ok') !== 'hash') {
      return [L.tableOf(['not-held', now])];
    }
    let held = holdsAll(group, fields, owner, now)[0];
    let freed = false;
    for (const [_, field] of L.ipairs(fields)) {
      freed = L.or(dropField(group, field, owner)[0], () => freed);
    }
    if (L.isTrue(freed)) {
      leaveToOthers(group);
      L.redis.pcall(publish, channel, '0');
    }
    return [
      L.tableOf([
        L.or(
          L.and(held, () => 'released'),
          () => 'not-held',
        ),
        now,
      ]),
    ];
  },
  'group-lock/renew': (KEYS, ARGV) => {
    let groups = KEYS;
    let notAfter = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let holders = L.tableOf([]);
    for (let i = 2, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(holders, L.number(i) - 1, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    let reply = L.tableOf(['renewed', now]);
    let at = 1;
    for (const [i, group] of L.ipairs(groups)) {
      let [owner, lease, size] = [
        L.get(holders, at),
        L.tonumber(L.get(holders, L.number(at) + 1))[0],
        ...L.tonumber(L.get(holders, L.number(at) + 2)),
      ];
      let fields = L.tableOf([]);
      for (let n = 1, $2 = L.number(size); n <= $2; n += 1) {
        L.set(fields, n, L.get(holders, L.number(at) + 2 + L.number(n)));
      }
      at = L.number(at) + 3 + L.number(size);
      let held = holdsAll(group, fields, owner, now)[0];
      if (L.isTrue(held)) {
        keepGroup(group, lease);
        keepFields2(group, fields, owner, L.number(now) + L.number(lease));
      }
      L.set(
        reply,
        L.number(i) + 2,
        L.or(
          L.and(held, () => 1),
          () => 0,
        ),
      );
    }
    return [reply];
  },
  'inspection/counter': (KEYS, ARGV) => {
    let counter = L.get(KEYS, 1);
    let channel = L.get(ARGV, 1);
    let publish = L.get(ARGV, 2);
    let [count, found] = countUnder(counter);
    return [
      L.tableOf([
        found,
        L.or(
          L.and(count, () => L.string.format('%.0f', count)[0]),
          () => '',
        ),
        L.or(listeners(channel, publish)[0], () => 0),
      ]),
    ];
  },
  'inspection/drop-record': (KEYS, ARGV) => {
    let record = L.get(KEYS, 1);
    return [L.tableOf([...L.redis.call('DEL', record)])];
  },
  'inspection/keep-record': (KEYS, ARGV) => {
    let record = L.get(KEYS, 1);
    let text = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    L.redis.call('SET', record, text, 'PX', lease);
    return [L.tableOf(['kept'])];
  },
  'inspection/limit': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let records = L.get(ARGV, 1);
    let channel = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let most = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(most)) {
      return L.redis.error_reply('ERR argument most is not a number');
    }
    let now = serverNow()[0];
    let kind = L.get(L.redis.call('TYPE', permits)[0], 'ok');
    let found = L.tableOf(
      [],
      [
        ['type', kind],
        ['members', L.tableOf([])],
        ['remaining', L.tableOf([])],
        ['records', L.tableOf([])],
        ['places', L.tableOf([])],
        ['count', 0],
        ['waiting', 0],
      ],
    );
    if (kind === 'zset') {
      L.set(found, 'limit', L.redis.call('ZSCORE', permits, 'limit')[0]);
      L.set(found, 'count', L.redis.call('ZCOUNT', permits, '(' + L.text(now), '+inf')[0]);
      L.set(found, 'members', L.redis.call('ZRANGEBYSCORE', permits, '(' + L.text(now), '+inf', 'LIMIT', 0, most)[0]);
      for (const [i, owner] of L.ipairs(L.get(found, 'members'))) {
        L.set(
          L.get(found, 'remaining'),
          i,
          L.math.ceil(L.number(L.tonumber(...L.redis.call('ZSCORE', permits, owner))[0]) - L.number(now))[0],
        );
        let record = L.redis.pcall('GET', L.text(records) + L.text(owner))[0];
        if (L.type(record)[0] === 'string') {
          L.set(L.get(found, 'records'), owner, record);
        }
      }
      L.set(found, 'waiting', L.redis.call('ZCOUNT', permits, '-inf', LAST_PLACE)[0]);
      for (const [_, place] of L.ipairs(
        L.redis.call('ZRANGEBYSCORE', permits, '-inf', LAST_PLACE, 'LIMIT', 0, most)[0],
      )) {
        let owner = L.string.sub(place, L.length('place ') + 1)[0];
        let ends = -L.number(
          L.tonumber(L.or(L.redis.call('ZSCORE', permits, 'until ' + L.text(owner))[0], () => '0'))[0],
        );
        if (ends > now) {
          L.set(L.get(found, 'places'), L.length(L.get(found, 'places')) + 1, owner);
        } else {
          L.set(found, 'waiting', L.number(L.get(found, 'waiting')) - 1);
        }
      }
    }
    L.set(
      found,
      'listeners',
      L.or(listeners(channel, publish)[0], () => 0),
    );
    return [L.tableOf([L.cjson.encode(found)[0], now])];
  },
  'inspection/lock': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let stem = L.get(ARGV, 1);
    let records = L.get(ARGV, 2);
    let token = L.get(ARGV, 3);
    let queue = L.get(ARGV, 4);
    let deadlines = L.get(ARGV, 5);
    let waiters = L.get(ARGV, 6);
    let channel = L.get(ARGV, 7);
    let readWriteChannel = L.get(ARGV, 8);
    let publish = L.get(ARGV, 9);
    let most = L.tonumber(L.get(ARGV, 10))[0];
    if (!L.isTrue(most)) {
      return L.redis.error_reply('ERR argument most is not a number');
    }
    let now = serverNow()[0];
    let kind = L.get(L.redis.call('TYPE', lock)[0], 'ok');
    let found = L.tableOf(
      [],
      [
        ['type', kind],
        ['ttl', L.redis.call('PTTL', lock)[0]],
        ['fields', L.tableOf([])],
        ['reads', L.tableOf([])],
        ['records', L.tableOf([])],
      ],
    );
    const readsLast = (owner, count) => {
      let longest = -2;
      for (let n = 1, $1 = L.number(L.math.min(count, 100)[0]); n <= $1; n += 1) {
        let left = L.redis.pcall('PTTL', L.text(stem) + (L.text(owner) + (':rwlock_timeout:' + L.text(n))))[0];
        longest = L.math.max(
          longest,
          L.or(
            L.and(L.type(left)[0] === 'number', () => left),
            () => L.get(found, 'ttl'),
          ),
        )[0];
      }
      return [longest];
    };
    if (kind === 'hash') {
      L.set(found, 'size', L.redis.call('HLEN', lock)[0]);
      L.set(found, 'mode', L.redis.call('HGET', lock, 'mode')[0]);
      L.set(
        found,
        'isLock',
        L.or(
          L.or(
            L.or(L.get(found, 'size') === 1, () => L.get(found, 'mode') === 'read'),
            () => L.get(found, 'mode') === 'write',
          ),
          () => onlyOfGroup(lock)[0],
        ),
      );
      if (L.isTrue(L.get(found, 'isLock'))) {
        L.set(
          found,
          'fields',
          L.or(
            L.and(L.get(found, 'size') <= 3 * L.number(most), () => L.redis.call('HGETALL', lock)[0]),
            () => L.redis.call('HRANDFIELD', lock, most, 'WITHVALUES')[0],
          ),
        );
      }
      for (let i = 1, $2 = L.length(L.get(found, 'fields')); i <= $2; i += 2) {
        let [field, value] = [L.get(L.get(found, 'fields'), i), L.get(L.get(found, 'fields'), L.number(i) + 1)];
        let owner = L.or(
          L.or(
            L.and(isOwner(field)[0], () => field),
            () => L.and(isOwner(value)[0], () => value),
          ),
          () => L.string.gsub(field, ':write', '', 1)[0],
        );
        let record = L.redis.pcall('GET', L.text(records) + L.text(owner))[0];
        if (L.type(record)[0] === 'string') {
          L.set(L.get(found, 'records'), owner, record);
        }
        if (L.isTrue(L.get(found, 'mode')) && L.isTrue(isOwner(field)[0]) && L.isTrue(countIn(value)[0])) {
          L.set(L.get(found, 'reads'), field, readsLast(field, ...countIn(value))[0]);
        }
      }
    }
    L.set(found, 'token', textUnder(token)[0]);
    L.set(found, 'queue', placesIn(queue, deadlines, now, most)[0]);
    L.set(found, 'clients', membersOf(waiters, '-inf', most)[0]);
    L.set(found, 'writers', membersOf(writersKey(lock, stem)[0], '(' + L.text(now), most)[0]);
    L.set(
      found,
      'listeners',
      L.number(L.or(listeners(channel, publish)[0], () => 0)) +
        L.number(L.or(listeners(readWriteChannel, publish)[0], () => 0)),
    );
    return [L.tableOf([L.cjson.encode(found)[0], now])];
  },
  'inspection/permits': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let deadlines = L.get(ARGV, 1);
    let channel = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let most = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(most)) {
      return L.redis.error_reply('ERR argument most is not a number');
    }
    let now = serverNow()[0];
    let [available, kind] = countUnder(permits);
    let found = L.tableOf(
      [],
      [
        ['type', kind],
        ['members', L.tableOf([])],
        ['remaining', L.tableOf([])],
        ['count', 0],
      ],
    );
    L.set(found, 'deadlines', L.get(L.redis.call('TYPE', deadlines)[0], 'ok'));
    if (L.get(found, 'deadlines') === 'zset') {
      L.set(found, 'count', L.redis.call('ZCOUNT', deadlines, '(' + L.text(now), '+inf')[0]);
      for (const [i, permit] of L.ipairs(
        L.redis.call('ZRANGEBYSCORE', deadlines, '(' + L.text(now), '+inf', 'LIMIT', 0, most)[0],
      )) {
        let deadline = L.tonumber(...L.redis.call('ZSCORE', deadlines, permit))[0];
        L.set(
          L.get(found, 'members'),
          i,
          L.string.gsub(permit, '.', (byte) => {
            return L.string.format('%02x', ...L.string.byte(byte));
          })[0],
        );
        L.set(
          L.get(found, 'remaining'),
          i,
          L.or(
            L.and(deadline >= NO_DEADLINE, () => -1),
            () => L.math.ceil(L.number(deadline) - L.number(now))[0],
          ),
        );
      }
      available = L.and(
        available,
        () => L.number(available) + L.number(L.redis.call('ZCARD', deadlines)[0]) - L.number(L.get(found, 'count')),
      );
    }
    L.set(
      found,
      'available',
      L.and(available, () => L.string.format('%.0f', available)[0]),
    );
    L.set(
      found,
      'listeners',
      L.or(listeners(channel, publish)[0], () => 0),
    );
    return [L.tableOf([L.cjson.encode(found)[0], now])];
  },
  'inspection/tell-holders': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let channel = L.get(ARGV, 1);
    let publish = L.get(ARGV, 2);
    L.redis.pcall(publish, channel, 'ended ' + L.text(lock));
    return [L.tableOf([1])];
  },
  'limit/acquire': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let limit = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(limit)) {
      return L.redis.error_reply('ERR argument limit is not a number');
    }
    let numbered = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(numbered)) {
      return L.redis.error_reply('ERR argument numbered is not a number');
    }
    let channel = L.get(ARGV, 5);
    let turns = L.get(ARGV, 6);
    let publish = L.get(ARGV, 7);
    let notAfter = L.tonumber(L.get(ARGV, 8))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, '', now, 0, 0, -1])];
    }
    let [before, found] = storedLimit(permits);
    if (!L.isTrue(before)) {
      return [L.tableOf(['wrong-type', 0, found, now, 0, 0, -1])];
    }
    let [head, left, isNewHead] = headOf2(permits, now);
    let inUse = permitsInUse(permits, now)[0];
    let isRepeated = holdsPermit(permits, owner, now)[0];
    if (L.isTrue(isNewHead)) {
      tellNext2(head, channel, turns, publish);
    }
    if (inUse >= limit && !L.isTrue(isRepeated)) {
      let [holder, deadline] = L.unpack(
        ...L.redis.call('ZREVRANGE', permits, L.number(limit) - 1, L.number(limit) - 1, 'WITHSCORES'),
      );
      return [L.tableOf(['busy', L.number(L.tonumber(deadline)[0]) - L.number(now), holder, now, inUse, before, -1])];
    }
    if (L.isTrue(head) && !L.isTrue(isRepeated)) {
      return [L.tableOf(['reserved', left, head, now, 0, 0, -1])];
    }
    let refused = takePermit(permits, owner, lease, limit, inUse, now)[0];
    if (L.isTrue(refused)) {
      return [refused];
    }
    let number = L.or(
      L.and(numbered === 1, () => takeNumber(permits, owner, now)[0]),
      () => -1,
    );
    return [
      L.tableOf([
        'acquired',
        lease,
        '',
        now,
        L.or(
          L.and(isRepeated, () => inUse),
          () => L.number(inUse) + 1,
        ),
        before,
        number,
      ]),
    ];
  },
  'limit/force-release': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let channel = L.get(ARGV, 1);
    let turns = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let notAfter = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now])];
    }
    let [limit, found] = storedLimit(permits);
    if (!L.isTrue(limit)) {
      return [L.tableOf(['wrong-type', found, now])];
    }
    if (limit === 0) {
      return [L.tableOf(['not-held', '', now])];
    }
    let wereInUse = permitsInUse(permits, now)[0] > 0;
    let head = headOf2(permits, now)[0];
    tellNext2(head, channel, turns, publish);
    if (L.isTrue(head)) {
      L.redis.call('ZREMRANGEBYSCORE', permits, 2147483648, '+inf');
    } else {
      L.redis.call('DEL', permits);
    }
    return [
      L.tableOf([
        L.or(
          L.and(wereInUse, () => 'released'),
          () => 'not-held',
        ),
        '',
        now,
      ]),
    ];
  },
  'limit/hold': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let channel = L.get(ARGV, 3);
    let turns = L.get(ARGV, 4);
    let publish = L.get(ARGV, 5);
    let notAfter = L.tonumber(L.get(ARGV, 6))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    if (!L.isTrue(holdsPermit(permits, owner, now)[0])) {
      return [L.tableOf(['lost', now])];
    }
    let before = L.tonumber(...L.redis.call('ZSCORE', permits, owner))[0];
    keepPermit(permits, owner, lease, now);
    if (L.number(now) + L.number(lease) < before) {
      tellNext2(headOf2(permits, now)[0], channel, turns, publish);
    }
    return [L.tableOf(['held', now])];
  },
  'limit/inspect': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let [limit, found] = storedLimit(permits);
    if (!L.isTrue(limit)) {
      return [L.tableOf(['wrong-type', found, 0, 0])];
    }
    let now = serverNow()[0];
    if (limit === 0 || permitsInUse(permits, now)[0] === 0) {
      return [L.tableOf(['free', '', 0, -2])];
    }
    let last = L.redis.call('ZREVRANGE', permits, 0, 0, 'WITHSCORES')[0];
    return [
      L.tableOf([
        'locked',
        '',
        L.or(
          L.and(holdsPermit(permits, owner, now)[0], () => 1),
          () => 0,
        ),
        L.number(L.tonumber(L.get(last, 2))[0]) - L.number(now),
      ]),
    ];
  },
  'limit/keep': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let slot = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(slot)) {
      return L.redis.error_reply('ERR argument slot is not a number');
    }
    let channel = L.get(ARGV, 2);
    let turns = L.get(ARGV, 3);
    let publish = L.get(ARGV, 4);
    let owners = L.tableOf([]);
    for (let i = 5, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(owners, L.number(i) - 4, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    let reply = L.tableOf(['kept', now]);
    for (const [i] of L.ipairs(owners)) {
      L.set(reply, L.number(i) + 2, 0);
    }
    if (L.or(storedLimit(permits)[0], () => 0) === 0) {
      return [reply];
    }
    let [head, _, isNewHead] = headOf2(permits, now);
    for (const [i, owner] of L.ipairs(owners)) {
      if (L.isTrue(hasPlace(permits, owner)[0])) {
        keepPlace(permits, owner, slot, now);
        L.set(reply, L.number(i) + 2, 1);
      }
    }
    if (L.isTrue(isNewHead)) {
      tellNext2(head, channel, turns, publish);
    }
    return [reply];
  },
  'limit/leave': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let channel = L.get(ARGV, 1);
    let turns = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let owners = L.tableOf([]);
    for (let i = 4, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(owners, L.number(i) - 3, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    if (L.or(storedLimit(permits)[0], () => 0) === 0) {
      return [L.tableOf(['left', now])];
    }
    let [before, _, isNext] = headOf2(permits, now);
    for (const [_2, owner] of L.ipairs(owners)) {
      let held = holdsPermit(permits, owner, now)[0];
      if (L.isTrue(held)) {
        L.redis.call('ZREM', permits, owner, 'number ' + L.text(owner));
      }
      let wasHead = L.and(removePlace(permits, owner)[0], () => owner === before);
      isNext = L.or(
        L.or(isNext, () => held),
        () => wasHead,
      );
    }
    let head = headOf2(permits, now)[0];
    if (L.isTrue(isNext)) {
      tellNext2(head, channel, turns, publish);
    }
    if (!L.isTrue(head) && permitsInUse(permits, now)[0] === 0) {
      L.redis.call('DEL', permits);
    }
    return [L.tableOf(['left', now])];
  },
  'limit/queue': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let limit = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(limit)) {
      return L.redis.error_reply('ERR argument limit is not a number');
    }
    let numbered = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(numbered)) {
      return L.redis.error_reply('ERR argument numbered is not a number');
    }
    let slot = L.tonumber(L.get(ARGV, 5))[0];
    if (!L.isTrue(slot)) {
      return L.redis.error_reply('ERR argument slot is not a number');
    }
    let channel = L.get(ARGV, 6);
    let turns = L.get(ARGV, 7);
    let publish = L.get(ARGV, 8);
    let notAfter = L.tonumber(L.get(ARGV, 9))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, '', now, '', 0, 0, -1])];
    }
    let [before, found] = storedLimit(permits);
    if (!L.isTrue(before)) {
      return [L.tableOf(['wrong-type', 0, found, now, '', 0, 0, -1])];
    }
    let [head, left, isNewHead] = headOf2(permits, now);
    let inUse = permitsInUse(permits, now)[0];
    let isRepeated = holdsPermit(permits, owner, now)[0];
    if (L.isTrue(isRepeated) || (inUse < limit && (!L.isTrue(head) || head === owner))) {
      let refused = takePermit(permits, owner, lease, limit, inUse, now)[0];
      if (L.isTrue(refused)) {
        return [refused];
      }
      removePlace(permits, owner);
      inUse = L.or(
        L.and(isRepeated, () => inUse),
        () => L.number(inUse) + 1,
      );
      if (inUse < limit || before !== limit) {
        tellNext2(headOf2(permits, now)[0], channel, turns, publish);
      }
      let number = L.or(
        L.and(numbered === 1, () => takeNumber(permits, owner, now)[0]),
        () => -1,
      );
      return [L.tableOf(['acquired', lease, '', now, '', inUse, before, number])];
    }
    let outcome = 'waiting';
    if (!L.isTrue(hasPlace(permits, owner)[0])) {
      outcome = 'queued';
      addPlace(permits, owner, slot, now);
    }
    if (L.isTrue(isNewHead) && L.isTrue(head) && head !== owner) {
      tellNext2(head, channel, turns, publish);
    }
    if (inUse < limit) {
      return [L.tableOf([outcome, left, head, now, head, inUse, before, -1])];
    }
    let [holder, deadline] = L.unpack(
      ...L.redis.call('ZREVRANGE', permits, L.number(limit) - 1, L.number(limit) - 1, 'WITHSCORES'),
    );
    return [
      L.tableOf([
        outcome,
        L.number(L.tonumber(deadline)[0]) - L.number(now),
        holder,
        now,
        L.or(head, () => owner),
        inUse,
        before,
        -1,
      ]),
    ];
  },
  'limit/release': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let channel = L.get(ARGV, 2);
    let turns = L.get(ARGV, 3);
    let publish = L.get(ARGV, 4);
    let now = serverNow()[0];
    let held = holdsPermit(permits, owner, now)[0];
    if (!L.isTrue(held)) {
      return [L.tableOf(['not-held', now])];
    }
    L.redis.call('ZREM', permits, owner, 'number ' + L.text(owner));
    let head = headOf2(permits, now)[0];
    tellNext2(head, channel, turns, publish);
    if (!L.isTrue(head) && permitsInUse(permits, now)[0] === 0) {
      L.redis.call('DEL', permits);
    }
    return [L.tableOf(['released', now])];
  },
  'limit/renew': (KEYS, ARGV) => {
    let sets = KEYS;
    let notAfter = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let holders = L.tableOf([]);
    for (let i = 2, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(holders, L.number(i) - 1, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    let reply = L.tableOf(['renewed', now]);
    for (const [i, permits] of L.ipairs(sets)) {
      let [owner, lease] = [L.get(holders, 2 * L.number(i) - 1), ...L.tonumber(L.get(holders, 2 * L.number(i)))];
      let held = holdsPermit(permits, owner, now)[0];
      if (L.isTrue(held)) {
        keepPermit(permits, owner, lease, now);
      }
      L.set(
        reply,
        L.number(i) + 2,
        L.or(
          L.and(held, () => 1),
          () => 0,
        ),
      );
    }
    return [reply];
  },
  'lock/acquire': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, '', now])];
    }
    if (L.redis.call('EXISTS', lock)[0] === 0) {
      return [L.or(takeLock(lock, owner, lease)[0], () => L.tableOf([lease, now]))];
    }
    let [holder, found] = soleHold(lock);
    if (!L.isTrue(holder)) {
      return [L.tableOf(['wrong-type', 0, found, now])];
    }
    if (holder !== owner) {
      return [L.tableOf(['busy', L.redis.call('PTTL', lock)[0], holder, now])];
    }
    if (L.redis.call('PTTL', lock)[0] < lease) {
      L.redis.call('PEXPIRE', lock, lease);
    }
    return [L.tableOf([lease, now])];
  },
  'lock/attach': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let from = L.get(ARGV, 1);
    let to = L.get(ARGV, 2);
    let lease = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let channel = L.get(ARGV, 5);
    let publish = L.get(ARGV, 6);
    let entries = L.get(ARGV, 7);
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    const keep = () => {
      setLease(lock, lease, channel, publish, entries);
      return L.nothing;
    };
    return [L.tableOf([takeOver(lock, from, to, lease, keep)[0], now])];
  },
  'lock/detach': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let from = L.get(ARGV, 1);
    let to = L.get(ARGV, 2);
    let lease = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let channel = L.get(ARGV, 5);
    let publish = L.get(ARGV, 6);
    let entries = L.get(ARGV, 7);
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    const keep = () => {
      setLease(lock, lease, channel, publish, entries);
      return L.nothing;
    };
    return [L.tableOf([takeOver(lock, from, to, lease, keep)[0], now])];
  },
  'lock/force-release': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let channel = L.get(ARGV, 1);
    let publish = L.get(ARGV, 2);
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now])];
    }
    let [holder, found] = soleHold(lock);
    if (!L.isTrue(holder)) {
      return [L.tableOf(['wrong-type', found, now])];
    }
    if (holder === '') {
      return [L.tableOf(['not-held', '', now])];
    }
    L.redis.call('DEL', lock);
    if (publish !== '') {
      L.redis.pcall(publish, channel, '0');
    }
    return [L.tableOf(['released', '', now])];
  },
  'lock/hold': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let count = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(count)) {
      return L.redis.error_reply('ERR argument count is not a number');
    }
    let lease = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let channel = L.get(ARGV, 5);
    let publish = L.get(ARGV, 6);
    let entries = L.get(ARGV, 7);
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    let held = holdCount(lock, owner)[0];
    if (held === 0) {
      return [L.tableOf(['lost', now])];
    }
    setLease(lock, lease, channel, publish, entries);
    if (held !== count) {
      L.redis.call('HINCRBY', lock, owner, L.number(count) - L.number(held));
    }
    return [L.tableOf(['held', now])];
  },
  'lock/inspect': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let [holder, found] = soleHold(lock);
    if (!L.isTrue(holder)) {
      return [L.tableOf(['wrong-type', found, 0, 0])];
    }
    return [
      L.tableOf([
        L.or(
          L.and(holder === '', () => 'free'),
          () => 'locked',
        ),
        '',
        L.or(
          L.and(holder === owner, () => found),
          () => 0,
        ),
        ...L.redis.call('PTTL', lock),
      ]),
    ];
  },
  'lock/release-chosen': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let channel = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let waiters = L.get(ARGV, 4);
    let mayGrant = L.tonumber(L.get(ARGV, 5))[0];
    if (!L.isTrue(mayGrant)) {
      return L.redis.error_reply('ERR argument mayGrant is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 6))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    if (!L.isTrue(dropHold(lock, owner)[0])) {
      return [L.tableOf(['not-held', now])];
    }
    let passes = L.and(mayGrant === 1, () => L.redis.pcall('EXISTS', lock)[0] === 0);
    let outcome = L.and(passes, () => passOn(lock, waiters, channel, publish, '', now)[0]);
    if (!L.isTrue(outcome)) {
      L.redis.pcall(publish, channel, '0');
    }
    return [L.tableOf([L.or(outcome, () => 'released'), now])];
  },
  'lock/release': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let channel = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let wake = L.get(ARGV, 4);
    let waiters = L.get(ARGV, 5);
    let again = L.get(ARGV, 6);
    let mayGrant = L.tonumber(L.get(ARGV, 7))[0];
    if (!L.isTrue(mayGrant)) {
      return L.redis.error_reply('ERR argument mayGrant is not a number');
    }
    const announce = () => {
      return [
        L.or(
          L.and(publish !== '', () => L.tonumber(...L.redis.pcall(publish, channel, '0'))[0]),
          () => 0,
        ),
      ];
    };
    let isSilent = publish === '';
    if (L.isTrue(isSilent) && L.redis.pcall('EXISTS', waiters)[0] === 1) {
      publish = wake;
    }
    let dropped = L.redis.pcall('HDEL', lock, owner)[0];
    let heard;
    if (dropped === 1 && again === '' && L.redis.pcall('EXISTS', lock, waiters)[0] === 0) {
      heard = announce()[0];
      if (heard === 0) {
        return ['released'];
      }
    }
    const released = () => {
      let asking = L.and(heard > 0, () => others(lock, channel, publish)[0]);
      if (L.isTrue(asking)) {
        asking = L.number(asking) + L.number(L.or(L.tonumber(...L.redis.pcall('ZCARD', waiters))[0], () => 0));
      }
      return [L.tableOf([heard, L.or(asking, () => heard), 'released'])];
    };
    if (L.isTrue(heard)) {
      return released();
    }
    let now = serverNow()[0];
    if (L.type(dropped)[0] === 'table') {
      dropped = L.or(
        L.and(foreignType(lock)[0], () => 0),
        () => L.redis.call('HDEL', lock, owner)[0],
      );
    }
    if (dropped === 0) {
      return [L.tableOf(['not-held', now])];
    }
    keepFields(lock);
    let passes = L.and(
      L.and(mayGrant === 1, () => !L.isTrue(isSilent)),
      () => L.redis.pcall('EXISTS', lock)[0] === 0,
    );
    let outcome = L.and(passes, () => passOn(lock, waiters, channel, publish, again, now)[0]);
    if (L.isTrue(outcome)) {
      return [L.tableOf([outcome, now])];
    }
    heard = announce()[0];
    return released();
  },
  'lock/remove-entry': (KEYS, ARGV) => {
    let waiters = L.get(KEYS, 1);
    let entry = L.get(ARGV, 1);
    return [L.tableOf([...L.redis.call('ZREM', waiters, entry)])];
  },
  'lock/renew': (KEYS, ARGV) => {
    let locks = KEYS;
    let notAfter = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let holders = L.tableOf([]);
    for (let i = 2, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(holders, L.number(i) - 1, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    let reply = L.tableOf(['renewed', now]);
    for (const [i, lock] of L.ipairs(locks)) {
      let [owner, lease] = [L.get(holders, 2 * L.number(i) - 1), ...L.tonumber(L.get(holders, 2 * L.number(i)))];
      let held = holdCount(lock, owner)[0] > 0;
      if (L.isTrue(held)) {
        L.redis.call('PEXPIRE', lock, lease);
      }
      L.set(
        reply,
        L.number(i) + 2,
        L.or(
          L.and(held, () => 1),
          () => 0,
        ),
      );
    }
    return [reply];
  },
  'lock/replace': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let asks = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(asks)) {
      return L.redis.error_reply('ERR argument asks is not a number');
    }
    let holders = L.get(ARGV, 5);
    let channel = L.get(ARGV, 6);
    let publish = L.get(ARGV, 7);
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, '', now])];
    }
    let [holder, found] = soleHold(lock);
    if (!L.isTrue(holder)) {
      return [L.tableOf(['wrong-type', 0, found, now])];
    }
    if (holder === owner) {
      if (L.redis.call('PTTL', lock)[0] < lease) {
        L.redis.call('PEXPIRE', lock, lease);
      }
      return [L.tableOf([lease, now])];
    }
    if (holder !== '') {
      let remaining = L.redis.call('PTTL', lock)[0];
      if (asks === 1) {
        askToEnd(holder, holders, publish);
        return [L.tableOf(['busy', remaining, holder, now])];
      }
      dropForNewer(lock, holder, remaining, lease, holders, channel, publish);
    }
    return [L.or(takeLock(lock, owner, lease)[0], () => L.tableOf([lease, now]))];
  },
  'lock/wait': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let waiters = L.get(ARGV, 4);
    let entry = L.get(ARGV, 5);
    let isNew = L.tonumber(L.get(ARGV, 6))[0];
    if (!L.isTrue(isNew)) {
      return L.redis.error_reply('ERR argument isNew is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, '', now])];
    }
    let isWaiting = L.or(isNew === 1, () => L.type(...L.redis.pcall('ZSCORE', waiters, entry))[0] === 'string');
    if (L.redis.call('EXISTS', lock)[0] === 0) {
      if (!L.isTrue(isWaiting)) {
        return [L.tableOf(['gone', 0, '', now])];
      }
      let refused = takeLock(lock, owner, lease)[0];
      if (L.isTrue(refused)) {
        return [refused];
      }
      L.redis.pcall('ZREM', waiters, entry);
      return [L.tableOf([lease, now])];
    }
    let [holder, found] = soleHold(lock);
    if (!L.isTrue(holder)) {
      return [L.tableOf(['wrong-type', 0, found, now])];
    }
    let remaining = L.redis.call('PTTL', lock)[0];
    if (holder === owner) {
      if (remaining < lease) {
        L.redis.call('PEXPIRE', lock, lease);
      }
      return [L.tableOf([lease, now])];
    }
    if (!L.isTrue(isWaiting)) {
      return [L.tableOf(['gone', remaining, holder, now])];
    }
    if (!L.isTrue(isElsewhere(lock, waiters)[0])) {
      addEntry(waiters, entry);
    }
    return [L.tableOf(['busy', remaining, holder, now])];
  },
  'lock/withdraw': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let channel = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let waiters = L.get(ARGV, 4);
    let entry = L.get(ARGV, 5);
    let mayGrant = L.tonumber(L.get(ARGV, 6))[0];
    if (!L.isTrue(mayGrant)) {
      return L.redis.error_reply('ERR argument mayGrant is not a number');
    }
    let now = serverNow()[0];
    let isRemoved = L.or(
      L.redis.pcall('ZREM', waiters, entry)[0] === 1,
      () => !L.isTrue(isElsewhere(lock, waiters)[0]),
    );
    if (L.isTrue(dropHold(lock, owner)[0])) {
      let passes = L.and(mayGrant === 1, () => L.redis.pcall('EXISTS', lock)[0] === 0);
      let outcome = L.and(passes, () => passOn(lock, waiters, channel, publish, '', now)[0]);
      if (!L.isTrue(outcome)) {
        L.redis.pcall(publish, channel, '0');
      }
    }
    return [
      L.tableOf([
        L.or(
          L.and(isRemoved, () => 'withdrawn'),
          () => 'elsewhere',
        ),
        now,
      ]),
    ];
  },
  'permits/acquire': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let deadlines = L.get(KEYS, 2);
    let lease = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let channel = L.get(ARGV, 3);
    let publish = L.get(ARGV, 4);
    let ids = L.tableOf([]);
    for (let i = 5, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(ids, L.number(i) - 4, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now, 0, 0])];
    }
    let [pool, problem, found] = permitPool(permits, deadlines);
    if (!L.isTrue(pool)) {
      return [L.tableOf([problem, found, now, 0, 0])];
    }
    if (L.isTrue(L.redis.call('ZSCORE', deadlines, ...fromHex(L.get(ids, 1)))[0])) {
      return [L.tableOf(['acquired', '', now, L.get(pool, 'available'), 0])];
    }
    let swept = sweepPermits(permits, deadlines, channel, publish, now, L.length(ids))[0];
    let available = L.number(L.get(pool, 'available')) + L.number(swept);
    if (available < L.length(ids)) {
      let below = L.string.format('(%.0f', NO_DEADLINE)[0];
      let nearest = L.get(L.redis.call('ZRANGEBYSCORE', deadlines, 0, below, 'WITHSCORES', 'LIMIT', 0, 1)[0], 2);
      let remaining = L.or(
        L.and(nearest, () => L.math.max(0, ...L.math.ceil(L.number(L.tonumber(nearest)[0]) - L.number(now)))[0]),
        () => -1,
      );
      return [
        L.tableOf([
          L.or(
            L.and(
              L.or(L.get(pool, 'isSet'), () => swept > 0),
              () => 'busy',
            ),
            () => 'not-set',
          ),
          '',
          now,
          available,
          remaining,
        ]),
      ];
    }
    L.redis.call('DECRBY', permits, L.length(ids));
    let deadline = L.or(
      L.and(lease < 0, () => NO_DEADLINE),
      () => L.number(now) + L.number(lease),
    );
    for (const [i, id] of L.ipairs(ids)) {
      let refused = L.redis.pcall('ZADD', deadlines, deadline, ...fromHex(id))[0];
      if (L.type(refused)[0] === 'table') {
        L.redis.call('INCRBY', permits, L.length(ids) - L.number(i) + 1);
        return [refused];
      }
    }
    let ttl = L.redis.call('PTTL', permits)[0];
    if (ttl >= 0) {
      L.redis.call('PEXPIRE', deadlines, ttl);
    }
    return [L.tableOf(['acquired', '', now, L.number(available) - L.length(ids), 0])];
  },
  'permits/add': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let deadlines = L.get(KEYS, 2);
    let marker = L.get(KEYS, 3);
    let delta = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(delta)) {
      return L.redis.error_reply('ERR argument delta is not a number');
    }
    let most = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(most)) {
      return L.redis.error_reply('ERR argument most is not a number');
    }
    let channel = L.get(ARGV, 3);
    let publish = L.get(ARGV, 4);
    let keep = L.tonumber(L.get(ARGV, 5))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 6))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now, 0])];
    }
    let [pool, problem, found] = permitPool(permits, deadlines);
    if (!L.isTrue(pool)) {
      return [L.tableOf([problem, found, now, 0])];
    }
    let answered = L.redis.call('GET', marker)[0];
    if (L.isTrue(answered)) {
      return [L.tableOf([answered, '', now, L.get(pool, 'available')])];
    }
    if (L.math.abs(L.number(L.get(pool, 'available')) + L.number(delta))[0] > most) {
      return [L.tableOf(['too-many', '', now, L.get(pool, 'available')])];
    }
    L.redis.call('SET', marker, 'added', 'PX', keep);
    L.redis.call('SET', permits, L.number(L.get(pool, 'available')) + L.number(delta));
    if (delta > 0) {
      L.redis.pcall(publish, channel, delta);
    }
    return [L.tableOf(['added', '', now, L.number(L.get(pool, 'available')) + L.number(delta)])];
  },
  'permits/delete': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let deadlines = L.get(KEYS, 2);
    let marker = L.get(KEYS, 3);
    let keep = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now])];
    }
    let [pool, problem, found] = permitPool(permits, deadlines);
    if (!L.isTrue(pool)) {
      return [L.tableOf([problem, found, now])];
    }
    let answered = L.redis.call('GET', marker)[0];
    if (L.isTrue(answered)) {
      return [L.tableOf([answered, '', now])];
    }
    let outcome = L.or(
      L.and(L.redis.call('DEL', permits, deadlines)[0] > 0, () => 'deleted'),
      () => 'none',
    );
    L.redis.call('SET', marker, outcome, 'PX', keep);
    return [L.tableOf([outcome, '', now])];
  },
  'permits/inspect': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let deadlines = L.get(KEYS, 2);
    let channel = L.get(ARGV, 1);
    let publish = L.get(ARGV, 2);
    let [pool, problem, found] = permitPool(permits, deadlines);
    if (!L.isTrue(pool)) {
      return [L.tableOf([problem, found, 0, 0])];
    }
    let swept = sweepPermits(permits, deadlines, channel, publish, ...serverNow())[0];
    let outcome = L.or(
      L.and(
        L.or(L.get(pool, 'isSet'), () => swept > 0),
        () => 'set',
      ),
      () => 'unset',
    );
    return [
      L.tableOf([
        outcome,
        '',
        L.number(L.get(pool, 'available')) + L.number(swept),
        L.number(L.get(pool, 'out')) - L.number(swept),
      ]),
    ];
  },
  'permits/lease': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let deadlines = L.get(KEYS, 2);
    let id = L.get(ARGV, 1);
    let channel = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let now = serverNow()[0];
    let [pool, problem, found] = permitPool(permits, deadlines);
    if (!L.isTrue(pool)) {
      return [L.tableOf([problem, found, 0])];
    }
    sweepPermits(permits, deadlines, channel, publish, now);
    let deadline = L.tonumber(L.or(L.redis.call('ZSCORE', deadlines, ...fromHex(id))[0], () => ''))[0];
    if (!L.isTrue(deadline)) {
      return [L.tableOf(['not-held', '', 0])];
    }
    return [
      L.tableOf([
        'held',
        '',
        L.or(
          L.and(deadline < NO_DEADLINE, () => L.math.ceil(L.number(deadline) - L.number(now))[0]),
          () => -1,
        ),
      ]),
    ];
  },
  'permits/release-all': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let deadlines = L.get(KEYS, 2);
    let channel = L.get(ARGV, 1);
    let publish = L.get(ARGV, 2);
    let ids = L.tableOf([]);
    for (let i = 3, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(ids, L.number(i) - 2, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    let [pool, problem, found] = permitPool(permits, deadlines);
    if (!L.isTrue(pool)) {
      return [L.tableOf([problem, found, now, 0])];
    }
    let [out, inTime] = [0, 0];
    for (const [_, id] of L.ipairs(ids)) {
      let deadline = L.redis.call('ZSCORE', deadlines, ...fromHex(id))[0];
      if (L.isTrue(deadline)) {
        out = L.number(out) + 1;
      }
      if (L.isTrue(deadline) && L.tonumber(deadline)[0] > now) {
        inTime = L.number(inTime) + 1;
      }
    }
    if (inTime < L.length(ids)) {
      return [L.tableOf(['not-held', '', now, out])];
    }
    sweepPermits(permits, deadlines, channel, publish, now);
    for (const [_, id] of L.ipairs(ids)) {
      L.redis.call('ZREM', deadlines, ...fromHex(id));
    }
    L.redis.call('INCRBY', permits, L.length(ids));
    L.redis.pcall(publish, channel, L.length(ids));
    return [L.tableOf(['released', '', now, 0])];
  },
  'permits/release': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let deadlines = L.get(KEYS, 2);
    let id = L.get(ARGV, 1);
    let channel = L.get(ARGV, 2);
    let publish = L.get(ARGV, 3);
    let now = serverNow()[0];
    let [pool, problem, found] = permitPool(permits, deadlines);
    if (!L.isTrue(pool)) {
      return [L.tableOf([problem, found, now])];
    }
    let permit = fromHex(id)[0];
    let deadline = L.redis.call('ZSCORE', deadlines, permit)[0];
    if (!L.isTrue(deadline)) {
      return [L.tableOf(['not-held', '', now])];
    }
    L.redis.call('ZREM', deadlines, permit);
    let available = L.redis.call('INCRBY', permits, 1)[0];
    if (available >= 0) {
      L.redis.pcall(publish, channel, available);
    }
    return [
      L.tableOf([
        L.or(
          L.and(L.tonumber(deadline)[0] > now, () => 'released'),
          () => 'expired',
        ),
        '',
        now,
      ]),
    ];
  },
  'permits/renew': (KEYS, ARGV) => {
    let sets = KEYS;
    let notAfter = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let holders = L.tableOf([]);
    for (let i = 2, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(holders, L.number(i) - 1, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    let reply = L.tableOf(['renewed', now]);
    for (const [i, deadlines] of L.ipairs(sets)) {
      let [permit, lease] = [
        fromHex(L.get(holders, 2 * L.number(i) - 1))[0],
        ...L.tonumber(L.get(holders, 2 * L.number(i))),
      ];
      let isSet = L.get(L.redis.call('TYPE', deadlines)[0], 'ok') === 'zset';
      let deadline = L.and(isSet, () => L.tonumber(L.or(L.redis.call('ZSCORE', deadlines, permit)[0], () => ''))[0]);
      let isHeld = L.and(deadline, () => deadline > now);
      if (L.isTrue(isHeld)) {
        L.redis.call('ZREMRANGEBYSCORE', deadlines, 0, 0);
        L.redis.call('ZADD', deadlines, L.number(now) + L.number(lease), permit);
      }
      L.set(
        reply,
        L.number(i) + 2,
        L.or(
          L.and(isHeld, () => 1),
          () => 0,
        ),
      );
    }
    return [reply];
  },
  'permits/set': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let deadlines = L.get(KEYS, 2);
    let total = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(total)) {
      return L.redis.error_reply('ERR argument total is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let channel = L.get(ARGV, 3);
    let publish = L.get(ARGV, 4);
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now])];
    }
    let [pool, problem, found] = permitPool(permits, deadlines);
    if (!L.isTrue(pool)) {
      return [L.tableOf([problem, found, now])];
    }
    if (!L.isTrue(L.get(pool, 'isSet'))) {
      L.redis.call('SET', permits, total);
    } else if (L.number(L.get(pool, 'available')) + L.number(L.get(pool, 'out')) !== total) {
      L.redis.call(
        'INCRBY',
        permits,
        L.number(total) - L.number(L.get(pool, 'available')) - L.number(L.get(pool, 'out')),
      );
    } else {
      return [L.tableOf(['set', '', now])];
    }
    L.redis.pcall(publish, channel, total);
    return [L.tableOf(['set', '', now])];
  },
  'permits/update-lease': (KEYS, ARGV) => {
    let permits = L.get(KEYS, 1);
    let deadlines = L.get(KEYS, 2);
    let id = L.get(ARGV, 1);
    let lease = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let channel = L.get(ARGV, 4);
    let publish = L.get(ARGV, 5);
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now])];
    }
    let [pool, problem, found] = permitPool(permits, deadlines);
    if (!L.isTrue(pool)) {
      return [L.tableOf([problem, found, now])];
    }
    sweepPermits(permits, deadlines, channel, publish, now);
    let permit = fromHex(id)[0];
    let before = L.redis.call('ZSCORE', deadlines, permit)[0];
    if (!L.isTrue(before)) {
      return [L.tableOf(['not-held', '', now])];
    }
    let deadline = L.or(
      L.and(lease < 0, () => NO_DEADLINE),
      () => L.number(now) + L.number(lease),
    );
    L.redis.call('ZADD', deadlines, deadline, permit);
    if (deadline < L.tonumber(before)[0]) {
      L.redis.pcall(publish, channel, '1');
    }
    return [L.tableOf(['held', '', now])];
  },
  'read-lock/acquire': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let stem = L.get(ARGV, 1);
    let owner = L.get(ARGV, 2);
    let lease = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let behindWriters = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(behindWriters)) {
      return L.redis.error_reply('ERR argument behindWriters is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 5))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, '', now])];
    }
    let [mode, holder] = modeOf(lock);
    if (!L.isTrue(mode)) {
      return [L.tableOf(['wrong-type', 0, holder, now])];
    }
    if (mode === 'write') {
      return [L.tableOf(['busy', L.redis.call('PTTL', lock)[0], holder, now])];
    }
    if (behindWriters === 1 && !L.isTrue(L.redis.call('HGET', lock, owner)[0])) {
      let [writer, remaining] = waitingWriter(lock, stem, now);
      if (L.isTrue(writer)) {
        return [L.tableOf(['kept-out', remaining, writer, now])];
      }
    }
    let isTorn = !L.isTrue(keepRead(lock, stem, owner, 1, lease, true)[0]);
    L.redis.call('HSET', lock, 'mode', 'read', owner, 1);
    let limited = L.redis.pcall('PEXPIRE', lock, ...L.math.max(L.redis.call('PTTL', lock)[0], lease))[0];
    if (L.type(limited)[0] === 'table') {
      L.redis.call('HDEL', lock, owner);
      if (mode === '') {
        L.redis.call('DEL', lock);
      }
      dropRead(lock, stem, owner, 1);
      return [limited];
    }
    return [
      L.tableOf([
        L.or(
          L.and(isTorn, () => 'torn'),
          () => 'acquired',
        ),
        lease,
        '',
        now,
      ]),
    ];
  },
  'read-lock/force-release': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let channel = L.get(ARGV, 1);
    let publish = L.get(ARGV, 2);
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now])];
    }
    let [mode, found] = modeOf(lock);
    if (!L.isTrue(mode)) {
      return [L.tableOf(['wrong-type', found, now])];
    }
    if (mode !== 'read') {
      return [L.tableOf(['not-held', '', now])];
    }
    freeReadWrite(lock);
    L.redis.pcall(publish, channel, '0');
    return [L.tableOf(['released', '', now])];
  },
  'read-lock/hold': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let stem = L.get(ARGV, 1);
    let owner = L.get(ARGV, 2);
    let count = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(count)) {
      return L.redis.error_reply('ERR argument count is not a number');
    }
    let lease = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let channel = L.get(ARGV, 5);
    let publish = L.get(ARGV, 6);
    let notAfter = L.tonumber(L.get(ARGV, 7))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    let before = readCount(lock, owner)[0];
    let writes = writeCount(lock, owner)[0] > 0;
    if (before === 0 && !L.isTrue(writes)) {
      return [L.tableOf(['lost', now])];
    }
    let left = L.redis.call('PTTL', lock)[0];
    L.redis.call('PEXPIRE', lock, ...L.math.max(left, lease));
    let isTorn = false;
    for (let n = 1, $1 = L.number(count); n <= $1; n += 1) {
      isTorn = L.or(!L.isTrue(keepRead(lock, stem, owner, n, lease, n > before)[0]), () => isTorn);
    }
    for (let n = L.number(count) + 1, $2 = L.number(before); n <= $2; n += 1) {
      dropRead(lock, stem, owner, n);
    }
    if (before !== count) {
      L.redis.call('HSET', lock, owner, count);
    }
    if (!L.isTrue(writes)) {
      let longest = longestOfAll(lock, stem)[0];
      L.redis.call('PEXPIRE', lock, longest);
      tellShorter(left, longest, channel, publish, L.number(serverNow()[0]) - L.number(now));
    }
    return [
      L.tableOf([
        L.or(
          L.and(isTorn, () => 'torn'),
          () => 'held',
        ),
        now,
      ]),
    ];
  },
  'read-lock/inspect': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let [mode, found] = modeOf(lock);
    if (!L.isTrue(mode)) {
      return [L.tableOf(['wrong-type', found, 0, 0])];
    }
    let isRead = L.or(mode === 'read', () => L.redis.call('HLEN', lock)[0] > 2);
    return [
      L.tableOf([
        L.or(
          L.and(isRead, () => 'locked'),
          () => 'free',
        ),
        '',
        readCount(lock, owner)[0],
        ...L.redis.call('PTTL', lock),
      ]),
    ];
  },
  'read-lock/keep-timeout': (KEYS, ARGV) => {
    let timeout = L.get(KEYS, 1);
    let lease = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    L.redis.call('SET', timeout, '1', 'PX', lease);
    return [L.tableOf(['kept', now])];
  },
  'read-lock/release': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let stem = L.get(ARGV, 1);
    let owner = L.get(ARGV, 2);
    let channel = L.get(ARGV, 3);
    let publish = L.get(ARGV, 4);
    let notAfter = L.tonumber(L.get(ARGV, 5))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    let mode = modeField(lock)[0];
    let reads = readCount(lock, owner)[0];
    if (reads > 0) {
      L.redis.call('HDEL', lock, owner);
      for (let n = 1, $1 = L.number(reads); n <= $1; n += 1) {
        dropRead(lock, stem, owner, n);
      }
    }
    let isFree = L.and(!L.isTrue(mode), () => L.redis.call('EXISTS', lock)[0] === 0);
    if (reads > 0 && mode === 'read') {
      let longest = longestOfAll(lock, stem)[0];
      isFree = longest <= 0;
      if (L.isTrue(isFree)) {
        freeReadWrite(lock);
      } else {
        let left = L.redis.call('PTTL', lock)[0];
        L.redis.call('PEXPIRE', lock, longest);
        tellShorter(left, longest, channel, publish);
      }
    }
    if (L.isTrue(isFree)) {
      L.redis.pcall(publish, channel, '0');
    }
    return [
      L.tableOf([
        L.or(
          L.and(reads > 0, () => 'released'),
          () => 'not-held',
        ),
        now,
      ]),
    ];
  },
  'read-lock/renew': (KEYS, ARGV) => {
    let locks = KEYS;
    let notAfter = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let holders = L.tableOf([]);
    for (let i = 2, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(holders, L.number(i) - 1, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    let reply = L.tableOf(['renewed', now]);
    for (const [i, lock] of L.ipairs(locks)) {
      let [owner, lease, stem] = [
        L.get(holders, 3 * L.number(i) - 2),
        L.tonumber(L.get(holders, 3 * L.number(i) - 1))[0],
        L.get(holders, 3 * L.number(i)),
      ];
      let reads = readCount(lock, owner)[0];
      if (reads > 0) {
        L.redis.call('PEXPIRE', lock, ...L.math.max(L.redis.call('PTTL', lock)[0], lease));
      }
      let held = L.or(
        L.and(reads > 0, () => 1),
        () => 0,
      );
      for (let n = 1, $2 = L.number(reads); n <= $2; n += 1) {
        if (!L.isTrue(keepRead(lock, stem, owner, n, lease)[0])) {
          held = -L.number(reads);
        }
      }
      L.set(reply, L.number(i) + 2, held);
    }
    return [reply];
  },
  'read-lock/upgrade': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let stem = L.get(ARGV, 1);
    let from = L.get(ARGV, 2);
    let to = L.get(ARGV, 3);
    let lease = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let channel = L.get(ARGV, 5);
    let publish = L.get(ARGV, 6);
    let notAfter = L.tonumber(L.get(ARGV, 7))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, now])];
    }
    if (writeCount(lock, to)[0] > 0) {
      if (L.redis.call('PTTL', lock)[0] < lease) {
        L.redis.call('PEXPIRE', lock, lease);
      }
      return [L.tableOf(['held', 0, now])];
    }
    let reads = readCount(lock, from)[0];
    if (reads === 0) {
      return [L.tableOf(['lost', 0, now])];
    }
    if (modeField(lock)[0] === 'write') {
      return [L.tableOf(['writes', 0, now])];
    }
    let [others, dead] = otherReaders(lock, stem, from);
    if (others > 0) {
      return [L.tableOf(['others', others, now])];
    }
    let left = L.redis.call('PTTL', lock)[0];
    L.redis.call('PEXPIRE', lock, lease);
    L.redis.call('HDEL', lock, from);
    for (const [_, reader] of L.ipairs(dead)) {
      L.redis.call('HDEL', lock, reader);
    }
    L.redis.call('HSET', lock, 'mode', 'write', L.text(to) + ':write', 1);
    for (let n = 1, $1 = L.number(reads); n <= $1; n += 1) {
      dropRead(lock, stem, from, n);
    }
    tellShorter(left, lease, channel, publish);
    return [L.tableOf(['held', 0, now])];
  },
  'write-lock/acquire': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let stem = L.get(ARGV, 1);
    let owner = L.get(ARGV, 2);
    let lease = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let waiter = L.get(ARGV, 4);
    let slot = L.tonumber(L.get(ARGV, 5))[0];
    if (!L.isTrue(slot)) {
      return L.redis.error_reply('ERR argument slot is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 6))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', 0, '', now])];
    }
    let [mode, holder] = modeOf(lock);
    if (!L.isTrue(mode)) {
      return [L.tableOf(['wrong-type', 0, holder, now])];
    }
    if (mode === '') {
      L.redis.call('HSET', lock, 'mode', 'write', L.text(owner) + ':write', 1);
      let limited = L.redis.pcall('PEXPIRE', lock, lease)[0];
      if (L.type(limited)[0] === 'table') {
        L.redis.call('DEL', lock);
        return [limited];
      }
      return [L.tableOf(['acquired', lease, '', now])];
    }
    if (writeCount(lock, owner)[0] > 0) {
      L.redis.call('PEXPIRE', lock, lease);
      return [L.tableOf(['acquired', lease, '', now])];
    }
    if (waiter !== '') {
      announceWriter(lock, stem, waiter, now, slot);
    }
    return [L.tableOf(['busy', L.redis.call('PTTL', lock)[0], holder, now])];
  },
  'write-lock/announce': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let stem = L.get(ARGV, 1);
    let waiter = L.get(ARGV, 2);
    let slot = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(slot)) {
      return L.redis.error_reply('ERR argument slot is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    announceWriter(lock, stem, waiter, now, slot);
    return [L.tableOf(['announced', now])];
  },
  'write-lock/downgrade': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let stem = L.get(ARGV, 1);
    let from = L.get(ARGV, 2);
    let to = L.get(ARGV, 3);
    let lease = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let channel = L.get(ARGV, 5);
    let publish = L.get(ARGV, 6);
    let notAfter = L.tonumber(L.get(ARGV, 7))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    let writes = writeCount(lock, from)[0] > 0;
    let isReading = L.and(modeField(lock)[0] === 'read', () => readCount(lock, to)[0] > 0);
    if (!L.isTrue(writes) && !L.isTrue(isReading)) {
      return [L.tableOf(['lost', now])];
    }
    let kept = L.or(
      L.and(isReading, () => L.math.max(lease, ...longestRead(lock, stem, to, 1))[0]),
      () => lease,
    );
    L.redis.call('PEXPIRE', lock, ...L.math.max(L.redis.call('PTTL', lock)[0], kept));
    if (L.isTrue(writes)) {
      L.redis.call('HDEL', lock, L.text(from) + ':write');
      L.redis.call('HSET', lock, 'mode', 'read', to, 1);
    }
    let isTorn = !L.isTrue(keepRead(lock, stem, to, 1, kept, writes)[0]);
    L.redis.call('PEXPIRE', lock, ...longestOfAll(lock, stem));
    if (L.isTrue(writes)) {
      L.redis.pcall(publish, channel, '1');
    }
    return [
      L.tableOf([
        L.or(
          L.and(isTorn, () => 'torn'),
          () => 'held',
        ),
        now,
      ]),
    ];
  },
  'write-lock/force-release': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let channel = L.get(ARGV, 1);
    let publish = L.get(ARGV, 2);
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now])];
    }
    let [mode, found] = modeOf(lock);
    if (!L.isTrue(mode)) {
      return [L.tableOf(['wrong-type', found, now])];
    }
    if (mode !== 'write') {
      return [L.tableOf(['not-held', '', now])];
    }
    freeReadWrite(lock);
    L.redis.pcall(publish, channel, '1');
    return [L.tableOf(['released', '', now])];
  },
  'write-lock/hold': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let stem = L.get(ARGV, 1);
    let owner = L.get(ARGV, 2);
    let count = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(count)) {
      return L.redis.error_reply('ERR argument count is not a number');
    }
    let lease = L.tonumber(L.get(ARGV, 4))[0];
    if (!L.isTrue(lease)) {
      return L.redis.error_reply('ERR argument lease is not a number');
    }
    let channel = L.get(ARGV, 5);
    let publish = L.get(ARGV, 6);
    let notAfter = L.tonumber(L.get(ARGV, 7))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    let held = writeCount(lock, owner)[0];
    if (held === 0) {
      return [L.tableOf(['lost', now])];
    }
    let left = L.redis.call('PTTL', lock)[0];
    let kept = keepWriting(lock, stem, owner, lease)[0];
    tellShorter(left, kept, channel, publish, L.number(serverNow()[0]) - L.number(now));
    if (held !== count) {
      L.redis.call('HINCRBY', lock, L.text(owner) + ':write', L.number(count) - L.number(held));
    }
    return [L.tableOf(['held', now])];
  },
  'write-lock/inspect': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let owner = L.get(ARGV, 1);
    let [mode, found] = modeOf(lock);
    if (!L.isTrue(mode)) {
      return [L.tableOf(['wrong-type', found, 0, 0])];
    }
    return [
      L.tableOf([
        L.or(
          L.and(mode === 'write', () => 'locked'),
          () => 'free',
        ),
        '',
        writeCount(lock, owner)[0],
        ...L.redis.call('PTTL', lock),
      ]),
    ];
  },
  'write-lock/release': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let stem = L.get(ARGV, 1);
    let owner = L.get(ARGV, 2);
    let channel = L.get(ARGV, 3);
    let publish = L.get(ARGV, 4);
    let now = serverNow()[0];
    let held = writeCount(lock, owner)[0] > 0;
    let isFree = L.redis.call('EXISTS', lock)[0] === 0;
    if (L.isTrue(held)) {
      L.redis.call('HDEL', lock, L.text(owner) + ':write');
      let longest = longestRead(lock, stem, owner, ...readCount(lock, owner))[0];
      if (longest > 0) {
        L.redis.call('HSET', lock, 'mode', 'read');
        L.redis.call('PEXPIRE', lock, longest);
      } else {
        freeReadWrite(lock);
      }
    }
    if (L.isTrue(held) || L.isTrue(isFree)) {
      L.redis.pcall(publish, channel, '1');
    }
    return [
      L.tableOf([
        L.or(
          L.and(held, () => 'released'),
          () => 'not-held',
        ),
        now,
      ]),
    ];
  },
  'write-lock/renew': (KEYS, ARGV) => {
    let locks = KEYS;
    let notAfter = L.tonumber(L.get(ARGV, 1))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let holders = L.tableOf([]);
    for (let i = 2, $1 = L.length(ARGV); i <= $1; i += 1) {
      L.set(holders, L.number(i) - 1, L.get(ARGV, i));
    }
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', now])];
    }
    let reply = L.tableOf(['renewed', now]);
    for (const [i, lock] of L.ipairs(locks)) {
      let [owner, lease, stem] = [
        L.get(holders, 3 * L.number(i) - 2),
        L.tonumber(L.get(holders, 3 * L.number(i) - 1))[0],
        L.get(holders, 3 * L.number(i)),
      ];
      let held = writeCount(lock, owner)[0] > 0;
      if (L.isTrue(held)) {
        keepWriting(lock, stem, owner, lease);
      }
      L.set(
        reply,
        L.number(i) + 2,
        L.or(
          L.and(held, () => 1),
          () => 0,
        ),
      );
    }
    return [reply];
  },
  'write-lock/withdraw': (KEYS, ARGV) => {
    let writers = L.get(KEYS, 1);
    let lock = L.get(ARGV, 1);
    let waiter = L.get(ARGV, 2);
    let channel = L.get(ARGV, 3);
    let publish = L.get(ARGV, 4);
    let now = serverNow()[0];
    let isWritten = L.and(!L.isTrue(isElsewhere(writers, lock)[0]), () => modeField(lock)[0] === 'write');
    if (L.redis.call('ZREM', writers, waiter)[0] === 0) {
      return [L.tableOf(['not-waiting', now])];
    }
    if (!L.isTrue(isWritten)) {
      L.redis.pcall(publish, channel, '1');
    }
    return [L.tableOf(['withdrawn', now])];
  },
  'single-flight/find': (KEYS, ARGV) => {
    let result = L.get(KEYS, 1);
    let now = serverNow()[0];
    let kept = L.redis.pcall('GET', result)[0];
    if (!L.isTrue(kept)) {
      return [L.tableOf(['none', '', 0, now])];
    }
    if (L.type(kept)[0] === 'table') {
      let found = L.get(L.redis.call('TYPE', result)[0], 'ok');
      if (found === 'string') {
        L.redis.call('GET', result);
      }
      return [L.tableOf(['wrong-type', found, 0, now])];
    }
    let [landedAt, text] = L.string.match(kept, '^(%d+):(.*)$');
    if (!L.isTrue(landedAt)) {
      return [L.tableOf(['wrong-type', 'string', 0, now])];
    }
    return [L.tableOf(['landed', text, L.tonumber(landedAt)[0], now])];
  },
  'single-flight/land': (KEYS, ARGV) => {
    let lock = L.get(KEYS, 1);
    let result = L.get(KEYS, 2);
    let owner = L.get(ARGV, 1);
    let keep = L.tonumber(L.get(ARGV, 2))[0];
    if (!L.isTrue(keep)) {
      return L.redis.error_reply('ERR argument keep is not a number');
    }
    let notAfter = L.tonumber(L.get(ARGV, 3))[0];
    if (!L.isTrue(notAfter)) {
      return L.redis.error_reply('ERR argument notAfter is not a number');
    }
    let text = L.get(ARGV, 4);
    let now = serverNow()[0];
    if (now > notAfter) {
      return [L.tableOf(['late', '', now])];
    }
    if (holdCount(lock, owner)[0] === 0) {
      return [L.tableOf(['lost', '', now])];
    }
    let found = L.get(L.redis.call('TYPE', result)[0], 'ok');
    if (found !== 'none' && found !== 'string') {
      return [L.tableOf(['wrong-type', found, now])];
    }
    L.redis.call('SET', result, L.text(L.string.format('%.0f', now)[0]) + (':' + L.text(text)), 'PX', keep);
    return [L.tableOf(['kept', '', now])];
  },
};
