// Written by tools/embed-scripts.mjs from the .lua files of lib/backend: edit those, then 'npm run scripts:embed'.
import { script } from './script.js';
/** kinds/fair-lock/shared/fair-places.lua */
const fairPlaces = `local QUEUE_GRACE = 60000
local MARK = 1000
local function onlyOurs(queue, deadlines)
  local ends = redis.call('PTTL', deadlines)
  if ends <= 0 or redis.call('PTTL', queue) < ends + MARK / 2 then return false end
  local count = redis.call('ZCARD', deadlines)
  local last = redis.call('LINDEX', queue, count - 1)
  return last and isOurs(last) and not redis.call('LINDEX', queue, count)
end
local function areOurs(waiters)
  for _, waiter in ipairs(waiters) do
    if not isOurs(waiter) then return false end
  end
  return true
end
local function limitQueue(queue, deadlines, hasEnd, now)
  if hasEnd then
    local last = tonumber(redis.call('ZREVRANGE', deadlines, 0, 0, 'WITHSCORES')[2])
    local ends = math.floor(math.max(last or now, now) - now + 0.5) + QUEUE_GRACE
    redis.call('PEXPIRE', queue, ends)
    redis.call('PEXPIRE', deadlines, ends - MARK)
  else
    redis.call('PERSIST', queue)
    redis.call('PERSIST', deadlines)
  end
end
local function countedOn(queue, leaver)
  if isOurs(leaver) then return {} end
  local waiters, isBehind = {}, false
  for _, waiter in ipairs(redis.call('LRANGE', queue, 0, -1)) do
    if isBehind then waiters[#waiters + 1] = waiter end
    isBehind = isBehind or waiter == leaver
  end
  return waiters
end
local function lower(deadlines, waiters, slot)
  for _, waiter in ipairs(waiters) do redis.call('ZADD', deadlines, 'XX', 'INCR', -slot, waiter) end
end
local REDISSON_WAIT = 300000
local function behindJava(deadline, last)
  return math.max(last + REDISSON_WAIT, deadline or 0)
end
local BOOKED = 0.5
local FIRST_LEASES = 16384
local function firstLeaseIn(deadline)
  return deadline and deadline % BOOKED * FIRST_LEASES or 0
end
local function keptUntil(last, slot, now, firstLease)
  return math.ceil(last + slot) - (last > now and BOOKED or 0) + firstLease / FIRST_LEASES
end
local function withoutExcess(deadline, slot, now)
  if not deadline or deadline % 1 < BOOKED then return nil end
  local enough = keptUntil(now, slot, now, firstLeaseIn(deadline))
  return enough < deadline and enough or nil
end
local function endBookings(queue, deadlines, head, deadline, slot, now)
  local lowered = head and isOurs(head) and withoutExcess(deadline, slot, now)
  if not lowered then return deadline end
  local waiters = redis.call('LRANGE', queue, 0, -1)
  limitQueue(queue, deadlines, areOurs(waiters), now)
  for _, waiter in ipairs(waiters) do
    if not isOurs(waiter) then break end
    local enough = withoutExcess(tonumber(redis.call('ZSCORE', deadlines, waiter)), slot, now)
    if enough then redis.call('ZADD', deadlines, enough, waiter) end
  end
  limitQueue(queue, deadlines, areOurs(waiters), now)
  return lowered
end`;
/** kinds/fair-lock/shared/fair-queue.lua */
const fairQueue = `local function foreignKey(queue, deadlines)
  local found = redis.call('TYPE', queue).ok
  if found ~= 'none' and found ~= 'list' then return queue, found end
  found = redis.call('TYPE', deadlines).ok
  if found ~= 'none' and found ~= 'zset' then return deadlines, found end
end
local function headOf(queue) return ofWhatIsLeft(redis.pcall('LINDEX', queue, 0)) end
local function purgeQueue(queue, deadlines, now)
  local purged = false
  local head = redis.call('LINDEX', queue, 0)
  while head do
    local deadline = tonumber(redis.call('ZSCORE', deadlines, head))
    if not deadline or deadline > now then return head, deadline, purged end
    redis.call('ZREM', deadlines, head)
    redis.call('LPOP', queue)
    purged = true
    head = headOf(queue)
  end
end
local function tellHead(head, channel, publish, lease)
  if not head then return end
  local client = clientChannel(channel, head)
  local message = client and lease or '0'
  redis.pcall(publish, channel .. ':' .. head, message)
  if client then redis.pcall(publish, client, message) end
end`;
/** kinds/fair-lock/shared/give-to-head.lua */
const giveToHead = `local function giveToHead(lock, queue, deadlines, head, deadline, channel, publish, now)
  local own = head and waitsFor(head, lock) and clientChannel(channel, head) or nil
  local lease = own and firstLeaseIn(deadline) or 0
  if lease == 0 or redis.pcall('EXISTS', lock) ~= 0 or (listeners(own, publish) or 0) == 0 then return false end
  if takeTurn(lock, queue, deadlines, head, lease, 0, now) then return false end
  redis.pcall(publish, own, head .. ' ' .. lease .. ' ' .. now)
  tellNext(lock, queue, deadlines, channel, publish, lease, now)
  return true
end`;
/** kinds/fair-lock/shared/our-waiters.lua */
const ourWaiters = `local function isOurs(waiter)
  return string.sub(waiter, 15, 15) == '8'
end
local function hasBraces(waiter) return string.find(waiter, ':%-%d+$') ~= nil end
local function waitsFor(waiter, lock) return hasBraces(waiter) == (string.find(lock, '{', 1, true) ~= nil) end
local function clientChannel(channel, waiter)
  if not isOurs(waiter) then return nil end
  local client = string.match(waiter, '^(.+):%-?%d+$')
  return client and channel .. (hasBraces(waiter) and '::' or ':') .. client
end`;
/** kinds/fair-lock/shared/set-fair-lease.lua */
const setFairLease = `local function setFairLease(lock, queue, deadlines, lease, channel, publish, now)
  local before = redis.call('PTTL', lock)
  redis.call('PEXPIRE', lock, lease)
  if before ~= -1 and lease >= before or foreignKey(queue, deadlines) then return end
  local head = purgeQueue(queue, deadlines, now)
  tellHead(head, channel, publish, head and waitsFor(head, lock) and math.max(2, lease) or '0')
end`;
/** kinds/fair-lock/shared/take-turn.lua */
const takeTurn = `local function takeTurn(lock, queue, deadlines, owner, lease, slot, now)
  local refused = takeLock(lock, owner, lease)
  if refused then return refused end
  local isKnown = onlyOurs(queue, deadlines)
  local lowered = countedOn(queue, owner)
  redis.call('LPOP', queue)
  redis.call('ZREM', deadlines, owner)
  lower(deadlines, lowered, slot)
  if redis.call('LINDEX', queue, 0) then
    limitQueue(queue, deadlines, isKnown or areOurs(redis.call('LRANGE', queue, 0, -1)), now)
  else
    redis.call('DEL', deadlines)
  end
end`;
/** kinds/fair-lock/shared/tell-next.lua */
const tellNext = `local function nextOfOurs(queue, deadlines, now)
  local index, waiter = 0, headOf(queue)
  while waiter do
    local deadline = tonumber(redis.pcall('ZSCORE', deadlines, waiter))
    if isOurs(waiter) and (deadline or now + 1) > now then return waiter, deadline end
    index = index + 1
    waiter = redis.call('LINDEX', queue, index)
  end
end
local function tellNext(lock, queue, deadlines, channel, publish, lease, now)
  local waiter, deadline = nextOfOurs(queue, deadlines, now)
  if not waiter then return end
  local heard = firstLeaseIn(deadline) > 0 and clientChannel(channel, waiter) or channel .. ':' .. waiter
  redis.pcall(publish, heard, waitsFor(waiter, lock) and math.max(2, lease) or '0')
end`;
/** kinds/inspection/shared/inspected.lua */
const inspected = `local function textUnder(key)
  local text = redis.pcall('GET', key)
  if type(text) == 'string' then return { text = text } end
  if not text then return nil end
  local found = redis.pcall('TYPE', key)
  return found.ok and { type = found.ok } or nil
end
local function membersOf(key, least, most)
  local count = redis.pcall('ZCOUNT', key, least, '+inf')
  if type(count) ~= 'number' then
    local found = redis.pcall('TYPE', key)
    return { type = found.ok, count = 0, members = {} }
  end
  return { count = count, members = redis.call('ZRANGEBYSCORE', key, least, '+inf', 'LIMIT', 0, most) }
end`;
/** kinds/inspection/shared/places-in-line.lua */
const placesInLine = `local function placesIn(queue, deadlines, now, most)
  local waiters = redis.pcall('LRANGE', queue, 0, most - 1)
  if waiters.err then
    local found = redis.pcall('TYPE', queue)
    return { type = found.ok, count = 0, members = {} }
  end
  local alive = {}
  for _, waiter in ipairs(waiters) do
    local deadline = redis.pcall('ZSCORE', deadlines, waiter)
    if type(deadline) ~= 'string' or tonumber(deadline) > now then alive[#alive + 1] = waiter end
  end
  local all = #waiters < most and 0 or redis.pcall('ZCARD', deadlines)
  return { count = math.max(#alive, tonumber(all) or 0), members = alive }
end`;
/** kinds/limit/shared/holds-permit.lua */
const holdsPermit = `local function holdsPermit(permits, owner, now)
  if redis.call('TYPE', permits).ok ~= 'zset' then return false end
  local deadline = redis.call('ZSCORE', permits, owner)
  return deadline and tonumber(deadline) > now or false
end`;
/** kinds/limit/shared/keep-permit.lua */
const keepPermit = `local function keepPermit(permits, owner, lease, now)
  redis.call('PEXPIRE', permits, math.max(redis.call('PTTL', permits), lease))
  redis.call('ZADD', permits, 'XX', now + lease, owner)
end`;
/** kinds/limit/shared/numbers.lua */
const numbers = `local LEAST_NUMBER = -2147483648
local function takeNumber(permits, owner, now)
  local own = redis.call('ZSCORE', permits, 'number ' .. owner)
  if own then return -1 - tonumber(own) end
  local taken = {}
  local marks = redis.call('ZRANGEBYSCORE', permits, LEAST_NUMBER, -1, 'WITHSCORES')
  for i = 1, #marks, 2 do
    local deadline = redis.call('ZSCORE', permits, string.sub(marks[i], #'number ' + 1))
    if deadline and tonumber(deadline) > now then taken[-1 - tonumber(marks[i + 1])] = true
    else redis.call('ZREM', permits, marks[i]) end
  end
  local number = 0
  while taken[number] do number = number + 1 end
  redis.call('ZADD', permits, -1 - number, 'number ' .. owner)
  return number
end`;
/** kinds/limit/shared/permits-in-use.lua */
const permitsInUse = `local function permitsInUse(permits, now)
  return redis.call('ZCOUNT', permits, '(' .. now, '+inf')
end`;
/** kinds/limit/shared/places.lua */
const places = `local FIRST_PLACE = -9000000000000
local LAST_PLACE = -5000000000000
local function hasPlace(permits, owner) return redis.call('ZSCORE', permits, 'place ' .. owner) and true or false end
local function removePlace(permits, owner)
  return redis.call('ZREM', permits, 'place ' .. owner, 'until ' .. owner) > 0
end
local function keepPlace(permits, owner, slot, now)
  redis.call('PEXPIRE', permits, math.max(redis.call('PTTL', permits), slot))
  redis.call('ZADD', permits, -(now + slot), 'until ' .. owner)
end
local function addPlace(permits, owner, slot, now)
  local places = redis.call('ZCOUNT', permits, '-inf', LAST_PLACE)
  local place = FIRST_PLACE
  if places > 0 then
    local last = redis.call('ZCARD', permits) - places
    place = tonumber(redis.call('ZREVRANGE', permits, last, last, 'WITHSCORES')[2]) + 1
  end
  redis.call('ZADD', permits, place, 'place ' .. owner)
  keepPlace(permits, owner, slot, now)
end
local function headOf(permits, now)
  local purged = false
  while true do
    local first = redis.call('ZRANGEBYSCORE', permits, '-inf', LAST_PLACE, 'LIMIT', 0, 1)[1]
    if not first then return nil, nil, purged end
    local owner = string.sub(first, #'place ' + 1)
    local left = -tonumber(redis.call('ZSCORE', permits, 'until ' .. owner) or '0') - now
    if left > 0 then return owner, left, purged end
    removePlace(permits, owner)
    purged = true
  end
end
local function tellNext(head, channel, turns, publish)
  redis.pcall(publish, head and turns .. ':' .. head or channel, '0')
end`;
/** kinds/limit/shared/stored-limit.lua */
const storedLimit = `local function storedLimit(permits)
  local found = redis.call('TYPE', permits).ok
  if found == 'none' then return 0 end
  if found ~= 'zset' then return nil, found end
  local limit = redis.call('ZSCORE', permits, 'limit')
  if not limit then return nil, 'zset that is no limit' end
  return tonumber(limit)
end`;
/** kinds/limit/shared/take-permit.lua */
const takePermit = `local function takePermit(permits, owner, lease, limit, inUse, now)
  redis.call('ZADD', permits, now + lease, owner, limit, 'limit')
  local limited = redis.pcall('PEXPIRE', permits, math.max(redis.call('PTTL', permits), lease))
  if type(limited) == 'table' then
    redis.call('ZREM', permits, owner)
    if inUse == 0 then redis.call('DEL', permits) end
    return limited
  end
  redis.call('ZREMRANGEBYSCORE', permits, 2147483648, now)
end`;
/** kinds/permits/shared/from-hex.lua */
const fromHex = `local function fromHex(hex)
  local bytes = hex:gsub('%x%x', function(byte) return string.char(tonumber(byte, 16)) end)
  return bytes
end`;
/** kinds/permits/shared/no-deadline.lua */
const noDeadline = `local NO_DEADLINE = 922337203685477`;
/** kinds/permits/shared/permit-pool.lua */
const permitPool = `local function permitPool(permits, deadlines)
  local available, found = countUnder(permits)
  if not available then return nil, 'wrong-type', found end
  local kind = redis.call('TYPE', deadlines).ok
  if kind ~= 'none' and kind ~= 'zset' then return nil, 'wrong-deadlines', kind end
  return { isSet = found ~= 'none', available = available, out = redis.call('ZCARD', deadlines) }
end`;
/** kinds/permits/shared/sweep-permits.lua */
const sweepPermits = `local function sweepPermits(permits, deadlines, channel, publish, now, limit)
  local swept = 0
  if limit then
    for _, permit in ipairs(redis.call('ZRANGEBYSCORE', deadlines, 0, now, 'LIMIT', 0, limit)) do
      swept = swept + redis.call('ZREM', deadlines, permit)
    end
  else
    swept = redis.call('ZREMRANGEBYSCORE', deadlines, 0, now)
  end
  if swept > 0 then
    local available = redis.call('INCRBY', permits, swept)
    if available > 0 then redis.pcall(publish, channel, available) end
  end
  return swept
end`;
/** kinds/read-write/shared/free-read-write.lua */
const freeReadWrite = `local function freeReadWrite(lock)
  local ours, theirs = { 'mode' }, 0
  for _, field in ipairs(redis.call('HKEYS', lock)) do
    if ownerIn(field) then ours[#ours + 1] = field elseif field ~= 'mode' then theirs = theirs + 1 end
  end
  if theirs == 0 then
    redis.call('DEL', lock)
    return
  end
  for _, field in ipairs(ours) do redis.call('HDEL', lock, field) end
  redis.call('PERSIST', lock)
end`;
/** kinds/read-write/shared/keep-writing.lua */
const keepWriting = `local function keepWriting(lock, stem, owner, lease)
  local reads = tonumber(redis.call('HGET', lock, owner) or '0')
  local kept = math.max(lease, longestRead(lock, stem, owner, reads))
  redis.call('PEXPIRE', lock, kept)
  return kept
end`;
/** kinds/read-write/shared/other-readers.lua */
const otherReaders = `local function otherReaders(lock, stem, owner)
  local alive, dead = 0, {}
  local fields = redis.call('HGETALL', lock)
  for i = 1, #fields, 2 do
    local reader = fields[i]
    local reads = reader ~= owner and isOwner(reader) and countIn(fields[i + 1]) or 0
    if reads > 0 then
      if longestRead(lock, stem, reader, reads) > 0 then alive = alive + 1 else dead[#dead + 1] = reader end
    end
  end
  return alive, dead
end`;
/** kinds/read-write/shared/read-count.lua */
const readCount = `local function readCount(lock, owner)
  if not modeField(lock) then return 0 end
  return tonumber(redis.call('HGET', lock, owner) or '0')
end`;
/** kinds/read-write/shared/read-timeouts.lua */
const readTimeouts = `local function timeoutKey(stem, owner, n) return stem .. owner .. ':rwlock_timeout:' .. n end
local function keepRead(lock, stem, owner, n, lease, isNew)
  local key = timeoutKey(stem, owner, n)
  if not isNew then
    if redis.pcall('PEXPIRE', key, lease) == 1 then return true end
    if isElsewhere(lock, key) then return false end
  end
  local kept = redis.pcall('SET', key, '1', 'PX', lease)
  if not kept.err then return true end
  if isElsewhere(lock, key) then return false end
  return redis.call('SET', key, '1', 'PX', lease)
end
local function dropRead(lock, stem, owner, n)
  local key = timeoutKey(stem, owner, n)
  local dropped = redis.pcall('DEL', key)
  if type(dropped) == 'table' and not isElsewhere(lock, key) then redis.call('DEL', key) end
end
local function longestRead(lock, stem, owner, count)
  local longest = -2
  for n = 1, count do
    local key = timeoutKey(stem, owner, n)
    local left = redis.pcall('PTTL', key)
    if (left == -2 or type(left) == 'table') and isElsewhere(lock, key) then left = redis.call('PTTL', lock) end
    if type(left) == 'table' then left = redis.call('PTTL', key) end
    longest = math.max(longest, left)
  end
  return longest
end
local function longestOfAll(lock, stem)
  local longest = -2
  local fields = redis.call('HGETALL', lock)
  for i = 1, #fields, 2 do
    local reads = isOwner(fields[i]) and countIn(fields[i + 1]) or 0
    longest = math.max(longest, longestRead(lock, stem, fields[i], reads))
  end
  return longest
end`;
/** kinds/read-write/shared/read-write-mode.lua */
const readWriteMode = `local function modeField(lock)
  local mode = redis.pcall('HGET', lock, 'mode')
  if type(mode) == 'table' then mode = not foreignType(lock) and redis.call('HGET', lock, 'mode') end
  return (mode == 'read' or mode == 'write') and mode or nil
end`;
/** kinds/read-write/shared/read-write-state.lua */
const readWriteState = `local function ownerIn(field)
  if isOwner(field) then return field end
  local owner = string.gsub(field, ':write', '', 1)
  return isOwner(owner) and owner or nil
end
local function modeOf(lock)
  local foreign = 'hash that is no lock of this kind'
  local mode = modeField(lock)
  if not mode then
    local found = redis.call('TYPE', lock).ok
    if found == 'none' then return '' end
    return nil, found == 'hash' and foreign or found
  end
  local some = redis.call('HRANDFIELD', lock, 4, 'WITHVALUES')
  local holder
  for i = 1, #some, 2 do
    if some[i] ~= 'mode' then
      local owner = ownerIn(some[i])
      if not owner or not countIn(some[i + 1]) then return nil, foreign end
      holder = holder or owner
    end
  end
  if not holder or (mode == 'write' and #some > 6) then return nil, foreign end
  return mode, holder
end`;
/** kinds/read-write/shared/waiting-writers.lua */
const waitingWriters = `local function writersKey(lock, stem)
  return stem .. (string.find(lock, '{', 1, true) and ':' or '') .. 'rwlock_writers'
end
local function announceWriter(lock, stem, writer, now, slot)
  local key = writersKey(lock, stem)
  if isElsewhere(lock, key) then return end
  redis.pcall('ZREMRANGEBYSCORE', key, '-inf', now)
  redis.pcall('ZADD', key, now + slot, writer)
  local left = redis.pcall('PTTL', key)
  redis.pcall('PEXPIRE', key, math.max(type(left) == 'number' and left or 0, slot))
end
local function waitingWriter(lock, stem, now)
  local last = redis.pcall('ZREVRANGE', writersKey(lock, stem), 0, 0, 'WITHSCORES')
  local remaining = last[1] and tonumber(last[2]) - now or 0
  if remaining > 0 then return last[1], remaining end
  return nil
end`;
/** kinds/read-write/shared/write-count.lua */
const writeCount = `local function writeCount(lock, owner)
  if modeField(lock) ~= 'write' then return 0 end
  return tonumber(redis.call('HGET', lock, owner .. ':write') or '0')
end`;
/** kinds/shared/answer-once.lua */
const answerOnce = `local function answerOnce(key, marker, notAfter)
  local now = serverNow()
  if now > notAfter then return now, { 'late', '', now } end
  local count, found = countUnder(key)
  if not count then return now, { 'wrong-type', found, now } end
  local answered = redis.call('GET', marker)
  return now, answered and { answered, '', now }, count, found
end`;
/** kinds/shared/count-under.lua */
const countUnder = `local function countUnder(key)
  local text = redis.pcall('GET', key)
  if type(text) == 'table' then
    local found = redis.call('TYPE', key).ok
    if found == 'string' or found == 'none' then redis.call('GET', key) end
    return nil, found
  end
  if not text then return 0, 'none' end
  local count = tonumber(text)
  if count and math.abs(count) < 2 ^ 53 and text == string.format('%.0f', count) and text ~= '-0' then
    return count, 'string'
  end
  return nil, 'string that is not a count'
end`;
/** kinds/shared/drop-hold.lua */
const dropHold = `local function dropHold(lock, owner)
  local dropped = redis.pcall('HDEL', lock, owner)
  if type(dropped) == 'table' then dropped = foreignType(lock) and 0 or redis.call('HDEL', lock, owner) end
  if dropped == 0 then return false end
  keepFields(lock)
  return true
end`;
/** kinds/shared/elsewhere.lua */
const elsewhere = `local function isElsewhere(lock, key)
  return type(redis.pcall('EXISTS', lock, key)) == 'table'
end`;
/** kinds/shared/foreign-type.lua */
const foreignType = `local function foreignType(key)
  local found = redis.call('TYPE', key).ok
  return found ~= 'hash' and found ~= 'none' and found or nil
end`;
/** kinds/shared/group-fields.lua */
const groupFields = `local function expiryField(field, owner) return field .. ':' .. owner .. ':expire_time' end
local function countField(field, owner) return field .. ':' .. owner .. ':lock_count' end
local function fieldHolder(group, field, now)
  local owner = redis.call('HGET', group, field)
  local expiry = owner and tonumber(redis.call('HGET', group, expiryField(field, owner)) or '')
  if expiry and expiry >= now then return owner, expiry end
end
local function onlyOfGroup(group)
  local some = redis.call('HRANDFIELD', group, 3, 'WITHVALUES')
  for i = 1, #some, 2 do
    local field = some[i]
    local named = string.match(field, '^[^:]+:(.+):expire_time$') or string.match(field, '^[^:]+:(.+):lock_count$')
    local owner = named or not string.find(field, ':', 1, true) and some[i + 1]
    if not owner or not isOwner(owner) then return false end
  end
  return true
end
local function typeOfGroup(group)
  local found = redis.call('TYPE', group).ok
  return found == 'hash' and not onlyOfGroup(group) and 'hash that is no lock of this kind' or found
end
local function leaveToOthers(group)
  if redis.pcall('EXISTS', group) == 1 and not onlyOfGroup(group) then redis.call('PERSIST', group) end
end
local function holdsAll(group, fields, owner, now)
  if redis.call('TYPE', group).ok ~= 'hash' then return false end
  for _, field in ipairs(fields) do
    if fieldHolder(group, field, now) ~= owner then return false end
  end
  return true
end
local function keepFields(group, fields, owner, expiry)
  for _, field in ipairs(fields) do
    local name = expiryField(field, owner)
    if (tonumber(redis.call('HGET', group, name) or '') or 0) < expiry then
      redis.call('HSET', group, name, string.format('%.0f', expiry))
    end
  end
end
local function shortenFields(group, fields, owner, expiry)
  local isShorter = false
  for _, field in ipairs(fields) do
    local name = expiryField(field, owner)
    if tonumber(redis.call('HGET', group, name)) > expiry then
      redis.call('HSET', group, name, string.format('%.0f', expiry))
      isShorter = true
    end
  end
  return isShorter
end
local function keepGroup(group, lease)
  local left = redis.call('PTTL', group)
  if left ~= -1 then redis.call('PEXPIRE', group, math.max(left, lease)) end
end
local function dropField(group, field, owner)
  local isHolder = ofWhatIsLeft(redis.pcall('HGET', group, field)) == owner
  local names = { expiryField(field, owner), countField(field, owner), isHolder and field or nil }
  ofWhatIsLeft(redis.pcall('HDEL', group, unpack(names)))
  return isHolder
end`;
/** kinds/shared/hold-count.lua */
const holdCount = `local function holdCount(lock, owner)
  local count = redis.pcall('HGET', lock, owner)
  if type(count) == 'table' then count = not foreignType(lock) and redis.call('HGET', lock, owner) end
  return tonumber(count or '0') or 0
end`;
/** kinds/shared/is-later.lua */
const isLater = `local function isLater(token, other)
  if #token ~= #other then return #token > #other end
  return token > other
end`;
/** kinds/shared/keep-fields.lua */
const keepFields = `local function keepFields(lock)
  if redis.pcall('EXISTS', lock) == 1 and not redis.call('HGET', lock, 'mode') then redis.call('PERSIST', lock) end
end`;
/** kinds/shared/last-token.lua */
const lastToken = `local function lastToken(token)
  local found = redis.call('TYPE', token).ok
  if found == 'none' then return '0' end
  if found ~= 'string' then return nil, found end
  local last = redis.call('GET', token)
  local whole = last == '0' or string.find(last, '^[1-9]%d*$')
  local countable = whole and (#last < 19 or (#last == 19 and last < '9223372036854775807'))
  if not countable then return nil, 'string that is no fencing token' end
  return last
end`;
/** kinds/shared/listeners.lua */
const listeners = `local function countCommand(publish)
  return publish == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB'
end
local function listeners(channel, publish)
  return tonumber(redis.pcall('PUBSUB', countCommand(publish), channel)[2])
end
local function ownChannel(lock, channel, part)
  return channel .. (string.find(lock, '{', 1, true) and '::' or ':') .. part
end
local function others(lock, channel, publish)
  local clients = ownChannel(lock, channel, 'clients')
  local counts = redis.pcall('PUBSUB', countCommand(publish), channel, clients)
  return counts[4] and math.max(0, counts[2] - counts[4])
end`;
/** kinds/shared/owners.lua */
const owners = `local function isOwner(text)
  return string.find(text, '.:%-?%d+$') ~= nil or string.find(text, '.:%-?%d+:%x+$') ~= nil
end
local function countIn(text)
  return text and #text < 16 and string.find(text, '^%d+$') and tonumber(text) or nil
end`;
/** kinds/shared/pass-on.lua */
const passOn = `local FRESH = 100
local OTHERS_LOOK = 5000
local function grant(lock, entry, arrived, channel, publish, now)
  local owner, client, lease, first = partsOf(entry)
  local own = owner and ownChannel(lock, channel, client)
  if not owner or (listeners(own, publish) or 0) == 0 then return false end
  local granted = now - arrived / 1000 <= FRESH and lease or first
  if takeLock(lock, owner, granted) then return false end
  redis.pcall(publish, own, owner .. ' ' .. granted .. ' ' .. now)
  if granted == first or tonumber(granted) < OTHERS_LOOK then redis.pcall(publish, channel, granted) end
  return true
end
local function passOn(lock, waiters, channel, publish, again, now)
  if (others(lock, channel, publish) or 1) > 0 then return nil end
  for _ = 1, tonumber(redis.pcall('ZCARD', waiters)) or 0 do
    local first = redis.call('ZPOPMIN', waiters)
    if grant(lock, first[1], first[2], channel, publish, now) then
      if again ~= '' then addEntry(waiters, again) end
      return 'passed-on'
    end
  end
  if again == '' or isElsewhere(lock, waiters) then return nil end
  local owner, _, lease = partsOf(again)
  return not takeLock(lock, owner, lease) and 'kept' or nil
end`;
/** kinds/shared/server-now.lua */
const serverNow = `local function serverNow()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`;
/** kinds/shared/set-lease.lua */
const setLease = `local function setLease(lock, lease, channel, publish, entries)
  local before = redis.call('PTTL', lock)
  redis.call('PEXPIRE', lock, lease)
  if entries ~= '' and redis.pcall('EXISTS', entries) ~= 1 then return end
  tellShorter(before, lease, channel, publish)
end`;
/** kinds/shared/sole-hold.lua */
const soleHold = `local function soleHold(lock)
  local size = redis.pcall('HLEN', lock)
  if type(size) == 'table' then
    local found = redis.call('TYPE', lock).ok
    if found == 'hash' or found == 'none' then redis.call('HLEN', lock) end
    return nil, found
  end
  if size == 0 then return '', 0 end
  if size == 1 then
    local owner = redis.call('HKEYS', lock)[1]
    local count = owner and isOwner(owner) and countIn(redis.call('HGET', lock, owner))
    if count then return owner, count end
  end
  local mode = redis.call('HGET', lock, 'mode')
  return nil, (mode == 'read' or mode == 'write') and 'hash of a read-write lock' or 'hash that is no lock of this kind'
end`;
/** kinds/shared/take-fenced-lock.lua */
const takeFencedLock = `local TOKEN_LASTS = 604800000
local function takeFencedLock(lock, token, last, owner, lease, fencing, isFree)
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  if isFree or last == '0' then
    if fencing == 'clock' and tonumber(last) < micros then
      redis.call('SET', token, string.format('%.0f', micros))
    else
      redis.call('INCR', token)
    end
    last = redis.call('GET', token)
  end
  if isFree then
    local refused = takeLock(lock, owner, lease)
    if refused then return nil, refused end
  elseif redis.call('PTTL', lock) < lease then
    redis.call('PEXPIRE', lock, lease)
  end
  if fencing == 'clock' and tonumber(last) <= micros then
    redis.call('PEXPIRE', token, lease + TOKEN_LASTS)
  elseif redis.call('PTTL', token) > 0 then
    redis.call('SET', token, last)
  end
  return last
end`;
/** kinds/shared/take-from-holder.lua */
const takeFromHolder = `local function askToEnd(holder, holders, publish) redis.pcall(publish, holders, 'replace ' .. holder) end
local function dropForNewer(lock, holder, remaining, lease, holders, channel, publish)
  redis.call('DEL', lock)
  redis.pcall(publish, holders, 'replaced ' .. holder)
  tellShorter(remaining, lease, channel, publish)
end`;
/** kinds/shared/take-lock.lua */
const takeLock = `local function takeLock(lock, owner, lease)
  redis.call('HSET', lock, owner, '1')
  local limited = redis.pcall('PEXPIRE', lock, lease)
  if type(limited) ~= 'table' then return nil end
  redis.call('DEL', lock)
  return limited
end`;
/** kinds/shared/take-over.lua */
const takeOver = `local function takeOver(lock, from, to, lease, setLease)
  local isTaken = holdCount(lock, to) > 0
  if not isTaken and holdCount(lock, from) == 0 then return 'lost' end
  if not isTaken or redis.call('PTTL', lock) < lease then setLease() end
  if not isTaken then
    redis.call('HSET', lock, to, 1)
    redis.call('HDEL', lock, from)
  end
  return 'held'
end`;
/** kinds/shared/tell-shorter.lua */
const tellShorter = `local function tellShorter(before, left, channel, publish, passed)
  if before == -1 or left + (passed or 0) < before then redis.pcall(publish, channel, math.max(2, left)) end
end`;
/** kinds/shared/waiting-entry.lua */
const waitingEntry = `local ENTRIES_LAST = 60000
local function partsOf(entry)
  return string.match(entry, '^((.+):%d+) (%d+) (%d+)$')
end
local function addEntry(waiters, entry)
  local time = redis.call('TIME')
  redis.pcall('ZADD', waiters, 'NX', time[1] .. string.format('%06d', time[2]), entry)
  redis.pcall('PEXPIRE', waiters, ENTRIES_LAST)
end`;
/** kinds/shared/what-is-left.lua */
const whatIsLeft = `local function ofWhatIsLeft(answer)
  if type(answer) ~= 'table' or not answer.err then return answer end
  if string.find(answer.err, 'non local key', 1, true) then return false end
  error(answer.err, 0)
end`;
export const scripts = {
  counter: {
    /** Counts down by one; the last count deletes the latch and notifies waiters. */
    countDown: script<
      { latch: string; marker: string },
      { channel: string; publish: string; keep: number; notAfter: number },
      [outcome: 'counted' | 'open' | 'late' | 'wrong-type', detail: string, now: number]
    >({
      name: 'counter/count-down',
      keyNames: ['latch', 'marker'],
      argumentNames: ['channel', 'publish', 'keep', 'notAfter'],
      replies: [[{ holds: ['counted', 'open', 'late', 'wrong-type'] }, { holds: 'string' }, { holds: 'time' }]],
      text: [
        `local latch = KEYS[1]
local marker = KEYS[2]
local channel = ARGV[1]
local publish = ARGV[2]
local keep = tonumber(ARGV[3])
if not keep then return redis.error_reply('ERR argument keep is not a number') end
local notAfter = tonumber(ARGV[4])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        countUnder,
        answerOnce,
        `local now, answer, count, found = answerOnce(latch, marker, notAfter)
if answer then return answer end
redis.call('DEL', marker)
local outcome = found == 'none' and 'open' or 'counted'
redis.call('SET', marker, outcome, 'PX', keep)
if count > 1 then redis.call('DECR', latch) else redis.call('DEL', latch) end
if count == 1 then redis.pcall(publish, channel, '0') end
return { outcome, '', now }`,
      ].join('\n'),
    }),
    /** Deletes the number, and notifies waiters if there is a message for them. */
    delete: script<
      { counter: string; marker: string },
      { channel: string; publish: string; message: string; keep: number; notAfter: number },
      [outcome: 'deleted' | 'none' | 'late' | 'wrong-type', detail: string, now: number]
    >({
      name: 'counter/delete',
      keyNames: ['counter', 'marker'],
      argumentNames: ['channel', 'publish', 'message', 'keep', 'notAfter'],
      replies: [[{ holds: ['deleted', 'none', 'late', 'wrong-type'] }, { holds: 'string' }, { holds: 'time' }]],
      text: [
        `local counter = KEYS[1]
local marker = KEYS[2]
local channel = ARGV[1]
local publish = ARGV[2]
local message = ARGV[3]
local keep = tonumber(ARGV[4])
if not keep then return redis.error_reply('ERR argument keep is not a number') end
local notAfter = tonumber(ARGV[5])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        countUnder,
        answerOnce,
        `local now, answer = answerOnce(counter, marker, notAfter)
if answer then return answer end
local outcome = redis.call('DEL', counter) == 1 and 'deleted' or 'none'
redis.call('SET', marker, outcome, 'PX', keep)
if outcome == 'deleted' and message ~= '' then redis.pcall(publish, channel, message) end
return { outcome, '', now }`,
      ].join('\n'),
    }),
    /** Sets the time to live of the number, or removes it if `ttl` is 0. */
    expire: script<
      { counter: string; marker: string },
      { ttl: number; keep: number; notAfter: number },
      [outcome: 'changed' | 'unchanged' | 'late' | 'wrong-type', detail: string, now: number]
    >({
      name: 'counter/expire',
      keyNames: ['counter', 'marker'],
      argumentNames: ['ttl', 'keep', 'notAfter'],
      replies: [[{ holds: ['changed', 'unchanged', 'late', 'wrong-type'] }, { holds: 'string' }, { holds: 'time' }]],
      text: [
        `local counter = KEYS[1]
local marker = KEYS[2]
local ttl = tonumber(ARGV[1])
if not ttl then return redis.error_reply('ERR argument ttl is not a number') end
local keep = tonumber(ARGV[2])
if not keep then return redis.error_reply('ERR argument keep is not a number') end
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        countUnder,
        answerOnce,
        `local now, answer = answerOnce(counter, marker, notAfter)
if answer then return answer end
local changed
if ttl > 0 then changed = redis.call('PEXPIRE', counter, ttl) else changed = redis.call('PERSIST', counter) end
local outcome = changed == 1 and 'changed' or 'unchanged'
redis.call('SET', marker, outcome, 'PX', keep)
return { outcome, '', now }`,
      ].join('\n'),
    }),
    /** Deletes the marker of an answered request, which would otherwise stay for as long as the answer might have been lost. */
    forget: script<{ marker: string }, Record<string, never>, [forgotten: number]>({
      name: 'counter/forget',
      keyNames: ['marker'],
      argumentNames: [],
      replies: [[{ holds: 'number' }]],
      text: `local marker = KEYS[1]
return { redis.call('DEL', marker) }`,
    }),
    /** Returns the number, 0 if there is none, and the milliseconds until it expires, -1 if it does not. */
    inspect: script<
      { counter: string },
      Record<string, never>,
      [outcome: 'set' | 'none' | 'wrong-type', detail: string, count: string, remaining: number]
    >({
      name: 'counter/inspect',
      keyNames: ['counter'],
      argumentNames: [],
      replies: [
        [{ holds: ['set', 'none', 'wrong-type'] }, { holds: 'string' }, { holds: 'string' }, { holds: 'number' }],
      ],
      text: [
        `local counter = KEYS[1]`,
        countUnder,
        `local count, found = countUnder(counter)
if not count then return { 'wrong-type', found, '0', -1 } end
return { found == 'none' and 'none' or 'set', '', string.format('%.0f', count), redis.call('PTTL', counter) }`,
      ].join('\n'),
    }),
    /** Sets the number if there is none, and notifies waiters. */
    trySet: script<
      { counter: string; marker: string },
      { count: number; ttl: number; channel: string; publish: string; message: string; keep: number; notAfter: number },
      [outcome: 'set' | 'exists' | 'late' | 'wrong-type', detail: string, now: number]
    >({
      name: 'counter/try-set',
      keyNames: ['counter', 'marker'],
      argumentNames: ['count', 'ttl', 'channel', 'publish', 'message', 'keep', 'notAfter'],
      replies: [[{ holds: ['set', 'exists', 'late', 'wrong-type'] }, { holds: 'string' }, { holds: 'time' }]],
      text: [
        `local counter = KEYS[1]
local marker = KEYS[2]
local count = tonumber(ARGV[1])
if not count then return redis.error_reply('ERR argument count is not a number') end
local ttl = tonumber(ARGV[2])
if not ttl then return redis.error_reply('ERR argument ttl is not a number') end
local channel = ARGV[3]
local publish = ARGV[4]
local message = ARGV[5]
local keep = tonumber(ARGV[6])
if not keep then return redis.error_reply('ERR argument keep is not a number') end
local notAfter = tonumber(ARGV[7])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        countUnder,
        answerOnce,
        `local now, answer, _, found = answerOnce(counter, marker, notAfter)
if answer then return answer end
local outcome = found == 'none' and 'set' or 'exists'
redis.call('SET', marker, outcome, 'PX', keep)
if outcome == 'exists' then return { outcome, '', now } end
if ttl > 0 then redis.call('SET', counter, count, 'PX', ttl) else redis.call('SET', counter, count) end
redis.pcall(publish, channel, message)
return { outcome, '', now }`,
      ].join('\n'),
    }),
  },
  deadlock: {
    /** Removes the record of a blocked hold. */
    drop: script<{ blocked: string }, { text: string }, [outcome: 'dropped', now: number]>({
      name: 'deadlock/drop',
      keyNames: ['blocked'],
      argumentNames: ['text'],
      replies: [[{ holds: ['dropped'] }, { holds: 'time' }]],
      text: [
        `local blocked = KEYS[1]
local text = ARGV[1]`,
        serverNow,
        `local now = serverNow()
redis.call('ZREMRANGEBYSCORE', blocked, '-inf', now)
redis.call('ZREM', blocked, text)
return { 'dropped', now }`,
      ].join('\n'),
    }),
    /** Returns the records of blocked holds beside their lock, each with the time of its end. */
    find: script<{ blocked: string }, { most: number }, [outcome: 'found', now: number, ...textsAndEnds: string[]]>({
      name: 'deadlock/find',
      keyNames: ['blocked'],
      argumentNames: ['most'],
      replies: [[{ holds: ['found'] }, { holds: 'time' }, { holds: 'string', rest: true }]],
      text: [
        `local blocked = KEYS[1]
local most = tonumber(ARGV[1])
if not most then return redis.error_reply('ERR argument most is not a number') end`,
        serverNow,
        `local now = serverNow()
local reply = redis.call('ZRANGEBYSCORE', blocked, '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, most)
table.insert(reply, 1, now)
table.insert(reply, 1, 'found')
return reply`,
      ].join('\n'),
    }),
    /** Puts a record of a blocked hold beside its lock, or keeps the one that is there. */
    keep: script<{ blocked: string }, { text: string; ms: number }, [outcome: 'kept', now: number]>({
      name: 'deadlock/keep',
      keyNames: ['blocked'],
      argumentNames: ['text', 'ms'],
      replies: [[{ holds: ['kept'] }, { holds: 'time' }]],
      text: [
        `local blocked = KEYS[1]
local text = ARGV[1]
local ms = tonumber(ARGV[2])
if not ms then return redis.error_reply('ERR argument ms is not a number') end`,
        serverNow,
        `local now = serverNow()
redis.call('ZREMRANGEBYSCORE', blocked, '-inf', now)
redis.call('ZADD', blocked, now + ms, text)
redis.call('PEXPIRE', blocked, redis.call('ZREVRANGE', blocked, 0, 0, 'WITHSCORES')[2] - now)
return { 'kept', now }`,
      ].join('\n'),
    }),
  },
  fairLock: {
    /** Acquires a fair lock for a new owner that does not queue, if it has neither a holder nor a waiter. */
    acquire: script<
      { lock: string; queue: string; deadlines: string },
      { owner: string; lease: number; channel: string; publish: string; notAfter: number },
      [
        outcome: 'acquired' | 'busy' | 'reserved' | 'late' | 'wrong-type',
        remaining: number,
        detail: string,
        now: number,
        key: string,
      ]
    >({
      name: 'fair-lock/acquire',
      keyNames: ['lock', 'queue', 'deadlines'],
      argumentNames: ['owner', 'lease', 'channel', 'publish', 'notAfter'],
      grants: true,
      replies: [
        [
          { holds: ['acquired', 'busy', 'reserved', 'late', 'wrong-type'] },
          { holds: 'number' },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'string' },
        ],
      ],
      text: [
        `local lock = KEYS[1]
local queue = KEYS[2]
local deadlines = KEYS[3]
local owner = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local channel = ARGV[3]
local publish = ARGV[4]
local notAfter = tonumber(ARGV[5])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        owners,
        soleHold,
        takeLock,
        whatIsLeft,
        ourWaiters,
        fairQueue,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, '', now, '' } end
local foreign, found = foreignKey(queue, deadlines)
if foreign then return { 'wrong-type', 0, found, now, foreign } end
local head, deadline, isNewHead = purgeQueue(queue, deadlines, now)
if redis.call('EXISTS', lock) == 0 then
  if not head then return takeLock(lock, owner, lease) or { 'acquired', lease, '', now, '' } end
  if isNewHead then tellHead(head, channel, publish) end
  return { 'reserved', deadline and math.ceil(deadline - now) or -1, head, now, '' }
end
local holder, kind = soleHold(lock)
if not holder then return { 'wrong-type', 0, kind, now, lock } end
if holder ~= owner then return { 'busy', redis.call('PTTL', lock), holder, now, '' } end
redis.call('PEXPIRE', lock, lease)
return { 'acquired', lease, '', now, '' }`,
      ].join('\n'),
    }),
    /** Makes an owner that acts under the lock the holder in place of the owner of a token, for a time from now. */
    attach: script<
      { lock: string; queue: string; deadlines: string },
      { from: string; to: string; lease: number; channel: string; publish: string; notAfter: number },
      [outcome: 'held' | 'lost' | 'late', now: number]
    >({
      name: 'fair-lock/attach',
      keyNames: ['lock', 'queue', 'deadlines'],
      argumentNames: ['from', 'to', 'lease', 'channel', 'publish', 'notAfter'],
      grants: true,
      replies: [[{ holds: ['held', 'lost', 'late'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local queue = KEYS[2]
local deadlines = KEYS[3]
local from = ARGV[1]
local to = ARGV[2]
local lease = tonumber(ARGV[3])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local channel = ARGV[4]
local publish = ARGV[5]
local notAfter = tonumber(ARGV[6])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        holdCount,
        takeOver,
        whatIsLeft,
        ourWaiters,
        fairQueue,
        setFairLease,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local function keep() setFairLease(lock, queue, deadlines, lease, channel, publish, now) end
return { takeOver(lock, from, to, lease, keep), now }`,
      ].join('\n'),
    }),
    /** Leaves a held lock, for a time from now, to the owner of a token, which does not act under it. */
    detach: script<
      { lock: string; queue: string; deadlines: string },
      { from: string; to: string; lease: number; channel: string; publish: string; notAfter: number },
      [outcome: 'held' | 'lost' | 'late', now: number]
    >({
      name: 'fair-lock/detach',
      keyNames: ['lock', 'queue', 'deadlines'],
      argumentNames: ['from', 'to', 'lease', 'channel', 'publish', 'notAfter'],
      replies: [[{ holds: ['held', 'lost', 'late'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local queue = KEYS[2]
local deadlines = KEYS[3]
local from = ARGV[1]
local to = ARGV[2]
local lease = tonumber(ARGV[3])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local channel = ARGV[4]
local publish = ARGV[5]
local notAfter = tonumber(ARGV[6])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        holdCount,
        takeOver,
        whatIsLeft,
        ourWaiters,
        fairQueue,
        setFairLease,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local function keep() setFairLease(lock, queue, deadlines, lease, channel, publish, now) end
return { takeOver(lock, from, to, lease, keep), now }`,
      ].join('\n'),
    }),
    /** Ends the hold of any owner of the fair lock and wakes the head of the queue, which stays. */
    forceRelease: script<
      { lock: string; queue: string; deadlines: string },
      { channel: string; publish: string; notAfter: number },
      [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
    >({
      name: 'fair-lock/force-release',
      keyNames: ['lock', 'queue', 'deadlines'],
      argumentNames: ['channel', 'publish', 'notAfter'],
      replies: [[{ holds: ['released', 'not-held', 'late', 'wrong-type'] }, { holds: 'string' }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local queue = KEYS[2]
local deadlines = KEYS[3]
local channel = ARGV[1]
local publish = ARGV[2]
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        owners,
        soleHold,
        whatIsLeft,
        ourWaiters,
        fairQueue,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', found, now } end
local head = not foreignKey(queue, deadlines) and purgeQueue(queue, deadlines, now)
if holder == '' then return { 'not-held', '', now } end
redis.call('DEL', lock)
tellHead(head, channel, publish)
return { 'released', '', now }`,
      ].join('\n'),
    }),
    /** Sets the hold count of an owner that has the fair lock, and the time that it lasts from now: to re-enter, to release a hold that is not the last, to extend. The head of the queue is told if it ends sooner than before. */
    hold: script<
      { lock: string; queue: string; deadlines: string },
      { owner: string; count: number; lease: number; channel: string; publish: string; notAfter: number },
      [outcome: 'held' | 'lost' | 'late', now: number]
    >({
      name: 'fair-lock/hold',
      keyNames: ['lock', 'queue', 'deadlines'],
      argumentNames: ['owner', 'count', 'lease', 'channel', 'publish', 'notAfter'],
      replies: [[{ holds: ['held', 'lost', 'late'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local queue = KEYS[2]
local deadlines = KEYS[3]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
if not count then return redis.error_reply('ERR argument count is not a number') end
local lease = tonumber(ARGV[3])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local channel = ARGV[4]
local publish = ARGV[5]
local notAfter = tonumber(ARGV[6])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        holdCount,
        whatIsLeft,
        ourWaiters,
        fairQueue,
        setFairLease,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local held = holdCount(lock, owner)
if held == 0 then return { 'lost', now } end
setFairLease(lock, queue, deadlines, lease, channel, publish, now)
if held ~= count then redis.call('HINCRBY', lock, owner, count - held) end
return { 'held', now }`,
      ].join('\n'),
    }),
    /** Keeps the places of live waiters of one process for one lock. */
    keep: script<
      { lock: string; queue: string; deadlines: string },
      { slot: number; channel: string; publish: string; owners: readonly string[] },
      [outcome: 'kept', now: number, ...kept: number[]]
    >({
      name: 'fair-lock/keep',
      keyNames: ['lock', 'queue', 'deadlines'],
      argumentNames: ['slot', 'channel', 'publish', 'owners'],
      replies: [[{ holds: ['kept'] }, { holds: 'time' }, { holds: 'number', rest: true }]],
      text: [
        `local lock = KEYS[1]
local queue = KEYS[2]
local deadlines = KEYS[3]
local slot = tonumber(ARGV[1])
if not slot then return redis.error_reply('ERR argument slot is not a number') end
local channel = ARGV[2]
local publish = ARGV[3]
local owners = {}
for i = 4, #ARGV do
  owners[i - 3] = ARGV[i]
end`,
        serverNow,
        whatIsLeft,
        ourWaiters,
        fairQueue,
        fairPlaces,
        `local now = serverNow()
local reply, indexes = { 'kept', now }, {}
for i, owner in ipairs(owners) do
  reply[i + 2] = 0
  indexes[owner] = i
end
if foreignKey(queue, deadlines) then return reply end
local head, deadline = purgeQueue(queue, deadlines, now)
deadline = endBookings(queue, deadlines, head, deadline, slot, now)
local hasEnd = onlyOurs(queue, deadlines)
local places = {}
if hasEnd then
  for i, owner in ipairs(owners) do
    local before = tonumber(redis.call('ZSCORE', deadlines, owner))
    if before then
      reply[i + 2] = 1
      places[#places + 1] = { keptUntil(now, slot, now, firstLeaseIn(before)), owner }
    end
  end
else
  if head and not deadline then places[1] = { now + slot, head } end
  local last = now
  hasEnd = true
  for _, waiter in ipairs(redis.call('LRANGE', queue, 0, -1)) do
    local ours = isOurs(waiter)
    hasEnd = hasEnd and ours
    if indexes[waiter] then
      local firstLease = firstLeaseIn(tonumber(redis.call('ZSCORE', deadlines, waiter)))
      reply[indexes[waiter] + 2] = 1
      places[#places + 1] = { keptUntil(last, slot, now, firstLease), waiter }
    elseif not ours then
      last = behindJava(tonumber(redis.call('ZSCORE', deadlines, waiter)), last)
    end
  end
end
limitQueue(queue, deadlines, false, now)
for _, place in ipairs(places) do redis.call('ZADD', deadlines, place[1], place[2]) end
for i, owner in ipairs(owners) do
  if reply[i + 2] == 0 then redis.call('ZREM', deadlines, owner) end
end
if hasEnd then limitQueue(queue, deadlines, true, now) end
if head and redis.call('EXISTS', lock) == 0 then tellHead(head, channel, publish) end
return reply`,
      ].join('\n'),
    }),
    /** Ends the waits of owners: removes their places from the queue, or releases the lock if one of them has acquired it. The lock is then given to the head of the queue, or the head is woken. */
    leave: script<
      { lock: string; queue: string; deadlines: string },
      { slot: number; channel: string; publish: string; mayGrant: number; owners: readonly string[] },
      [outcome: 'left', now: number]
    >({
      name: 'fair-lock/leave',
      keyNames: ['lock', 'queue', 'deadlines'],
      argumentNames: ['slot', 'channel', 'publish', 'mayGrant', 'owners'],
      replies: [[{ holds: ['left'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local queue = KEYS[2]
local deadlines = KEYS[3]
local slot = tonumber(ARGV[1])
if not slot then return redis.error_reply('ERR argument slot is not a number') end
local channel = ARGV[2]
local publish = ARGV[3]
local mayGrant = tonumber(ARGV[4])
if not mayGrant then return redis.error_reply('ERR argument mayGrant is not a number') end
local owners = {}
for i = 5, #ARGV do
  owners[i - 4] = ARGV[i]
end`,
        serverNow,
        foreignType,
        keepFields,
        dropHold,
        whatIsLeft,
        ourWaiters,
        fairQueue,
        listeners,
        takeLock,
        fairPlaces,
        takeTurn,
        tellNext,
        giveToHead,
        `local now = serverNow()
local held = false
for _, owner in ipairs(owners) do held = held or dropHold(lock, owner) end
if foreignKey(queue, deadlines) then return { 'left', now } end
local isKnown = onlyOurs(queue, deadlines)
local head = redis.call('LINDEX', queue, 0)
local hadHead, hadPlace, wasNext = false, false, false
local nextOwner = nextOfOurs(queue, deadlines, now)
for _, owner in ipairs(owners) do
  if not head then break end
  local lowered = countedOn(queue, owner)
  local hadDeadline = redis.call('ZREM', deadlines, owner) == 1
  if (hadDeadline or not isKnown) and redis.call('LREM', queue, isKnown and 1 or 0, owner) > 0 then
    hadPlace, hadHead, wasNext = true, hadHead or head == owner, wasNext or nextOwner == owner
    head = headOf(queue)
    if head then lower(deadlines, lowered, slot) end
  end
end
if not head then ofWhatIsLeft(redis.pcall('DEL', deadlines)) end
if head and hadPlace then
  limitQueue(queue, deadlines, isKnown or areOurs(redis.call('LRANGE', queue, 0, -1)), now)
end
if head and (held or hadHead and redis.call('EXISTS', lock) == 0) then
  local nextHead, deadline = purgeQueue(queue, deadlines, now)
  local isGiven = mayGrant == 1 and giveToHead(lock, queue, deadlines, nextHead, deadline, channel, publish, now)
  if not isGiven then tellHead(nextHead, channel, publish) end
elseif head and wasNext then
  tellNext(lock, queue, deadlines, channel, publish, redis.call('PTTL', lock), now)
end
return { 'left', now }`,
      ].join('\n'),
    }),
    /** Acquires a fair lock for the waiter at the head. Any other waiter keeps its place in the queue, or gets one at the end. `firstLease`: what it gets when the lock is given to it; 0: it is told, and asks. `mixed`: 1 if waiters of Redisson may be ahead of it. */
    queue: script<
      { lock: string; queue: string; deadlines: string },
      {
        owner: string;
        lease: number;
        slot: number;
        firstLease: number;
        channel: string;
        publish: string;
        notAfter: number;
      },
      [
        outcome: 'acquired' | 'queued' | 'waiting' | 'late' | 'wrong-type',
        remaining: number,
        detail: string,
        now: number,
        head: string,
        mixed: number,
      ]
    >({
      name: 'fair-lock/queue',
      keyNames: ['lock', 'queue', 'deadlines'],
      argumentNames: ['owner', 'lease', 'slot', 'firstLease', 'channel', 'publish', 'notAfter'],
      grants: true,
      replies: [
        [
          { holds: ['acquired', 'queued', 'waiting', 'late', 'wrong-type'] },
          { holds: 'number' },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'string' },
          { holds: 'number' },
        ],
      ],
      text: [
        `local lock = KEYS[1]
local queue = KEYS[2]
local deadlines = KEYS[3]
local owner = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local slot = tonumber(ARGV[3])
if not slot then return redis.error_reply('ERR argument slot is not a number') end
local firstLease = tonumber(ARGV[4])
if not firstLease then return redis.error_reply('ERR argument firstLease is not a number') end
local channel = ARGV[5]
local publish = ARGV[6]
local notAfter = tonumber(ARGV[7])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        owners,
        soleHold,
        whatIsLeft,
        ourWaiters,
        fairQueue,
        takeLock,
        fairPlaces,
        takeTurn,
        tellNext,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, '', now, '', 0 } end
local foreign, found = foreignKey(queue, deadlines)
if foreign then return { 'wrong-type', 0, found, now, foreign, 0 } end
local head, deadline, isNewHead = purgeQueue(queue, deadlines, now)
deadline = endBookings(queue, deadlines, head, deadline, slot, now)
local isFree = redis.call('EXISTS', lock) == 0
if isFree and (not head or head == owner) then
  local refused = takeTurn(lock, queue, deadlines, owner, lease, slot, now)
  if refused then return refused end
  tellNext(lock, queue, deadlines, channel, publish, lease, now)
  return { 'acquired', lease, '', now, '', 0 }
end
local holder, kind = '', nil
if not isFree then holder, kind = soleHold(lock) end
if not holder then return { 'wrong-type', 0, kind, now, lock, 0 } end
if holder == owner then
  if redis.call('PTTL', lock) < lease then redis.call('PEXPIRE', lock, lease) end
  return { 'acquired', lease, '', now, '', 0 }
end
local outcome, isMixed = 'waiting', true
local remaining = isFree and 0 or redis.call('PTTL', lock)
if not redis.call('ZSCORE', deadlines, owner) then
  outcome = 'queued'
  local isOwn = isOurs(owner)
  local isKnown = isOwn and onlyOurs(queue, deadlines)
  local hasLease = not isOwn and not redis.call('LINDEX', queue, head == owner and 1 or 0)
  local last = hasLease and now + math.max(remaining, 0) or now
  for _, waiter in ipairs(isKnown and {} or redis.call('LRANGE', queue, 0, -1)) do
    if waiter ~= owner and not isOurs(waiter) then
      last = behindJava(tonumber(redis.call('ZSCORE', deadlines, waiter)), last)
    end
  end
  redis.call('ZADD', deadlines, isOwn and keptUntil(last, slot, now, firstLease) or last + slot, owner)
  if not isKnown then redis.call('LREM', queue, 0, owner) end
  redis.call('RPUSH', queue, owner)
  isMixed = not (isKnown or areOurs(redis.call('LRANGE', queue, 0, -1)))
  limitQueue(queue, deadlines, not isMixed, now)
end
local mixed = isMixed and 1 or 0
if head and not deadline and head ~= owner then
  deadline = now + slot
  redis.call('ZADD', deadlines, deadline, head)
end
if not isFree then return { outcome, remaining, holder, now, head or owner, mixed } end
if isNewHead or outcome == 'waiting' then tellHead(head, channel, publish) end
return { outcome, math.ceil(deadline - now), head, now, head, mixed }`,
      ].join('\n'),
    }),
    /** Releases the fair lock of an owner, whatever its hold count, and gives it to the head of the queue, or wakes the head. */
    release: script<
      { lock: string; queue: string; deadlines: string },
      { owner: string; channel: string; publish: string; mayGrant: number },
      [outcome: 'released' | 'passed-on' | 'not-held', now: number]
    >({
      name: 'fair-lock/release',
      keyNames: ['lock', 'queue', 'deadlines'],
      argumentNames: ['owner', 'channel', 'publish', 'mayGrant'],
      replies: [[{ holds: ['released', 'passed-on', 'not-held'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local queue = KEYS[2]
local deadlines = KEYS[3]
local owner = ARGV[1]
local channel = ARGV[2]
local publish = ARGV[3]
local mayGrant = tonumber(ARGV[4])
if not mayGrant then return redis.error_reply('ERR argument mayGrant is not a number') end`,
        serverNow,
        foreignType,
        keepFields,
        dropHold,
        whatIsLeft,
        ourWaiters,
        fairQueue,
        listeners,
        takeLock,
        fairPlaces,
        takeTurn,
        tellNext,
        giveToHead,
        `local now = serverNow()
local head, deadline
if not foreignKey(queue, deadlines) then head, deadline = purgeQueue(queue, deadlines, now) end
local held = dropHold(lock, owner)
if held and mayGrant == 1 and giveToHead(lock, queue, deadlines, head, deadline, channel, publish, now) then
  return { 'passed-on', now }
end
if held or redis.call('EXISTS', lock) == 0 then tellHead(head, channel, publish) end
return { held and 'released' or 'not-held', now }`,
      ].join('\n'),
    }),
  },
  fencedLock: {
    /** Acquires the lock for a new owner with a token above every earlier one. */
    acquire: script<
      { lock: string; token: string },
      { owner: string; lease: number; notAfter: number; fencing: string },
      [
        outcome: 'acquired' | 'busy' | 'late' | 'wrong-type' | 'no-token',
        remaining: number,
        detail: string,
        now: number,
        fence: string,
      ]
    >({
      name: 'fenced-lock/acquire',
      keyNames: ['lock', 'token'],
      argumentNames: ['owner', 'lease', 'notAfter', 'fencing'],
      grants: true,
      replies: [
        [
          { holds: ['acquired', 'busy', 'late', 'wrong-type', 'no-token'] },
          { holds: 'number' },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'string' },
        ],
      ],
      text: [
        `local lock = KEYS[1]
local token = KEYS[2]
local owner = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local fencing = ARGV[4]`,
        serverNow,
        owners,
        soleHold,
        takeLock,
        lastToken,
        takeFencedLock,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, '', now, '' } end
local isFree = redis.call('EXISTS', lock) == 0
if not isFree then
  local holder, found = soleHold(lock)
  if not holder then return { 'wrong-type', 0, found, now, '' } end
  if holder ~= owner then return { 'busy', redis.call('PTTL', lock), holder, now, '' } end
end
local last, foreign = lastToken(token)
if not last then return { 'no-token', 0, foreign, now, '' } end
local given, refused = takeFencedLock(lock, token, last, owner, lease, fencing, isFree)
return given and { 'acquired', lease, '', now, given } or refused`,
      ].join('\n'),
    }),
    /** Returns the token that was given last, to any owner. */
    currentToken: script<{ token: string }, Record<string, never>, [outcome: 'token' | 'no-token', detail: string]>({
      name: 'fenced-lock/current-token',
      keyNames: ['token'],
      argumentNames: [],
      replies: [[{ holds: ['token', 'no-token'] }, { holds: 'string' }]],
      text: [
        `local token = KEYS[1]`,
        lastToken,
        `local last, found = lastToken(token)
if not last then return { 'no-token', found } end
return { 'token', last }`,
      ].join('\n'),
    }),
    /** Acquires the lock for a new owner with a token above every earlier one, also from another owner: that is told, and loses it. */
    replace: script<
      { lock: string; token: string },
      {
        owner: string;
        lease: number;
        notAfter: number;
        fencing: string;
        asks: number;
        holders: string;
        channel: string;
        publish: string;
      },
      [
        outcome: 'acquired' | 'busy' | 'late' | 'wrong-type' | 'no-token',
        remaining: number,
        detail: string,
        now: number,
        fence: string,
      ]
    >({
      name: 'fenced-lock/replace',
      keyNames: ['lock', 'token'],
      argumentNames: ['owner', 'lease', 'notAfter', 'fencing', 'asks', 'holders', 'channel', 'publish'],
      grants: true,
      replies: [
        [
          { holds: ['acquired', 'busy', 'late', 'wrong-type', 'no-token'] },
          { holds: 'number' },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'string' },
        ],
      ],
      text: [
        `local lock = KEYS[1]
local token = KEYS[2]
local owner = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local fencing = ARGV[4]
local asks = tonumber(ARGV[5])
if not asks then return redis.error_reply('ERR argument asks is not a number') end
local holders = ARGV[6]
local channel = ARGV[7]
local publish = ARGV[8]`,
        serverNow,
        owners,
        soleHold,
        takeLock,
        lastToken,
        takeFencedLock,
        tellShorter,
        takeFromHolder,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, '', now, '' } end
local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', 0, found, now, '' } end
local isOther = holder ~= '' and holder ~= owner
local remaining = redis.call('PTTL', lock)
if isOther and asks == 1 then
  askToEnd(holder, holders, publish)
  return { 'busy', remaining, holder, now, '' }
end
local last, foreign = lastToken(token)
if not last then return { 'no-token', 0, foreign, now, '' } end
if isOther then dropForNewer(lock, holder, remaining, lease, holders, channel, publish) end
local given, refused = takeFencedLock(lock, token, last, owner, lease, fencing, holder ~= owner)
return given and { 'acquired', lease, '', now, given } or refused`,
      ].join('\n'),
    }),
  },
  fencing: {
    /** Records the fencing token of a write, unless the token of a later holder is recorded. */
    advance: script<
      { fence: string },
      { token: string; keep: number },
      [outcome: 'recorded' | 'stale' | 'no-token', last: string]
    >({
      name: 'fencing/advance',
      keyNames: ['fence'],
      argumentNames: ['token', 'keep'],
      replies: [[{ holds: ['recorded', 'stale', 'no-token'] }, { holds: 'string' }]],
      text: [
        `local fence = KEYS[1]
local token = ARGV[1]
local keep = tonumber(ARGV[2])
if not keep then return redis.error_reply('ERR argument keep is not a number') end`,
        lastToken,
        isLater,
        `local last, found = lastToken(fence)
if not last then return { 'no-token', found } end
if isLater(last, token) then return { 'stale', last } end
redis.call('SET', fence, token)
if tonumber(keep) > 0 then redis.call('PEXPIRE', fence, keep) end
return { 'recorded', token }`,
      ].join('\n'),
    }),
    /** Sets a value and records the fencing token of its writer, unless the token of a later holder is recorded. */
    set: script<
      { value: string; fence: string },
      { token: string; keep: number; text: string; ttl: number },
      [outcome: 'recorded' | 'stale' | 'no-token' | 'wrong-type', last: string]
    >({
      name: 'fencing/set',
      keyNames: ['value', 'fence'],
      argumentNames: ['token', 'keep', 'text', 'ttl'],
      replies: [[{ holds: ['recorded', 'stale', 'no-token', 'wrong-type'] }, { holds: 'string' }]],
      text: [
        `local value = KEYS[1]
local fence = KEYS[2]
local token = ARGV[1]
local keep = tonumber(ARGV[2])
if not keep then return redis.error_reply('ERR argument keep is not a number') end
local text = ARGV[3]
local ttl = tonumber(ARGV[4])
if not ttl then return redis.error_reply('ERR argument ttl is not a number') end`,
        lastToken,
        isLater,
        `local found = redis.call('TYPE', value).ok
if found ~= 'none' and found ~= 'string' then return { 'wrong-type', found } end
local last, foreign = lastToken(fence)
if not last then return { 'no-token', foreign } end
if isLater(last, token) then return { 'stale', last } end
redis.call('SET', fence, token)
if tonumber(keep) > 0 then redis.call('PEXPIRE', fence, keep) end
redis.call('SET', value, text)
if tonumber(ttl) > 0 then redis.call('PEXPIRE', value, ttl) end
return { 'recorded', token }`,
      ].join('\n'),
    }),
  },
  groupLock: {
    /** Acquires fields of a group for a new owner: all of them or none. */
    acquire: script<
      { group: string },
      { owner: string; lease: number; notAfter: number; fields: readonly string[] },
      [outcome: 'acquired' | 'busy' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
    >({
      name: 'group-lock/acquire',
      keyNames: ['group'],
      argumentNames: ['owner', 'lease', 'notAfter', 'fields'],
      grants: true,
      replies: [
        [
          { holds: ['acquired', 'busy', 'late', 'wrong-type'] },
          { holds: 'number' },
          { holds: 'string' },
          { holds: 'time' },
        ],
      ],
      text: [
        `local group = KEYS[1]
local owner = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local fields = {}
for i = 4, #ARGV do
  fields[i - 3] = ARGV[i]
end`,
        serverNow,
        owners,
        whatIsLeft,
        groupFields,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end
local found = typeOfGroup(group)
if found ~= 'hash' and found ~= 'none' then return { 'wrong-type', 0, found, now } end
local latest, latestHolder
for _, field in ipairs(fields) do
  local holder, expiry = fieldHolder(group, field, now)
  if holder and holder ~= owner and expiry > (latest or now) then latest, latestHolder = expiry, holder end
end
if latest then return { 'busy', latest - now, latestHolder, now } end
for _, field in ipairs(fields) do
  local before = redis.call('HGET', group, field)
  redis.call('HSET', group, field, owner, countField(field, owner), 1)
  if before and before ~= owner then dropField(group, field, before) end
end
keepFields(group, fields, owner, now + lease)
local left = redis.call('PTTL', group)
if found == 'none' or (left >= 0 and left < lease) then
  local limited = redis.pcall('PEXPIRE', group, lease)
  if type(limited) == 'table' then
    for _, field in ipairs(fields) do dropField(group, field, owner) end
    return limited
  end
end
return { 'acquired', lease, '', now }`,
      ].join('\n'),
    }),
    /** Ends the holds of all owners of the given fields and wakes the waiters. */
    forceRelease: script<
      { group: string },
      { channel: string; publish: string; notAfter: number; fields: readonly string[] },
      [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
    >({
      name: 'group-lock/force-release',
      keyNames: ['group'],
      argumentNames: ['channel', 'publish', 'notAfter', 'fields'],
      replies: [[{ holds: ['released', 'not-held', 'late', 'wrong-type'] }, { holds: 'string' }, { holds: 'time' }]],
      text: [
        `local group = KEYS[1]
local channel = ARGV[1]
local publish = ARGV[2]
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local fields = {}
for i = 4, #ARGV do
  fields[i - 3] = ARGV[i]
end`,
        serverNow,
        owners,
        whatIsLeft,
        groupFields,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local found = typeOfGroup(group)
if found == 'none' then return { 'not-held', '', now } end
if found ~= 'hash' then return { 'wrong-type', found, now } end
local freed = false
for _, field in ipairs(fields) do
  local holder = ofWhatIsLeft(redis.pcall('HGET', group, field))
  if holder then freed = dropField(group, field, holder) or freed end
end
if freed then
  leaveToOthers(group)
  redis.pcall(publish, channel, '0')
end
return { freed and 'released' or 'not-held', '', now }`,
      ].join('\n'),
    }),
    /** Sets the hold count of an owner that has all the fields, and a minimum of the time that they last from now: to re-enter, to release a hold that is not the last, to extend. With `left` 1 the owner has let go, and they last exactly as long: those that wait are told if that is shorter than before. */
    hold: script<
      { group: string },
      {
        owner: string;
        count: number;
        lease: number;
        notAfter: number;
        left: number;
        channel: string;
        publish: string;
        fields: readonly string[];
      },
      [outcome: 'held' | 'lost' | 'late', now: number]
    >({
      name: 'group-lock/hold',
      keyNames: ['group'],
      argumentNames: ['owner', 'count', 'lease', 'notAfter', 'left', 'channel', 'publish', 'fields'],
      replies: [[{ holds: ['held', 'lost', 'late'] }, { holds: 'time' }]],
      text: [
        `local group = KEYS[1]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
if not count then return redis.error_reply('ERR argument count is not a number') end
local lease = tonumber(ARGV[3])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[4])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local left = tonumber(ARGV[5])
if not left then return redis.error_reply('ERR argument left is not a number') end
local channel = ARGV[6]
local publish = ARGV[7]
local fields = {}
for i = 8, #ARGV do
  fields[i - 7] = ARGV[i]
end`,
        serverNow,
        owners,
        whatIsLeft,
        groupFields,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
if not holdsAll(group, fields, owner, now) then return { 'lost', now } end
keepGroup(group, lease)
local isShorter = left == 1 and shortenFields(group, fields, owner, now + lease)
keepFields(group, fields, owner, now + lease)
local before = 0
for _, field in ipairs(fields) do
  local name = countField(field, owner)
  before = math.max(before, tonumber(redis.call('HGET', group, name) or '') or 0)
  redis.call('HSET', group, name, count)
end
if count < before or isShorter then redis.pcall(publish, channel, '0') end
return { 'held', now }`,
      ].join('\n'),
    }),
    /** Returns whether any of the fields is held, the hold count of the given owner if it holds all of them, and the time until the last of them ends. */
    inspect: script<
      { group: string },
      { owner: string; fields: readonly string[] },
      [outcome: 'locked' | 'free' | 'wrong-type', detail: string, count: number, remaining: number]
    >({
      name: 'group-lock/inspect',
      keyNames: ['group'],
      argumentNames: ['owner', 'fields'],
      replies: [
        [{ holds: ['locked', 'free', 'wrong-type'] }, { holds: 'string' }, { holds: 'number' }, { holds: 'number' }],
      ],
      text: [
        `local group = KEYS[1]
local owner = ARGV[1]
local fields = {}
for i = 2, #ARGV do
  fields[i - 1] = ARGV[i]
end`,
        serverNow,
        owners,
        whatIsLeft,
        groupFields,
        `local found = typeOfGroup(group)
if found == 'none' then return { 'free', '', 0, -2 } end
if found ~= 'hash' then return { 'wrong-type', found, 0, 0 } end
local now = serverNow()
local remaining = -2
for _, field in ipairs(fields) do
  local _, expiry = fieldHolder(group, field, now)
  if expiry then remaining = math.max(remaining, expiry - now) end
end
local count = 0
if holdsAll(group, fields, owner, now) then
  count = tonumber(redis.call('HGET', group, countField(fields[1], owner)) or '') or 0
end
return { remaining == -2 and 'free' or 'locked', '', count, remaining }`,
      ].join('\n'),
    }),
    /** Releases the fields of an owner, whatever its hold count, and wakes the waiters. */
    release: script<
      { group: string },
      { owner: string; channel: string; publish: string; fields: readonly string[] },
      [outcome: 'released' | 'not-held', now: number]
    >({
      name: 'group-lock/release',
      keyNames: ['group'],
      argumentNames: ['owner', 'channel', 'publish', 'fields'],
      replies: [[{ holds: ['released', 'not-held'] }, { holds: 'time' }]],
      text: [
        `local group = KEYS[1]
local owner = ARGV[1]
local channel = ARGV[2]
local publish = ARGV[3]
local fields = {}
for i = 4, #ARGV do
  fields[i - 3] = ARGV[i]
end`,
        serverNow,
        owners,
        whatIsLeft,
        groupFields,
        `local now = serverNow()
if redis.call('TYPE', group).ok ~= 'hash' then return { 'not-held', now } end
local held = holdsAll(group, fields, owner, now)
local freed = false
for _, field in ipairs(fields) do
  freed = dropField(group, field, owner) or freed
end
if freed then
  leaveToOthers(group)
  redis.pcall(publish, channel, '0')
end
return { held and 'released' or 'not-held', now }`,
      ].join('\n'),
    }),
    /** Renews all fields that their owners still hold, each for at least its milliseconds from now. */
    renew: script<
      { groups: readonly string[] },
      { notAfter: number; holders: readonly string[] },
      [outcome: 'renewed' | 'late', now: number, ...held: number[]]
    >({
      name: 'group-lock/renew',
      keyNames: ['groups'],
      argumentNames: ['notAfter', 'holders'],
      replies: [[{ holds: ['renewed', 'late'] }, { holds: 'time' }, { holds: 'number', rest: true }]],
      text: [
        `local groups = KEYS
local notAfter = tonumber(ARGV[1])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local holders = {}
for i = 2, #ARGV do
  holders[i - 1] = ARGV[i]
end`,
        serverNow,
        owners,
        whatIsLeft,
        groupFields,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
local at = 1
for i, group in ipairs(groups) do
  local owner, lease, size = holders[at], tonumber(holders[at + 1]), tonumber(holders[at + 2])
  local fields = {}
  for n = 1, size do fields[n] = holders[at + 2 + n] end
  at = at + 3 + size
  local held = holdsAll(group, fields, owner, now)
  if held then
    keepGroup(group, lease)
    keepFields(group, fields, owner, now + lease)
  end
  reply[i + 2] = held and 1 or 0
end
return reply`,
      ].join('\n'),
    }),
  },
  inspection: {
    /** Returns the number of a semaphore or latch, and how many clients wait for a change of it. */
    counter: script<
      { counter: string },
      { channel: string; publish: string },
      [found: string, text: string, listeners: number]
    >({
      name: 'inspection/counter',
      keyNames: ['counter'],
      argumentNames: ['channel', 'publish'],
      replies: [[{ holds: 'string' }, { holds: 'string' }, { holds: 'number' }]],
      text: [
        `local counter = KEYS[1]
local channel = ARGV[1]
local publish = ARGV[2]`,
        countUnder,
        listeners,
        `local count, found = countUnder(counter)
return { found, count and string.format('%.0f', count) or '', listeners(channel, publish) or 0 }`,
      ].join('\n'),
    }),
    /** Removes what was written about a holder that has released its lock. */
    dropRecord: script<{ record: string }, Record<string, never>, [dropped: number]>({
      name: 'inspection/drop-record',
      keyNames: ['record'],
      argumentNames: [],
      replies: [[{ holds: 'number' }]],
      text: `local record = KEYS[1]
return { redis.call('DEL', record) }`,
    }),
    /** Writes who holds a lock into a key beside it, for some milliseconds from now. */
    keepRecord: script<{ record: string }, { text: string; lease: number }, [outcome: 'kept']>({
      name: 'inspection/keep-record',
      keyNames: ['record'],
      argumentNames: ['text', 'lease'],
      replies: [[{ holds: ['kept'] }]],
      text: `local record = KEYS[1]
local text = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
redis.call('SET', record, text, 'PX', lease)
return { 'kept' }`,
    }),
    /** Returns the permits of a limit, and the places of those that wait for one, in one step. */
    limit: script<
      { permits: string },
      { records: string; channel: string; publish: string; most: number },
      [found: string, now: number]
    >({
      name: 'inspection/limit',
      keyNames: ['permits'],
      argumentNames: ['records', 'channel', 'publish', 'most'],
      replies: [[{ holds: 'string' }, { holds: 'time' }]],
      text: [
        `local permits = KEYS[1]
local records = ARGV[1]
local channel = ARGV[2]
local publish = ARGV[3]
local most = tonumber(ARGV[4])
if not most then return redis.error_reply('ERR argument most is not a number') end`,
        serverNow,
        listeners,
        places,
        `local now = serverNow()
local kind = redis.call('TYPE', permits).ok
local found = { type = kind, members = {}, remaining = {}, records = {}, places = {}, count = 0, waiting = 0 }
if kind == 'zset' then
  found.limit = redis.call('ZSCORE', permits, 'limit')
  found.count = redis.call('ZCOUNT', permits, '(' .. now, '+inf')
  found.members = redis.call('ZRANGEBYSCORE', permits, '(' .. now, '+inf', 'LIMIT', 0, most)
  for i, owner in ipairs(found.members) do
    found.remaining[i] = math.ceil(tonumber(redis.call('ZSCORE', permits, owner)) - now)
    local record = redis.pcall('GET', records .. owner)
    if type(record) == 'string' then found.records[owner] = record end
  end
  found.waiting = redis.call('ZCOUNT', permits, '-inf', LAST_PLACE)
  for _, place in ipairs(redis.call('ZRANGEBYSCORE', permits, '-inf', LAST_PLACE, 'LIMIT', 0, most)) do
    local owner = string.sub(place, #'place ' + 1)
    local ends = -tonumber(redis.call('ZSCORE', permits, 'until ' .. owner) or '0')
    if ends > now then found.places[#found.places + 1] = owner else found.waiting = found.waiting - 1 end
  end
end
found.listeners = listeners(channel, publish) or 0
return { cjson.encode(found), now }`,
      ].join('\n'),
    }),
    /** Returns all that is stored of a lock, in one step: what is under its name, and in the keys beside it. */
    lock: script<
      { lock: string },
      {
        stem: string;
        records: string;
        token: string;
        queue: string;
        deadlines: string;
        waiters: string;
        channel: string;
        readWriteChannel: string;
        publish: string;
        most: number;
      },
      [found: string, now: number]
    >({
      name: 'inspection/lock',
      keyNames: ['lock'],
      argumentNames: [
        'stem',
        'records',
        'token',
        'queue',
        'deadlines',
        'waiters',
        'channel',
        'readWriteChannel',
        'publish',
        'most',
      ],
      replies: [[{ holds: 'string' }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local stem = ARGV[1]
local records = ARGV[2]
local token = ARGV[3]
local queue = ARGV[4]
local deadlines = ARGV[5]
local waiters = ARGV[6]
local channel = ARGV[7]
local readWriteChannel = ARGV[8]
local publish = ARGV[9]
local most = tonumber(ARGV[10])
if not most then return redis.error_reply('ERR argument most is not a number') end`,
        serverNow,
        owners,
        whatIsLeft,
        groupFields,
        listeners,
        inspected,
        placesInLine,
        elsewhere,
        waitingWriters,
        `local now = serverNow()
local kind = redis.call('TYPE', lock).ok
local found = { type = kind, ttl = redis.call('PTTL', lock), fields = {}, reads = {}, records = {} }
local function readsLast(owner, count)
  local longest = -2
  for n = 1, math.min(count, 100) do
    local left = redis.pcall('PTTL', stem .. owner .. ':rwlock_timeout:' .. n)
    longest = math.max(longest, type(left) == 'number' and left or found.ttl)
  end
  return longest
end
if kind == 'hash' then
  found.size = redis.call('HLEN', lock)
  found.mode = redis.call('HGET', lock, 'mode')
  found.isLock = found.size == 1 or found.mode == 'read' or found.mode == 'write' or onlyOfGroup(lock)
  if found.isLock then
    found.fields = found.size <= 3 * most and redis.call('HGETALL', lock)
      or redis.call('HRANDFIELD', lock, most, 'WITHVALUES')
  end
  for i = 1, #found.fields, 2 do
    local field, value = found.fields[i], found.fields[i + 1]
    local owner = isOwner(field) and field or isOwner(value) and value or string.gsub(field, ':write', '', 1)
    local record = redis.pcall('GET', records .. owner)
    if type(record) == 'string' then found.records[owner] = record end
    if found.mode and isOwner(field) and countIn(value) then found.reads[field] = readsLast(field, countIn(value)) end
  end
end
found.token = textUnder(token)
found.queue = placesIn(queue, deadlines, now, most)
found.clients = membersOf(waiters, '-inf', most)
found.writers = membersOf(writersKey(lock, stem), '(' .. now, most)
found.listeners = (listeners(channel, publish) or 0) + (listeners(readWriteChannel, publish) or 0)
return { cjson.encode(found), now }`,
      ].join('\n'),
    }),
    /** Returns the permits of a semaphore whose permits have ids, available and in use, in one step. */
    permits: script<
      { permits: string },
      { deadlines: string; channel: string; publish: string; most: number },
      [found: string, now: number]
    >({
      name: 'inspection/permits',
      keyNames: ['permits'],
      argumentNames: ['deadlines', 'channel', 'publish', 'most'],
      replies: [[{ holds: 'string' }, { holds: 'time' }]],
      text: [
        `local permits = KEYS[1]
local deadlines = ARGV[1]
local channel = ARGV[2]
local publish = ARGV[3]
local most = tonumber(ARGV[4])
if not most then return redis.error_reply('ERR argument most is not a number') end`,
        serverNow,
        countUnder,
        listeners,
        noDeadline,
        `local now = serverNow()
local available, kind = countUnder(permits)
local found = { type = kind, members = {}, remaining = {}, count = 0 }
found.deadlines = redis.call('TYPE', deadlines).ok
if found.deadlines == 'zset' then
  found.count = redis.call('ZCOUNT', deadlines, '(' .. now, '+inf')
  for i, permit in ipairs(redis.call('ZRANGEBYSCORE', deadlines, '(' .. now, '+inf', 'LIMIT', 0, most)) do
    local deadline = tonumber(redis.call('ZSCORE', deadlines, permit))
    found.members[i] = (permit:gsub('.', function(byte) return string.format('%02x', string.byte(byte)) end))
    found.remaining[i] = deadline >= NO_DEADLINE and -1 or math.ceil(deadline - now)
  end
  available = available and available + redis.call('ZCARD', deadlines) - found.count
end
found.available = available and string.format('%.0f', available)
found.listeners = listeners(channel, publish) or 0
return { cjson.encode(found), now }`,
      ].join('\n'),
    }),
    /** Tells the processes that hold a lock that others have ended a hold of it. */
    tellHolders: script<{ lock: string }, { channel: string; publish: string }, [told: number]>({
      name: 'inspection/tell-holders',
      keyNames: ['lock'],
      argumentNames: ['channel', 'publish'],
      replies: [[{ holds: 'number' }]],
      text: `local lock = KEYS[1]
local channel = ARGV[1]
local publish = ARGV[2]
redis.pcall(publish, channel, 'ended ' .. lock)
return { 1 }`,
    }),
  },
  limit: {
    /** Acquires a permit for a new owner that has no place, if fewer than `limit` permits are in use and no waiter has a place. */
    acquire: script<
      { permits: string },
      {
        owner: string;
        lease: number;
        limit: number;
        numbered: number;
        channel: string;
        turns: string;
        publish: string;
        notAfter: number;
      },
      [
        outcome: 'acquired' | 'busy' | 'reserved' | 'late' | 'wrong-type',
        remaining: number,
        detail: string,
        now: number,
        inUse: number,
        before: number,
        number: number,
      ]
    >({
      name: 'limit/acquire',
      keyNames: ['permits'],
      argumentNames: ['owner', 'lease', 'limit', 'numbered', 'channel', 'turns', 'publish', 'notAfter'],
      grants: true,
      replies: [
        [
          { holds: ['acquired', 'busy', 'reserved', 'late', 'wrong-type'] },
          { holds: 'number' },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'number' },
          { holds: 'number' },
          { holds: 'number' },
        ],
      ],
      text: [
        `local permits = KEYS[1]
local owner = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local limit = tonumber(ARGV[3])
if not limit then return redis.error_reply('ERR argument limit is not a number') end
local numbered = tonumber(ARGV[4])
if not numbered then return redis.error_reply('ERR argument numbered is not a number') end
local channel = ARGV[5]
local turns = ARGV[6]
local publish = ARGV[7]
local notAfter = tonumber(ARGV[8])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        storedLimit,
        permitsInUse,
        holdsPermit,
        places,
        takePermit,
        numbers,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, '', now, 0, 0, -1 } end
local before, found = storedLimit(permits)
if not before then return { 'wrong-type', 0, found, now, 0, 0, -1 } end
local head, left, isNewHead = headOf(permits, now)
local inUse = permitsInUse(permits, now)
local isRepeated = holdsPermit(permits, owner, now)
if isNewHead then tellNext(head, channel, turns, publish) end
if inUse >= limit and not isRepeated then
  local holder, deadline = unpack(redis.call('ZREVRANGE', permits, limit - 1, limit - 1, 'WITHSCORES'))
  return { 'busy', tonumber(deadline) - now, holder, now, inUse, before, -1 }
end
if head and not isRepeated then return { 'reserved', left, head, now, 0, 0, -1 } end
local refused = takePermit(permits, owner, lease, limit, inUse, now)
if refused then return refused end
local number = numbered == 1 and takeNumber(permits, owner, now) or -1
return { 'acquired', lease, '', now, isRepeated and inUse or inUse + 1, before, number }`,
      ].join('\n'),
    }),
    /** Releases the permits of all owners and tells the next waiter. Places stay. */
    forceRelease: script<
      { permits: string },
      { channel: string; turns: string; publish: string; notAfter: number },
      [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
    >({
      name: 'limit/force-release',
      keyNames: ['permits'],
      argumentNames: ['channel', 'turns', 'publish', 'notAfter'],
      replies: [[{ holds: ['released', 'not-held', 'late', 'wrong-type'] }, { holds: 'string' }, { holds: 'time' }]],
      text: [
        `local permits = KEYS[1]
local channel = ARGV[1]
local turns = ARGV[2]
local publish = ARGV[3]
local notAfter = tonumber(ARGV[4])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        storedLimit,
        permitsInUse,
        places,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local limit, found = storedLimit(permits)
if not limit then return { 'wrong-type', found, now } end
if limit == 0 then return { 'not-held', '', now } end
local wereInUse = permitsInUse(permits, now) > 0
local head = headOf(permits, now)
tellNext(head, channel, turns, publish)
if head then redis.call('ZREMRANGEBYSCORE', permits, 2147483648, '+inf')
else redis.call('DEL', permits) end
return { wereInUse and 'released' or 'not-held', '', now }`,
      ].join('\n'),
    }),
    /** Sets the time that the permit of an owner lasts from now: to re-enter, to release a hold that is not the last, to extend. The next waiter is told if it ends sooner than before. Holds are counted by the owner's process: on the server they are one permit. */
    hold: script<
      { permits: string },
      { owner: string; lease: number; channel: string; turns: string; publish: string; notAfter: number },
      [outcome: 'held' | 'lost' | 'late', now: number]
    >({
      name: 'limit/hold',
      keyNames: ['permits'],
      argumentNames: ['owner', 'lease', 'channel', 'turns', 'publish', 'notAfter'],
      replies: [[{ holds: ['held', 'lost', 'late'] }, { holds: 'time' }]],
      text: [
        `local permits = KEYS[1]
local owner = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local channel = ARGV[3]
local turns = ARGV[4]
local publish = ARGV[5]
local notAfter = tonumber(ARGV[6])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        holdsPermit,
        keepPermit,
        places,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
if not holdsPermit(permits, owner, now) then return { 'lost', now } end
local before = tonumber(redis.call('ZSCORE', permits, owner))
keepPermit(permits, owner, lease, now)
if now + lease < before then tellNext(headOf(permits, now), channel, turns, publish) end
return { 'held', now }`,
      ].join('\n'),
    }),
    /** Returns whether any permit is in use, 1 if the given owner has one, and the time until the last of them ends. */
    inspect: script<
      { permits: string },
      { owner: string },
      [outcome: 'locked' | 'free' | 'wrong-type', detail: string, count: number, remaining: number]
    >({
      name: 'limit/inspect',
      keyNames: ['permits'],
      argumentNames: ['owner'],
      replies: [
        [{ holds: ['locked', 'free', 'wrong-type'] }, { holds: 'string' }, { holds: 'number' }, { holds: 'number' }],
      ],
      text: [
        `local permits = KEYS[1]
local owner = ARGV[1]`,
        serverNow,
        storedLimit,
        permitsInUse,
        holdsPermit,
        `local limit, found = storedLimit(permits)
if not limit then return { 'wrong-type', found, 0, 0 } end
local now = serverNow()
if limit == 0 or permitsInUse(permits, now) == 0 then return { 'free', '', 0, -2 } end
local last = redis.call('ZREVRANGE', permits, 0, 0, 'WITHSCORES')
return { 'locked', '', holdsPermit(permits, owner, now) and 1 or 0, tonumber(last[2]) - now }`,
      ].join('\n'),
    }),
    /** Keeps the places of live waiters of one process for one limit. */
    keep: script<
      { permits: string },
      { slot: number; channel: string; turns: string; publish: string; owners: readonly string[] },
      [outcome: 'kept', now: number, ...kept: number[]]
    >({
      name: 'limit/keep',
      keyNames: ['permits'],
      argumentNames: ['slot', 'channel', 'turns', 'publish', 'owners'],
      replies: [[{ holds: ['kept'] }, { holds: 'time' }, { holds: 'number', rest: true }]],
      text: [
        `local permits = KEYS[1]
local slot = tonumber(ARGV[1])
if not slot then return redis.error_reply('ERR argument slot is not a number') end
local channel = ARGV[2]
local turns = ARGV[3]
local publish = ARGV[4]
local owners = {}
for i = 5, #ARGV do
  owners[i - 4] = ARGV[i]
end`,
        serverNow,
        storedLimit,
        places,
        `local now = serverNow()
local reply = { 'kept', now }
for i in ipairs(owners) do reply[i + 2] = 0 end
if (storedLimit(permits) or 0) == 0 then return reply end
local head, _, isNewHead = headOf(permits, now)
for i, owner in ipairs(owners) do
  if hasPlace(permits, owner) then
    keepPlace(permits, owner, slot, now)
    reply[i + 2] = 1
  end
end
if isNewHead then tellNext(head, channel, turns, publish) end
return reply`,
      ].join('\n'),
    }),
    /** Ends the waits of owners: removes their places, and releases the permit of one that has acquired it. The next waiter is told if that may be its turn. */
    leave: script<
      { permits: string },
      { channel: string; turns: string; publish: string; owners: readonly string[] },
      [outcome: 'left', now: number]
    >({
      name: 'limit/leave',
      keyNames: ['permits'],
      argumentNames: ['channel', 'turns', 'publish', 'owners'],
      replies: [[{ holds: ['left'] }, { holds: 'time' }]],
      text: [
        `local permits = KEYS[1]
local channel = ARGV[1]
local turns = ARGV[2]
local publish = ARGV[3]
local owners = {}
for i = 4, #ARGV do
  owners[i - 3] = ARGV[i]
end`,
        serverNow,
        storedLimit,
        holdsPermit,
        permitsInUse,
        places,
        `local now = serverNow()
if (storedLimit(permits) or 0) == 0 then return { 'left', now } end
local before, _, isNext = headOf(permits, now)
for _, owner in ipairs(owners) do
  local held = holdsPermit(permits, owner, now)
  if held then redis.call('ZREM', permits, owner, 'number ' .. owner) end
  local wasHead = removePlace(permits, owner) and owner == before
  isNext = isNext or held or wasHead
end
local head = headOf(permits, now)
if isNext then tellNext(head, channel, turns, publish) end
if not head and permitsInUse(permits, now) == 0 then redis.call('DEL', permits) end
return { 'left', now }`,
      ].join('\n'),
    }),
    /** Acquires a permit for the waiter at the head, if fewer than `limit` permits are in use. Any other waiter keeps its place, or gets one at the end. */
    queue: script<
      { permits: string },
      {
        owner: string;
        lease: number;
        limit: number;
        numbered: number;
        slot: number;
        channel: string;
        turns: string;
        publish: string;
        notAfter: number;
      },
      [
        outcome: 'acquired' | 'queued' | 'waiting' | 'late' | 'wrong-type',
        remaining: number,
        detail: string,
        now: number,
        head: string,
        inUse: number,
        before: number,
        number: number,
      ]
    >({
      name: 'limit/queue',
      keyNames: ['permits'],
      argumentNames: ['owner', 'lease', 'limit', 'numbered', 'slot', 'channel', 'turns', 'publish', 'notAfter'],
      grants: true,
      replies: [
        [
          { holds: ['acquired', 'queued', 'waiting', 'late', 'wrong-type'] },
          { holds: 'number' },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'string' },
          { holds: 'number' },
          { holds: 'number' },
          { holds: 'number' },
        ],
      ],
      text: [
        `local permits = KEYS[1]
local owner = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local limit = tonumber(ARGV[3])
if not limit then return redis.error_reply('ERR argument limit is not a number') end
local numbered = tonumber(ARGV[4])
if not numbered then return redis.error_reply('ERR argument numbered is not a number') end
local slot = tonumber(ARGV[5])
if not slot then return redis.error_reply('ERR argument slot is not a number') end
local channel = ARGV[6]
local turns = ARGV[7]
local publish = ARGV[8]
local notAfter = tonumber(ARGV[9])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        storedLimit,
        permitsInUse,
        holdsPermit,
        places,
        takePermit,
        numbers,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, '', now, '', 0, 0, -1 } end
local before, found = storedLimit(permits)
if not before then return { 'wrong-type', 0, found, now, '', 0, 0, -1 } end
local head, left, isNewHead = headOf(permits, now)
local inUse = permitsInUse(permits, now)
local isRepeated = holdsPermit(permits, owner, now)
if isRepeated or inUse < limit and (not head or head == owner) then
  local refused = takePermit(permits, owner, lease, limit, inUse, now)
  if refused then return refused end
  removePlace(permits, owner)
  inUse = isRepeated and inUse or inUse + 1
  if inUse < limit or before ~= limit then tellNext(headOf(permits, now), channel, turns, publish) end
  local number = numbered == 1 and takeNumber(permits, owner, now) or -1
  return { 'acquired', lease, '', now, '', inUse, before, number }
end
local outcome = 'waiting'
if not hasPlace(permits, owner) then
  outcome = 'queued'
  addPlace(permits, owner, slot, now)
end
if isNewHead and head and head ~= owner then tellNext(head, channel, turns, publish) end
if inUse < limit then return { outcome, left, head, now, head, inUse, before, -1 } end
local holder, deadline = unpack(redis.call('ZREVRANGE', permits, limit - 1, limit - 1, 'WITHSCORES'))
return { outcome, tonumber(deadline) - now, holder, now, head or owner, inUse, before, -1 }`,
      ].join('\n'),
    }),
    /** Releases the permit of an owner and tells the next waiter. */
    release: script<
      { permits: string },
      { owner: string; channel: string; turns: string; publish: string },
      [outcome: 'released' | 'not-held', now: number]
    >({
      name: 'limit/release',
      keyNames: ['permits'],
      argumentNames: ['owner', 'channel', 'turns', 'publish'],
      replies: [[{ holds: ['released', 'not-held'] }, { holds: 'time' }]],
      text: [
        `local permits = KEYS[1]
local owner = ARGV[1]
local channel = ARGV[2]
local turns = ARGV[3]
local publish = ARGV[4]`,
        serverNow,
        holdsPermit,
        permitsInUse,
        places,
        `local now = serverNow()
local held = holdsPermit(permits, owner, now)
if not held then return { 'not-held', now } end
redis.call('ZREM', permits, owner, 'number ' .. owner)
local head = headOf(permits, now)
tellNext(head, channel, turns, publish)
if not head and permitsInUse(permits, now) == 0 then redis.call('DEL', permits) end
return { 'released', now }`,
      ].join('\n'),
    }),
    /** Renews the permits that their owners still have, each for its milliseconds from now. */
    renew: script<
      { sets: readonly string[] },
      { notAfter: number; holders: readonly string[] },
      [outcome: 'renewed' | 'late', now: number, ...held: number[]]
    >({
      name: 'limit/renew',
      keyNames: ['sets'],
      argumentNames: ['notAfter', 'holders'],
      replies: [[{ holds: ['renewed', 'late'] }, { holds: 'time' }, { holds: 'number', rest: true }]],
      text: [
        `local sets = KEYS
local notAfter = tonumber(ARGV[1])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local holders = {}
for i = 2, #ARGV do
  holders[i - 1] = ARGV[i]
end`,
        serverNow,
        holdsPermit,
        keepPermit,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
for i, permits in ipairs(sets) do
  local owner, lease = holders[2 * i - 1], tonumber(holders[2 * i])
  local held = holdsPermit(permits, owner, now)
  if held then keepPermit(permits, owner, lease, now) end
  reply[i + 2] = held and 1 or 0
end
return reply`,
      ].join('\n'),
    }),
  },
  lock: {
    /** Acquires the lock for a new owner. */
    acquire: script<
      { lock: string },
      { owner: string; lease: number; notAfter: number },
      | [lease: number, now: number]
      | [outcome: 'busy' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
    >({
      name: 'lock/acquire',
      keyNames: ['lock'],
      argumentNames: ['owner', 'lease', 'notAfter'],
      grants: true,
      replies: [
        [{ holds: 'number' }, { holds: 'time' }],
        [{ holds: ['busy', 'late', 'wrong-type'] }, { holds: 'number' }, { holds: 'string' }, { holds: 'time' }],
      ],
      text: [
        `local lock = KEYS[1]
local owner = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        takeLock,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end
if redis.call('EXISTS', lock) == 0 then
  return takeLock(lock, owner, lease) or { lease, now }
end`,
        owners,
        soleHold,
        `local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', 0, found, now } end
if holder ~= owner then return { 'busy', redis.call('PTTL', lock), holder, now } end
if redis.call('PTTL', lock) < lease then redis.call('PEXPIRE', lock, lease) end
return { lease, now }`,
      ].join('\n'),
    }),
    /** Makes an owner that acts under the lock the holder in place of the owner of a token, for a time from now. */
    attach: script<
      { lock: string },
      { from: string; to: string; lease: number; notAfter: number; channel: string; publish: string; entries: string },
      [outcome: 'held' | 'lost' | 'late', now: number]
    >({
      name: 'lock/attach',
      keyNames: ['lock'],
      argumentNames: ['from', 'to', 'lease', 'notAfter', 'channel', 'publish', 'entries'],
      grants: true,
      replies: [[{ holds: ['held', 'lost', 'late'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local from = ARGV[1]
local to = ARGV[2]
local lease = tonumber(ARGV[3])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[4])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local channel = ARGV[5]
local publish = ARGV[6]
local entries = ARGV[7]`,
        serverNow,
        foreignType,
        holdCount,
        takeOver,
        tellShorter,
        setLease,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local function keep() setLease(lock, lease, channel, publish, entries) end
return { takeOver(lock, from, to, lease, keep), now }`,
      ].join('\n'),
    }),
    /** Leaves a held lock, for a time from now, to the owner of a token, which does not act under it. */
    detach: script<
      { lock: string },
      { from: string; to: string; lease: number; notAfter: number; channel: string; publish: string; entries: string },
      [outcome: 'held' | 'lost' | 'late', now: number]
    >({
      name: 'lock/detach',
      keyNames: ['lock'],
      argumentNames: ['from', 'to', 'lease', 'notAfter', 'channel', 'publish', 'entries'],
      replies: [[{ holds: ['held', 'lost', 'late'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local from = ARGV[1]
local to = ARGV[2]
local lease = tonumber(ARGV[3])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[4])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local channel = ARGV[5]
local publish = ARGV[6]
local entries = ARGV[7]`,
        serverNow,
        foreignType,
        holdCount,
        takeOver,
        tellShorter,
        setLease,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local function keep() setLease(lock, lease, channel, publish, entries) end
return { takeOver(lock, from, to, lease, keep), now }`,
      ].join('\n'),
    }),
    /** Ends the hold of any owner and wakes the waiters. */
    forceRelease: script<
      { lock: string },
      { channel: string; publish: string; notAfter: number },
      [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
    >({
      name: 'lock/force-release',
      keyNames: ['lock'],
      argumentNames: ['channel', 'publish', 'notAfter'],
      replies: [[{ holds: ['released', 'not-held', 'late', 'wrong-type'] }, { holds: 'string' }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local channel = ARGV[1]
local publish = ARGV[2]
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        owners,
        soleHold,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', found, now } end
if holder == '' then return { 'not-held', '', now } end
redis.call('DEL', lock)
if publish ~= '' then redis.pcall(publish, channel, '0') end
return { 'released', '', now }`,
      ].join('\n'),
    }),
    /** Sets the hold count of an owner that has the lock, and the time that it lasts from now: to re-enter, to release a hold that is not the last, to extend. Those that wait are told if it ends sooner than before: of a silent lock, which has `entries`, only if they wait in turn. */
    hold: script<
      { lock: string },
      {
        owner: string;
        count: number;
        lease: number;
        notAfter: number;
        channel: string;
        publish: string;
        entries: string;
      },
      [outcome: 'held' | 'lost' | 'late', now: number]
    >({
      name: 'lock/hold',
      keyNames: ['lock'],
      argumentNames: ['owner', 'count', 'lease', 'notAfter', 'channel', 'publish', 'entries'],
      replies: [[{ holds: ['held', 'lost', 'late'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
if not count then return redis.error_reply('ERR argument count is not a number') end
local lease = tonumber(ARGV[3])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[4])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local channel = ARGV[5]
local publish = ARGV[6]
local entries = ARGV[7]`,
        serverNow,
        foreignType,
        holdCount,
        tellShorter,
        setLease,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local held = holdCount(lock, owner)
if held == 0 then return { 'lost', now } end
setLease(lock, lease, channel, publish, entries)
if held ~= count then redis.call('HINCRBY', lock, owner, count - held) end
return { 'held', now }`,
      ].join('\n'),
    }),
    /** Returns whether the lock is held, the hold count of the given owner, and the time until the lock ends. */
    inspect: script<
      { lock: string },
      { owner: string },
      [outcome: 'locked' | 'free' | 'wrong-type', detail: string, count: number, remaining: number]
    >({
      name: 'lock/inspect',
      keyNames: ['lock'],
      argumentNames: ['owner'],
      replies: [
        [{ holds: ['locked', 'free', 'wrong-type'] }, { holds: 'string' }, { holds: 'number' }, { holds: 'number' }],
      ],
      text: [
        `local lock = KEYS[1]
local owner = ARGV[1]`,
        owners,
        soleHold,
        `local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', found, 0, 0 } end
return { holder == '' and 'free' or 'locked', '', holder == owner and found or 0, redis.call('PTTL', lock) }`,
      ].join('\n'),
    }),
    /** Releases the lock of an owner that an application has chosen, as `release` does, unless the request is late. */
    releaseChosen: script<
      { lock: string },
      { owner: string; channel: string; publish: string; waiters: string; mayGrant: number; notAfter: number },
      [outcome: 'released' | 'passed-on' | 'not-held' | 'late', now: number]
    >({
      name: 'lock/release-chosen',
      keyNames: ['lock'],
      argumentNames: ['owner', 'channel', 'publish', 'waiters', 'mayGrant', 'notAfter'],
      replies: [[{ holds: ['released', 'passed-on', 'not-held', 'late'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local owner = ARGV[1]
local channel = ARGV[2]
local publish = ARGV[3]
local waiters = ARGV[4]
local mayGrant = tonumber(ARGV[5])
if not mayGrant then return redis.error_reply('ERR argument mayGrant is not a number') end
local notAfter = tonumber(ARGV[6])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        keepFields,
        dropHold,
        elsewhere,
        listeners,
        takeLock,
        waitingEntry,
        passOn,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
if not dropHold(lock, owner) then return { 'not-held', now } end
local passes = mayGrant == 1 and redis.pcall('EXISTS', lock) == 0
local outcome = passes and passOn(lock, waiters, channel, publish, '', now)
if not outcome then redis.pcall(publish, channel, '0') end
return { outcome or 'released', now }`,
      ].join('\n'),
    }),
    /** Releases the lock of an owner, whatever its hold count, and passes it on to the client that has waited longest. If none is waiting, or others than ours, wakes all that listen. Without `publish` it is silent: it passes on nothing, and wakes only if a client of ours waits, by `wake`. */
    release: script<
      { lock: string },
      {
        owner: string;
        channel: string;
        publish: string;
        wake: string;
        waiters: string;
        again: string;
        mayGrant: number;
      },
      | 'released'
      | [heard: number, asking: number, outcome: 'released']
      | [outcome: 'passed-on' | 'kept' | 'not-held', now: number]
    >({
      name: 'lock/release',
      keyNames: ['lock'],
      argumentNames: ['owner', 'channel', 'publish', 'wake', 'waiters', 'again', 'mayGrant'],
      replies: [
        'released',
        [{ holds: 'number' }, { holds: 'number' }, { holds: ['released'] }],
        [{ holds: ['passed-on', 'kept', 'not-held'] }, { holds: 'time' }],
      ],
      text: [
        `local lock = KEYS[1]
local owner = ARGV[1]
local channel = ARGV[2]
local publish = ARGV[3]
local wake = ARGV[4]
local waiters = ARGV[5]
local again = ARGV[6]
local mayGrant = tonumber(ARGV[7])
if not mayGrant then return redis.error_reply('ERR argument mayGrant is not a number') end
local function announce()
  return publish ~= '' and tonumber(redis.pcall(publish, channel, '0')) or 0
end
local isSilent = publish == ''
if isSilent and redis.pcall('EXISTS', waiters) == 1 then publish = wake end
local dropped = redis.pcall('HDEL', lock, owner)
local heard
if dropped == 1 and again == '' and redis.pcall('EXISTS', lock, waiters) == 0 then
  heard = announce()
  if heard == 0 then return 'released' end
end`,
        foreignType,
        keepFields,
        serverNow,
        elsewhere,
        listeners,
        takeLock,
        waitingEntry,
        passOn,
        `local function released()
  local asking = heard > 0 and others(lock, channel, publish)
  if asking then asking = asking + (tonumber(redis.pcall('ZCARD', waiters)) or 0) end
  return { heard, asking or heard, 'released' }
end
if heard then return released() end
local now = serverNow()
if type(dropped) == 'table' then dropped = foreignType(lock) and 0 or redis.call('HDEL', lock, owner) end
if dropped == 0 then return { 'not-held', now } end
keepFields(lock)
local passes = mayGrant == 1 and not isSilent and redis.pcall('EXISTS', lock) == 0
local outcome = passes and passOn(lock, waiters, channel, publish, again, now)
if outcome then return { outcome, now } end
heard = announce()
return released()`,
      ].join('\n'),
    }),
    /** Removes the entry of a client from those that wait for a lock. */
    removeEntry: script<{ waiters: string }, { entry: string }, [removed: number]>({
      name: 'lock/remove-entry',
      keyNames: ['waiters'],
      argumentNames: ['entry'],
      replies: [[{ holds: 'number' }]],
      text: `local waiters = KEYS[1]
local entry = ARGV[1]
return { redis.call('ZREM', waiters, entry) }`,
    }),
    /** Renews each lock that its owner still holds, for its milliseconds from now. */
    renew: script<
      { locks: readonly string[] },
      { notAfter: number; holders: readonly string[] },
      [outcome: 'renewed' | 'late', now: number, ...held: number[]]
    >({
      name: 'lock/renew',
      keyNames: ['locks'],
      argumentNames: ['notAfter', 'holders'],
      replies: [[{ holds: ['renewed', 'late'] }, { holds: 'time' }, { holds: 'number', rest: true }]],
      text: [
        `local locks = KEYS
local notAfter = tonumber(ARGV[1])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local holders = {}
for i = 2, #ARGV do
  holders[i - 1] = ARGV[i]
end`,
        serverNow,
        foreignType,
        holdCount,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
for i, lock in ipairs(locks) do
  local owner, lease = holders[2 * i - 1], tonumber(holders[2 * i])
  local held = holdCount(lock, owner) > 0
  if held then redis.call('PEXPIRE', lock, lease) end
  reply[i + 2] = held and 1 or 0
end
return reply`,
      ].join('\n'),
    }),
    /** Acquires the lock for a new owner, also from another one: that is told, and loses it. */
    replace: script<
      { lock: string },
      {
        owner: string;
        lease: number;
        notAfter: number;
        asks: number;
        holders: string;
        channel: string;
        publish: string;
      },
      | [lease: number, now: number]
      | [outcome: 'busy' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
    >({
      name: 'lock/replace',
      keyNames: ['lock'],
      argumentNames: ['owner', 'lease', 'notAfter', 'asks', 'holders', 'channel', 'publish'],
      grants: true,
      replies: [
        [{ holds: 'number' }, { holds: 'time' }],
        [{ holds: ['busy', 'late', 'wrong-type'] }, { holds: 'number' }, { holds: 'string' }, { holds: 'time' }],
      ],
      text: [
        `local lock = KEYS[1]
local owner = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local asks = tonumber(ARGV[4])
if not asks then return redis.error_reply('ERR argument asks is not a number') end
local holders = ARGV[5]
local channel = ARGV[6]
local publish = ARGV[7]`,
        serverNow,
        owners,
        soleHold,
        takeLock,
        tellShorter,
        takeFromHolder,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end
local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', 0, found, now } end
if holder == owner then
  if redis.call('PTTL', lock) < lease then redis.call('PEXPIRE', lock, lease) end
  return { lease, now }
end
if holder ~= '' then
  local remaining = redis.call('PTTL', lock)
  if asks == 1 then
    askToEnd(holder, holders, publish)
    return { 'busy', remaining, holder, now }
  end
  dropForNewer(lock, holder, remaining, lease, holders, channel, publish)
end
return takeLock(lock, owner, lease) or { lease, now }`,
      ].join('\n'),
    }),
    /** Acquires the lock for an owner whose client waits. If it is held, the client keeps its entry among those that wait, or gets one. */
    wait: script<
      { lock: string },
      { owner: string; lease: number; notAfter: number; waiters: string; entry: string; isNew: number },
      | [lease: number, now: number]
      | [outcome: 'busy' | 'gone' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
    >({
      name: 'lock/wait',
      keyNames: ['lock'],
      argumentNames: ['owner', 'lease', 'notAfter', 'waiters', 'entry', 'isNew'],
      grants: true,
      replies: [
        [{ holds: 'number' }, { holds: 'time' }],
        [
          { holds: ['busy', 'gone', 'late', 'wrong-type'] },
          { holds: 'number' },
          { holds: 'string' },
          { holds: 'time' },
        ],
      ],
      text: [
        `local lock = KEYS[1]
local owner = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local waiters = ARGV[4]
local entry = ARGV[5]
local isNew = tonumber(ARGV[6])
if not isNew then return redis.error_reply('ERR argument isNew is not a number') end`,
        elsewhere,
        serverNow,
        owners,
        soleHold,
        takeLock,
        waitingEntry,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end
local isWaiting = isNew == 1 or type(redis.pcall('ZSCORE', waiters, entry)) == 'string'
if redis.call('EXISTS', lock) == 0 then
  if not isWaiting then return { 'gone', 0, '', now } end
  local refused = takeLock(lock, owner, lease)
  if refused then return refused end
  redis.pcall('ZREM', waiters, entry)
  return { lease, now }
end
local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', 0, found, now } end
local remaining = redis.call('PTTL', lock)
if holder == owner then
  if remaining < lease then redis.call('PEXPIRE', lock, lease) end
  return { lease, now }
end
if not isWaiting then return { 'gone', remaining, holder, now } end
if not isElsewhere(lock, waiters) then addEntry(waiters, entry) end
return { 'busy', remaining, holder, now }`,
      ].join('\n'),
    }),
    /** Ends the wait of a client: removes its entry, and passes the lock on if its owner was given it meanwhile. */
    withdraw: script<
      { lock: string },
      { owner: string; channel: string; publish: string; waiters: string; entry: string; mayGrant: number },
      [outcome: 'withdrawn' | 'elsewhere', now: number]
    >({
      name: 'lock/withdraw',
      keyNames: ['lock'],
      argumentNames: ['owner', 'channel', 'publish', 'waiters', 'entry', 'mayGrant'],
      replies: [[{ holds: ['withdrawn', 'elsewhere'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local owner = ARGV[1]
local channel = ARGV[2]
local publish = ARGV[3]
local waiters = ARGV[4]
local entry = ARGV[5]
local mayGrant = tonumber(ARGV[6])
if not mayGrant then return redis.error_reply('ERR argument mayGrant is not a number') end`,
        serverNow,
        foreignType,
        keepFields,
        dropHold,
        elsewhere,
        listeners,
        takeLock,
        waitingEntry,
        passOn,
        `local now = serverNow()
local isRemoved = redis.pcall('ZREM', waiters, entry) == 1 or not isElsewhere(lock, waiters)
if dropHold(lock, owner) then
  local passes = mayGrant == 1 and redis.pcall('EXISTS', lock) == 0
  local outcome = passes and passOn(lock, waiters, channel, publish, '', now)
  if not outcome then redis.pcall(publish, channel, '0') end
end
return { isRemoved and 'withdrawn' or 'elsewhere', now }`,
      ].join('\n'),
    }),
  },
  permits: {
    /** Acquires a permit for each of the new `ids`, or none. Before that, returns as many expired permits to the pool as are wanted. */
    acquire: script<
      { permits: string; deadlines: string },
      { lease: number; notAfter: number; channel: string; publish: string; ids: readonly string[] },
      [
        outcome: 'acquired' | 'busy' | 'not-set' | 'late' | 'wrong-type' | 'wrong-deadlines',
        detail: string,
        now: number,
        available: number,
        remaining: number,
      ]
    >({
      name: 'permits/acquire',
      keyNames: ['permits', 'deadlines'],
      argumentNames: ['lease', 'notAfter', 'channel', 'publish', 'ids'],
      grants: true,
      replies: [
        [
          { holds: ['acquired', 'busy', 'not-set', 'late', 'wrong-type', 'wrong-deadlines'] },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'number' },
          { holds: 'number' },
        ],
      ],
      text: [
        `local permits = KEYS[1]
local deadlines = KEYS[2]
local lease = tonumber(ARGV[1])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[2])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local channel = ARGV[3]
local publish = ARGV[4]
local ids = {}
for i = 5, #ARGV do
  ids[i - 4] = ARGV[i]
end`,
        serverNow,
        fromHex,
        countUnder,
        permitPool,
        noDeadline,
        sweepPermits,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now, 0, 0 } end
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now, 0, 0 } end
if redis.call('ZSCORE', deadlines, fromHex(ids[1])) then return { 'acquired', '', now, pool.available, 0 } end
local swept = sweepPermits(permits, deadlines, channel, publish, now, #ids)
local available = pool.available + swept
if available < #ids then
  local below = string.format('(%.0f', NO_DEADLINE)
  local nearest = redis.call('ZRANGEBYSCORE', deadlines, 0, below, 'WITHSCORES', 'LIMIT', 0, 1)[2]
  local remaining = nearest and math.max(0, math.ceil(tonumber(nearest) - now)) or -1
  return { (pool.isSet or swept > 0) and 'busy' or 'not-set', '', now, available, remaining }
end
redis.call('DECRBY', permits, #ids)
local deadline = lease < 0 and NO_DEADLINE or now + lease
for i, id in ipairs(ids) do
  local refused = redis.pcall('ZADD', deadlines, deadline, fromHex(id))
  if type(refused) == 'table' then
    redis.call('INCRBY', permits, #ids - i + 1)
    return refused
  end
end
local ttl = redis.call('PTTL', permits)
if ttl >= 0 then redis.call('PEXPIRE', deadlines, ttl) end
return { 'acquired', '', now, available - #ids, 0 }`,
      ].join('\n'),
    }),
    /** Adds permits, or removes some for good, and notifies waiters of those that were added. */
    add: script<
      { permits: string; deadlines: string; marker: string },
      { delta: number; most: number; channel: string; publish: string; keep: number; notAfter: number },
      [
        outcome: 'added' | 'too-many' | 'late' | 'wrong-type' | 'wrong-deadlines',
        detail: string,
        now: number,
        available: number,
      ]
    >({
      name: 'permits/add',
      keyNames: ['permits', 'deadlines', 'marker'],
      argumentNames: ['delta', 'most', 'channel', 'publish', 'keep', 'notAfter'],
      replies: [
        [
          { holds: ['added', 'too-many', 'late', 'wrong-type', 'wrong-deadlines'] },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'number' },
        ],
      ],
      text: [
        `local permits = KEYS[1]
local deadlines = KEYS[2]
local marker = KEYS[3]
local delta = tonumber(ARGV[1])
if not delta then return redis.error_reply('ERR argument delta is not a number') end
local most = tonumber(ARGV[2])
if not most then return redis.error_reply('ERR argument most is not a number') end
local channel = ARGV[3]
local publish = ARGV[4]
local keep = tonumber(ARGV[5])
if not keep then return redis.error_reply('ERR argument keep is not a number') end
local notAfter = tonumber(ARGV[6])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        countUnder,
        permitPool,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now, 0 } end
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now, 0 } end
local answered = redis.call('GET', marker)
if answered then return { answered, '', now, pool.available } end
if math.abs(pool.available + delta) > most then return { 'too-many', '', now, pool.available } end
redis.call('SET', marker, 'added', 'PX', keep)
redis.call('SET', permits, pool.available + delta)
if delta > 0 then redis.pcall(publish, channel, delta) end
return { 'added', '', now, pool.available + delta }`,
      ].join('\n'),
    }),
    /** Deletes the semaphore together with the permits in use. Notifies no waiter. */
    delete: script<
      { permits: string; deadlines: string; marker: string },
      { keep: number; notAfter: number },
      [outcome: 'deleted' | 'none' | 'late' | 'wrong-type' | 'wrong-deadlines', detail: string, now: number]
    >({
      name: 'permits/delete',
      keyNames: ['permits', 'deadlines', 'marker'],
      argumentNames: ['keep', 'notAfter'],
      replies: [
        [
          { holds: ['deleted', 'none', 'late', 'wrong-type', 'wrong-deadlines'] },
          { holds: 'string' },
          { holds: 'time' },
        ],
      ],
      text: [
        `local permits = KEYS[1]
local deadlines = KEYS[2]
local marker = KEYS[3]
local keep = tonumber(ARGV[1])
if not keep then return redis.error_reply('ERR argument keep is not a number') end
local notAfter = tonumber(ARGV[2])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        countUnder,
        permitPool,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now } end
local answered = redis.call('GET', marker)
if answered then return { answered, '', now } end
local outcome = redis.call('DEL', permits, deadlines) > 0 and 'deleted' or 'none'
redis.call('SET', marker, outcome, 'PX', keep)
return { outcome, '', now }`,
      ].join('\n'),
    }),
    /** Returns the numbers of permits available and in use, after expired permits have returned to the pool. */
    inspect: script<
      { permits: string; deadlines: string },
      { channel: string; publish: string },
      [outcome: 'set' | 'unset' | 'wrong-type' | 'wrong-deadlines', detail: string, available: number, out: number]
    >({
      name: 'permits/inspect',
      keyNames: ['permits', 'deadlines'],
      argumentNames: ['channel', 'publish'],
      replies: [
        [
          { holds: ['set', 'unset', 'wrong-type', 'wrong-deadlines'] },
          { holds: 'string' },
          { holds: 'number' },
          { holds: 'number' },
        ],
      ],
      text: [
        `local permits = KEYS[1]
local deadlines = KEYS[2]
local channel = ARGV[1]
local publish = ARGV[2]`,
        serverNow,
        countUnder,
        permitPool,
        sweepPermits,
        `local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, 0, 0 } end
local swept = sweepPermits(permits, deadlines, channel, publish, serverNow())
local outcome = (pool.isSet or swept > 0) and 'set' or 'unset'
return { outcome, '', pool.available + swept, pool.out - swept }`,
      ].join('\n'),
    }),
    /** Returns the rest of a permit's lease, after expired permits have returned to the pool. */
    lease: script<
      { permits: string; deadlines: string },
      { id: string; channel: string; publish: string },
      [outcome: 'held' | 'not-held' | 'wrong-type' | 'wrong-deadlines', detail: string, remaining: number]
    >({
      name: 'permits/lease',
      keyNames: ['permits', 'deadlines'],
      argumentNames: ['id', 'channel', 'publish'],
      replies: [
        [{ holds: ['held', 'not-held', 'wrong-type', 'wrong-deadlines'] }, { holds: 'string' }, { holds: 'number' }],
      ],
      text: [
        `local permits = KEYS[1]
local deadlines = KEYS[2]
local id = ARGV[1]
local channel = ARGV[2]
local publish = ARGV[3]`,
        serverNow,
        fromHex,
        countUnder,
        permitPool,
        noDeadline,
        sweepPermits,
        `local now = serverNow()
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, 0 } end
sweepPermits(permits, deadlines, channel, publish, now)
local deadline = tonumber(redis.call('ZSCORE', deadlines, fromHex(id)) or '')
if not deadline then return { 'not-held', '', 0 } end
return { 'held', '', deadline < NO_DEADLINE and math.ceil(deadline - now) or -1 }`,
      ].join('\n'),
    }),
    /** Returns permits to the pool, if the leases of all of them still run, and notifies waiters of their number. */
    releaseAll: script<
      { permits: string; deadlines: string },
      { channel: string; publish: string; ids: readonly string[] },
      [outcome: 'released' | 'not-held' | 'wrong-type' | 'wrong-deadlines', detail: string, now: number, out: number]
    >({
      name: 'permits/release-all',
      keyNames: ['permits', 'deadlines'],
      argumentNames: ['channel', 'publish', 'ids'],
      replies: [
        [
          { holds: ['released', 'not-held', 'wrong-type', 'wrong-deadlines'] },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'number' },
        ],
      ],
      text: [
        `local permits = KEYS[1]
local deadlines = KEYS[2]
local channel = ARGV[1]
local publish = ARGV[2]
local ids = {}
for i = 3, #ARGV do
  ids[i - 2] = ARGV[i]
end`,
        serverNow,
        fromHex,
        countUnder,
        permitPool,
        sweepPermits,
        `local now = serverNow()
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now, 0 } end
local out, inTime = 0, 0
for _, id in ipairs(ids) do
  local deadline = redis.call('ZSCORE', deadlines, fromHex(id))
  if deadline then out = out + 1 end
  if deadline and tonumber(deadline) > now then inTime = inTime + 1 end
end
if inTime < #ids then return { 'not-held', '', now, out } end
sweepPermits(permits, deadlines, channel, publish, now)
for _, id in ipairs(ids) do redis.call('ZREM', deadlines, fromHex(id)) end
redis.call('INCRBY', permits, #ids)
redis.pcall(publish, channel, #ids)
return { 'released', '', now, 0 }`,
      ].join('\n'),
    }),
    /** Returns one permit to the pool, even if its lease is over, and notifies waiters of the number available. */
    release: script<
      { permits: string; deadlines: string },
      { id: string; channel: string; publish: string },
      [outcome: 'released' | 'expired' | 'not-held' | 'wrong-type' | 'wrong-deadlines', detail: string, now: number]
    >({
      name: 'permits/release',
      keyNames: ['permits', 'deadlines'],
      argumentNames: ['id', 'channel', 'publish'],
      replies: [
        [
          { holds: ['released', 'expired', 'not-held', 'wrong-type', 'wrong-deadlines'] },
          { holds: 'string' },
          { holds: 'time' },
        ],
      ],
      text: [
        `local permits = KEYS[1]
local deadlines = KEYS[2]
local id = ARGV[1]
local channel = ARGV[2]
local publish = ARGV[3]`,
        serverNow,
        fromHex,
        countUnder,
        permitPool,
        `local now = serverNow()
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now } end
local permit = fromHex(id)
local deadline = redis.call('ZSCORE', deadlines, permit)
if not deadline then return { 'not-held', '', now } end
redis.call('ZREM', deadlines, permit)
local available = redis.call('INCRBY', permits, 1)
if available >= 0 then redis.pcall(publish, channel, available) end
return { tonumber(deadline) > now and 'released' or 'expired', '', now }`,
      ].join('\n'),
    }),
    /** Renews permits that are in use, each for its milliseconds from now. */
    renew: script<
      { sets: readonly string[] },
      { notAfter: number; holders: readonly string[] },
      [outcome: 'renewed' | 'late', now: number, ...held: number[]]
    >({
      name: 'permits/renew',
      keyNames: ['sets'],
      argumentNames: ['notAfter', 'holders'],
      replies: [[{ holds: ['renewed', 'late'] }, { holds: 'time' }, { holds: 'number', rest: true }]],
      text: [
        `local sets = KEYS
local notAfter = tonumber(ARGV[1])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local holders = {}
for i = 2, #ARGV do
  holders[i - 1] = ARGV[i]
end`,
        serverNow,
        fromHex,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
for i, deadlines in ipairs(sets) do
  local permit, lease = fromHex(holders[2 * i - 1]), tonumber(holders[2 * i])
  local isSet = redis.call('TYPE', deadlines).ok == 'zset'
  local deadline = isSet and tonumber(redis.call('ZSCORE', deadlines, permit) or '')
  local isHeld = deadline and deadline > now
  if isHeld then
    redis.call('ZREMRANGEBYSCORE', deadlines, 0, 0)
    redis.call('ZADD', deadlines, now + lease, permit)
  end
  reply[i + 2] = isHeld and 1 or 0
end
return reply`,
      ].join('\n'),
    }),
    /** Sets the total number of permits, including those in use, and notifies waiters. */
    set: script<
      { permits: string; deadlines: string },
      { total: number; notAfter: number; channel: string; publish: string },
      [outcome: 'set' | 'late' | 'wrong-type' | 'wrong-deadlines', detail: string, now: number]
    >({
      name: 'permits/set',
      keyNames: ['permits', 'deadlines'],
      argumentNames: ['total', 'notAfter', 'channel', 'publish'],
      replies: [[{ holds: ['set', 'late', 'wrong-type', 'wrong-deadlines'] }, { holds: 'string' }, { holds: 'time' }]],
      text: [
        `local permits = KEYS[1]
local deadlines = KEYS[2]
local total = tonumber(ARGV[1])
if not total then return redis.error_reply('ERR argument total is not a number') end
local notAfter = tonumber(ARGV[2])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local channel = ARGV[3]
local publish = ARGV[4]`,
        serverNow,
        countUnder,
        permitPool,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now } end
if not pool.isSet then
  redis.call('SET', permits, total)
elseif pool.available + pool.out ~= total then
  redis.call('INCRBY', permits, total - pool.available - pool.out)
else
  return { 'set', '', now }
end
redis.pcall(publish, channel, total)
return { 'set', '', now }`,
      ].join('\n'),
    }),
    /** Sets the time that a permit lasts from now, after expired permits have returned to the pool. */
    updateLease: script<
      { permits: string; deadlines: string },
      { id: string; lease: number; notAfter: number; channel: string; publish: string },
      [outcome: 'held' | 'not-held' | 'late' | 'wrong-type' | 'wrong-deadlines', detail: string, now: number]
    >({
      name: 'permits/update-lease',
      keyNames: ['permits', 'deadlines'],
      argumentNames: ['id', 'lease', 'notAfter', 'channel', 'publish'],
      replies: [
        [
          { holds: ['held', 'not-held', 'late', 'wrong-type', 'wrong-deadlines'] },
          { holds: 'string' },
          { holds: 'time' },
        ],
      ],
      text: [
        `local permits = KEYS[1]
local deadlines = KEYS[2]
local id = ARGV[1]
local lease = tonumber(ARGV[2])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local channel = ARGV[4]
local publish = ARGV[5]`,
        serverNow,
        fromHex,
        countUnder,
        permitPool,
        noDeadline,
        sweepPermits,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now } end
sweepPermits(permits, deadlines, channel, publish, now)
local permit = fromHex(id)
local before = redis.call('ZSCORE', deadlines, permit)
if not before then return { 'not-held', '', now } end
local deadline = lease < 0 and NO_DEADLINE or now + lease
redis.call('ZADD', deadlines, deadline, permit)
if deadline < tonumber(before) then redis.pcall(publish, channel, '1') end
return { 'held', '', now }`,
      ].join('\n'),
    }),
  },
  probe: {
    /** Tries every command that scripts use, in a way that changes nothing, and returns those that this user may not run. */
    rights: script<
      Record<string, never>,
      { lock: string; publish: string; keyCount: number; names: readonly string[] },
      [role: 'master' | 'replica', ...refused: string[]]
    >({
      name: 'probe/rights',
      keyNames: [],
      argumentNames: ['lock', 'publish', 'keyCount', 'names'],
      replies: [[{ holds: ['master', 'replica'] }, { holds: 'string', rest: true }]],
      text: `local lock = ARGV[1]
local publish = ARGV[2]
local keyCount = tonumber(ARGV[3])
if not keyCount then return redis.error_reply('ERR argument keyCount is not a number') end
local names = {}
for i = 4, #ARGV do
  names[i - 3] = ARGV[i]
end
local reply = { 'master' }
local function problemOf(command, ...)
  local answer = redis.pcall(command, ...)
  return type(answer) == 'table' and answer.err or ''
end
local function says(problem, text)
  return string.find(problem, text, 1, true) ~= nil
end
local function try(command, ...)
  local problem = problemOf(command, ...)
  local isForbidden = says(problem, "can't run this command") or says(problem, 'permissions to run')
  if isForbidden then
    reply[#reply + 1] = 'command ' .. command
  elseif says(problem, 'Unknown') and says(problem, 'called from') then
    reply[#reply + 1] = 'unknown ' .. command
  elseif says(problem, 'READONLY') then
    reply[1] = 'replica'
  end
  return not isForbidden, problem
end
try('TIME')
try('PUBSUB', 'NUMSUB')
local canDelete = try('DEL', lock)
try('PERSIST', lock)
local canReplace, problem = try('SET', lock, '', 'PX', 1000)
for _, code in ipairs({ 'NOREPLICAS', 'MISCONF', 'OOM' }) do
  if says(problem, code) then reply[#reply + 1] = 'write ' .. code end
end
local canExpire = try('PEXPIRE', lock, 1000)
for _, command in ipairs({ 'GET', 'EXISTS', 'TYPE', 'PTTL', 'HGETALL', 'HKEYS', 'HLEN', 'LPOP', 'ZCARD', 'ZPOPMIN' }) do
  try(command, lock)
end
try('HRANDFIELD', lock, 1)
for _, command in ipairs({ 'HGET', 'HDEL', 'ZSCORE', 'ZREM' }) do try(command, lock, 'probe') end
for _, command in ipairs({ 'LRANGE', 'ZCOUNT', 'ZRANGEBYSCORE', 'ZREVRANGE', 'ZREMRANGEBYSCORE' }) do try(command, lock, 0, 0) end
try('LINDEX', lock, 0)
try('LREM', lock, 0, 'probe')
try('HSET', lock, 'probe', '', 'probe')
try('HINCRBY', lock, 'probe', 'probe')
try('INCRBY', lock, 'probe')
try('DECRBY', lock, 'probe')
try('ZADD', lock, 'probe', 'probe')
for _, call in ipairs({ { 'INCR', lock }, { 'DECR', lock }, { 'RPUSH', lock, 'probe' } }) do
  if canDelete or canReplace or canExpire then
    try(unpack(call))
  else
    reply[#reply + 1] = 'command ' .. call[1]
  end
end
redis.pcall('PEXPIRE', lock, 1)
redis.pcall('DEL', lock)
local function isDenied(problem)
  return says(problem, "can't access") or says(problem, "can't publish") or says(problem, 'permissions to access')
end
if isDenied(problemOf('EXISTS', lock)) then reply[#reply + 1] = 'key ' .. lock end
for i, name in ipairs(names) do
  if i > keyCount then
    local _, problem = try(publish, name, '0')
    if isDenied(problem) then reply[#reply + 1] = 'channel ' .. name end
  elseif isDenied(problemOf('EXISTS', name)) then
    reply[#reply + 1] = 'key ' .. name
  end
end
return reply`,
    }),
  },
  readLock: {
    /** Acquires the read half for a new owner. */
    acquire: script<
      { lock: string },
      { stem: string; owner: string; lease: number; behindWriters: number; notAfter: number },
      [
        outcome: 'acquired' | 'torn' | 'busy' | 'kept-out' | 'late' | 'wrong-type',
        remaining: number,
        detail: string,
        now: number,
      ]
    >({
      name: 'read-lock/acquire',
      keyNames: ['lock'],
      argumentNames: ['stem', 'owner', 'lease', 'behindWriters', 'notAfter'],
      grants: true,
      replies: [
        [
          { holds: ['acquired', 'torn', 'busy', 'kept-out', 'late', 'wrong-type'] },
          { holds: 'number' },
          { holds: 'string' },
          { holds: 'time' },
        ],
      ],
      text: [
        `local lock = KEYS[1]
local stem = ARGV[1]
local owner = ARGV[2]
local lease = tonumber(ARGV[3])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local behindWriters = tonumber(ARGV[4])
if not behindWriters then return redis.error_reply('ERR argument behindWriters is not a number') end
local notAfter = tonumber(ARGV[5])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        readWriteMode,
        owners,
        readWriteState,
        elsewhere,
        readTimeouts,
        waitingWriters,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end
local mode, holder = modeOf(lock)
if not mode then return { 'wrong-type', 0, holder, now } end
if mode == 'write' then return { 'busy', redis.call('PTTL', lock), holder, now } end
if behindWriters == 1 and not redis.call('HGET', lock, owner) then
  local writer, remaining = waitingWriter(lock, stem, now)
  if writer then return { 'kept-out', remaining, writer, now } end
end
local isTorn = not keepRead(lock, stem, owner, 1, lease, true)
redis.call('HSET', lock, 'mode', 'read', owner, 1)
local limited = redis.pcall('PEXPIRE', lock, math.max(redis.call('PTTL', lock), lease))
if type(limited) == 'table' then
  redis.call('HDEL', lock, owner)
  if mode == '' then redis.call('DEL', lock) end
  dropRead(lock, stem, owner, 1)
  return limited
end
return { isTorn and 'torn' or 'acquired', lease, '', now }`,
      ].join('\n'),
    }),
    /** Ends the holds of all readers and wakes the waiters. Their time-out keys are left to expire. */
    forceRelease: script<
      { lock: string },
      { channel: string; publish: string; notAfter: number },
      [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
    >({
      name: 'read-lock/force-release',
      keyNames: ['lock'],
      argumentNames: ['channel', 'publish', 'notAfter'],
      replies: [[{ holds: ['released', 'not-held', 'late', 'wrong-type'] }, { holds: 'string' }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local channel = ARGV[1]
local publish = ARGV[2]
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        readWriteMode,
        owners,
        readWriteState,
        freeReadWrite,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local mode, found = modeOf(lock)
if not mode then return { 'wrong-type', found, now } end
if mode ~= 'read' then return { 'not-held', '', now } end
freeReadWrite(lock)
redis.pcall(publish, channel, '0')
return { 'released', '', now }`,
      ].join('\n'),
    }),
    /** Sets the read count of an owner that reads or writes, and the time that the reads last from now: to re-enter, to release a read that is not the last, to extend, and to read while writing. */
    hold: script<
      { lock: string },
      { stem: string; owner: string; count: number; lease: number; channel: string; publish: string; notAfter: number },
      [outcome: 'held' | 'torn' | 'lost' | 'late', now: number]
    >({
      name: 'read-lock/hold',
      keyNames: ['lock'],
      argumentNames: ['stem', 'owner', 'count', 'lease', 'channel', 'publish', 'notAfter'],
      replies: [[{ holds: ['held', 'torn', 'lost', 'late'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local stem = ARGV[1]
local owner = ARGV[2]
local count = tonumber(ARGV[3])
if not count then return redis.error_reply('ERR argument count is not a number') end
local lease = tonumber(ARGV[4])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local channel = ARGV[5]
local publish = ARGV[6]
local notAfter = tonumber(ARGV[7])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        readWriteMode,
        readCount,
        writeCount,
        elsewhere,
        owners,
        readTimeouts,
        tellShorter,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local before = readCount(lock, owner)
local writes = writeCount(lock, owner) > 0
if before == 0 and not writes then return { 'lost', now } end
local left = redis.call('PTTL', lock)
redis.call('PEXPIRE', lock, math.max(left, lease))
local isTorn = false
for n = 1, count do isTorn = not keepRead(lock, stem, owner, n, lease, n > before) or isTorn end
for n = count + 1, before do dropRead(lock, stem, owner, n) end
if before ~= count then redis.call('HSET', lock, owner, count) end
if not writes then
  local longest = longestOfAll(lock, stem)
  redis.call('PEXPIRE', lock, longest)
  tellShorter(left, longest, channel, publish, serverNow() - now)
end
return { isTorn and 'torn' or 'held', now }`,
      ].join('\n'),
    }),
    /** Returns whether there are readers, the read count of the given owner, and the time until the lock ends. */
    inspect: script<
      { lock: string },
      { owner: string },
      [outcome: 'locked' | 'free' | 'wrong-type', detail: string, count: number, remaining: number]
    >({
      name: 'read-lock/inspect',
      keyNames: ['lock'],
      argumentNames: ['owner'],
      replies: [
        [{ holds: ['locked', 'free', 'wrong-type'] }, { holds: 'string' }, { holds: 'number' }, { holds: 'number' }],
      ],
      text: [
        `local lock = KEYS[1]
local owner = ARGV[1]`,
        foreignType,
        readWriteMode,
        owners,
        readWriteState,
        readCount,
        `local mode, found = modeOf(lock)
if not mode then return { 'wrong-type', found, 0, 0 } end
local isRead = mode == 'read' or redis.call('HLEN', lock) > 2
return { isRead and 'locked' or 'free', '', readCount(lock, owner), redis.call('PTTL', lock) }`,
      ].join('\n'),
    }),
    /** Renews one read for its milliseconds from now. For a read whose time-out key may be on another server than its lock, because their slot is moving: declared alone, the key is found on the server that has it, and created on the server for new keys. */
    keepTimeout: script<
      { timeout: string },
      { lease: number; notAfter: number },
      [outcome: 'kept' | 'late', now: number]
    >({
      name: 'read-lock/keep-timeout',
      keyNames: ['timeout'],
      argumentNames: ['lease', 'notAfter'],
      replies: [[{ holds: ['kept', 'late'] }, { holds: 'time' }]],
      text: [
        `local timeout = KEYS[1]
local lease = tonumber(ARGV[1])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local notAfter = tonumber(ARGV[2])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
redis.call('SET', timeout, '1', 'PX', lease)
return { 'kept', now }`,
      ].join('\n'),
    }),
    /** Releases all reads of an owner; after the last reader, frees the lock and wakes the waiters. */
    release: script<
      { lock: string },
      { stem: string; owner: string; channel: string; publish: string; notAfter: number },
      [outcome: 'released' | 'not-held' | 'late', now: number]
    >({
      name: 'read-lock/release',
      keyNames: ['lock'],
      argumentNames: ['stem', 'owner', 'channel', 'publish', 'notAfter'],
      replies: [[{ holds: ['released', 'not-held', 'late'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local stem = ARGV[1]
local owner = ARGV[2]
local channel = ARGV[3]
local publish = ARGV[4]
local notAfter = tonumber(ARGV[5])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        readWriteMode,
        readCount,
        elsewhere,
        owners,
        readTimeouts,
        readWriteState,
        freeReadWrite,
        tellShorter,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local mode = modeField(lock)
local reads = readCount(lock, owner)
if reads > 0 then
  redis.call('HDEL', lock, owner)
  for n = 1, reads do dropRead(lock, stem, owner, n) end
end
local isFree = not mode and redis.call('EXISTS', lock) == 0
if reads > 0 and mode == 'read' then
  local longest = longestOfAll(lock, stem)
  isFree = longest <= 0
  if isFree then
    freeReadWrite(lock)
  else
    local left = redis.call('PTTL', lock)
    redis.call('PEXPIRE', lock, longest)
    tellShorter(left, longest, channel, publish)
  end
end
if isFree then redis.pcall(publish, channel, '0') end
return { reads > 0 and 'released' or 'not-held', now }`,
      ].join('\n'),
    }),
    /** Renews each lock that its owner still reads, for at least its milliseconds from now. */
    renew: script<
      { locks: readonly string[] },
      { notAfter: number; holders: readonly string[] },
      [outcome: 'renewed' | 'late', now: number, ...held: number[]]
    >({
      name: 'read-lock/renew',
      keyNames: ['locks'],
      argumentNames: ['notAfter', 'holders'],
      replies: [[{ holds: ['renewed', 'late'] }, { holds: 'time' }, { holds: 'number', rest: true }]],
      text: [
        `local locks = KEYS
local notAfter = tonumber(ARGV[1])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local holders = {}
for i = 2, #ARGV do
  holders[i - 1] = ARGV[i]
end`,
        serverNow,
        foreignType,
        readWriteMode,
        readCount,
        elsewhere,
        owners,
        readTimeouts,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
for i, lock in ipairs(locks) do
  local owner, lease, stem = holders[3 * i - 2], tonumber(holders[3 * i - 1]), holders[3 * i]
  local reads = readCount(lock, owner)
  if reads > 0 then redis.call('PEXPIRE', lock, math.max(redis.call('PTTL', lock), lease)) end
  local held = reads > 0 and 1 or 0
  for n = 1, reads do
    if not keepRead(lock, stem, owner, n, lease) then held = -reads end
  end
  reply[i + 2] = held
end
return reply`,
      ].join('\n'),
    }),
    /** Makes a reader the writer, under another owner id, if no other owner reads. */
    upgrade: script<
      { lock: string },
      { stem: string; from: string; to: string; lease: number; channel: string; publish: string; notAfter: number },
      [outcome: 'held' | 'others' | 'writes' | 'lost' | 'late', readers: number, now: number]
    >({
      name: 'read-lock/upgrade',
      keyNames: ['lock'],
      argumentNames: ['stem', 'from', 'to', 'lease', 'channel', 'publish', 'notAfter'],
      grants: true,
      replies: [[{ holds: ['held', 'others', 'writes', 'lost', 'late'] }, { holds: 'number' }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local stem = ARGV[1]
local from = ARGV[2]
local to = ARGV[3]
local lease = tonumber(ARGV[4])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local channel = ARGV[5]
local publish = ARGV[6]
local notAfter = tonumber(ARGV[7])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        readWriteMode,
        readCount,
        writeCount,
        elsewhere,
        owners,
        readTimeouts,
        otherReaders,
        tellShorter,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, now } end
if writeCount(lock, to) > 0 then
  if redis.call('PTTL', lock) < lease then redis.call('PEXPIRE', lock, lease) end
  return { 'held', 0, now }
end
local reads = readCount(lock, from)
if reads == 0 then return { 'lost', 0, now } end
if modeField(lock) == 'write' then return { 'writes', 0, now } end
local others, dead = otherReaders(lock, stem, from)
if others > 0 then return { 'others', others, now } end
local left = redis.call('PTTL', lock)
redis.call('PEXPIRE', lock, lease)
redis.call('HDEL', lock, from)
for _, reader in ipairs(dead) do redis.call('HDEL', lock, reader) end
redis.call('HSET', lock, 'mode', 'write', to .. ':write', 1)
for n = 1, reads do dropRead(lock, stem, from, n) end
tellShorter(left, lease, channel, publish)
return { 'held', 0, now }`,
      ].join('\n'),
    }),
  },
  replication: {
    /** Writes the hold of an owner once more, so that a WAIT after it counts the replicas that have the hold. */
    confirmHold: script<{ lock: string }, { field: string }, [outcome: 'held' | 'lost']>({
      name: 'replication/confirm-hold',
      keyNames: ['lock'],
      argumentNames: ['field'],
      replies: [[{ holds: ['held', 'lost'] }]],
      text: `local lock = KEYS[1]
local field = ARGV[1]
local count = redis.call('HGET', lock, field)
if not count then return { 'lost' } end
redis.call('HSET', lock, field, count)
return { 'held' }`,
    }),
    /** Writes a permit of a limit once more, so that a WAIT after it counts the replicas that have it. */
    confirmLimit: script<{ permits: string }, { owner: string }, [outcome: 'held' | 'lost']>({
      name: 'replication/confirm-limit',
      keyNames: ['permits'],
      argumentNames: ['owner'],
      replies: [[{ holds: ['held', 'lost'] }]],
      text: `local permits = KEYS[1]
local owner = ARGV[1]
local deadline = redis.call('ZSCORE', permits, owner)
if not deadline then return { 'lost' } end
redis.call('ZREM', permits, owner)
redis.call('ZADD', permits, deadline, owner)
return { 'held' }`,
    }),
    /** Writes the marker of a request once more, so that a WAIT after it counts the replicas that have the effect of the request. */
    confirmMarker: script<{ marker: string }, Record<string, never>, [outcome: 'held' | 'lost']>({
      name: 'replication/confirm-marker',
      keyNames: ['marker'],
      argumentNames: [],
      replies: [[{ holds: ['held', 'lost'] }]],
      text: `local marker = KEYS[1]
local left = redis.call('PTTL', marker)
if left < 0 then return { 'lost' } end
redis.call('PEXPIRE', marker, math.max(1, left))
return { 'held' }`,
    }),
    /** Writes the number of permits once more, so that a WAIT after it counts the replicas that have a permit in use. */
    confirmPermits: script<{ permits: string; deadlines: string }, { id: string }, [outcome: 'held' | 'lost']>({
      name: 'replication/confirm-permits',
      keyNames: ['permits', 'deadlines'],
      argumentNames: ['id'],
      replies: [[{ holds: ['held', 'lost'] }]],
      text: [
        `local permits = KEYS[1]
local deadlines = KEYS[2]
local id = ARGV[1]`,
        fromHex,
        `if redis.call('EXISTS', permits) == 0 then return { 'lost' } end
if id ~= '' and not redis.call('ZSCORE', deadlines, fromHex(id)) then return { 'lost' } end
redis.call('INCRBY', permits, 0)
return { 'held' }`,
      ].join('\n'),
    }),
  },
  semaphore: {
    /** Changes the number of permits, removes the time to live, and notifies waiters of the new number. */
    add: script<
      { semaphore: string; marker: string },
      { delta: number; most: number; channel: string; publish: string; keep: number; notAfter: number },
      [outcome: 'added' | 'too-many' | 'late' | 'wrong-type', detail: string, now: number, available: number]
    >({
      name: 'semaphore/add',
      keyNames: ['semaphore', 'marker'],
      argumentNames: ['delta', 'most', 'channel', 'publish', 'keep', 'notAfter'],
      replies: [
        [
          { holds: ['added', 'too-many', 'late', 'wrong-type'] },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'number' },
        ],
      ],
      text: [
        `local semaphore = KEYS[1]
local marker = KEYS[2]
local delta = tonumber(ARGV[1])
if not delta then return redis.error_reply('ERR argument delta is not a number') end
local most = tonumber(ARGV[2])
if not most then return redis.error_reply('ERR argument most is not a number') end
local channel = ARGV[3]
local publish = ARGV[4]
local keep = tonumber(ARGV[5])
if not keep then return redis.error_reply('ERR argument keep is not a number') end
local notAfter = tonumber(ARGV[6])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        countUnder,
        answerOnce,
        `local now, answer, available = answerOnce(semaphore, marker, notAfter)
if answer then
  answer[4] = available or 0
  return answer
end
if math.abs(available + delta) > most then return { 'too-many', '', now, available } end
redis.call('SET', marker, 'added', 'PX', keep)
available = available + delta
redis.call('SET', semaphore, available)
if available >= 0 then redis.pcall(publish, channel, available) end
return { 'added', '', now, available }`,
      ].join('\n'),
    }),
    /** Takes all available permits, and removes the time to live. */
    drain: script<
      { semaphore: string; marker: string },
      { keep: number; notAfter: number },
      [outcome: 'taken' | 'not-set' | 'late' | 'wrong-type', detail: string, now: number, drained: number]
    >({
      name: 'semaphore/drain',
      keyNames: ['semaphore', 'marker'],
      argumentNames: ['keep', 'notAfter'],
      replies: [
        [
          { holds: ['taken', 'not-set', 'late', 'wrong-type'] },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'number' },
        ],
      ],
      text: [
        `local semaphore = KEYS[1]
local marker = KEYS[2]
local keep = tonumber(ARGV[1])
if not keep then return redis.error_reply('ERR argument keep is not a number') end
local notAfter = tonumber(ARGV[2])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        countUnder,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now, 0 } end
local available, found = countUnder(semaphore)
if not available then return { 'wrong-type', found, now, 0 } end
local drained = redis.call('GET', marker)
if drained then return { 'taken', '', now, tonumber(drained) } end
if found == 'none' then return { 'not-set', '', now, 0 } end
redis.call('SET', marker, available, 'PX', keep)
redis.call('SET', semaphore, 0)
return { 'taken', '', now, available }`,
      ].join('\n'),
    }),
    /** Adds permits and notifies waiters of the new number. */
    release: script<
      { semaphore: string; marker: string },
      {
        permits: number;
        most: number;
        create: number;
        channel: string;
        publish: string;
        keep: number;
        notAfter: number;
      },
      [
        outcome: 'released' | 'not-set' | 'too-many' | 'late' | 'wrong-type',
        detail: string,
        now: number,
        available: number,
      ]
    >({
      name: 'semaphore/release',
      keyNames: ['semaphore', 'marker'],
      argumentNames: ['permits', 'most', 'create', 'channel', 'publish', 'keep', 'notAfter'],
      replies: [
        [
          { holds: ['released', 'not-set', 'too-many', 'late', 'wrong-type'] },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'number' },
        ],
      ],
      text: [
        `local semaphore = KEYS[1]
local marker = KEYS[2]
local permits = tonumber(ARGV[1])
if not permits then return redis.error_reply('ERR argument permits is not a number') end
local most = tonumber(ARGV[2])
if not most then return redis.error_reply('ERR argument most is not a number') end
local create = tonumber(ARGV[3])
if not create then return redis.error_reply('ERR argument create is not a number') end
local channel = ARGV[4]
local publish = ARGV[5]
local keep = tonumber(ARGV[6])
if not keep then return redis.error_reply('ERR argument keep is not a number') end
local notAfter = tonumber(ARGV[7])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        countUnder,
        answerOnce,
        `local now, answer, available, found = answerOnce(semaphore, marker, notAfter)
if answer then
  answer[4] = available or 0
  return answer
end
if available + permits > most then return { 'too-many', '', now, available } end
redis.call('DEL', marker)
local outcome = (found == 'none' and create == 0) and 'not-set' or 'released'
redis.call('SET', marker, outcome, 'PX', keep)
if outcome == 'not-set' then return { outcome, '', now, 0 } end
available = redis.call('INCRBY', semaphore, permits)
if available >= 0 then redis.pcall(publish, channel, available) end
return { outcome, '', now, available }`,
      ].join('\n'),
    }),
    /** Takes permits if enough are available. */
    take: script<
      { semaphore: string; marker: string },
      { permits: number; keep: number; notAfter: number },
      [outcome: 'taken' | 'too-few' | 'not-set' | 'late' | 'wrong-type', detail: string, now: number, available: number]
    >({
      name: 'semaphore/take',
      keyNames: ['semaphore', 'marker'],
      argumentNames: ['permits', 'keep', 'notAfter'],
      replies: [
        [
          { holds: ['taken', 'too-few', 'not-set', 'late', 'wrong-type'] },
          { holds: 'string' },
          { holds: 'time' },
          { holds: 'number' },
        ],
      ],
      text: [
        `local semaphore = KEYS[1]
local marker = KEYS[2]
local permits = tonumber(ARGV[1])
if not permits then return redis.error_reply('ERR argument permits is not a number') end
local keep = tonumber(ARGV[2])
if not keep then return redis.error_reply('ERR argument keep is not a number') end
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        countUnder,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now, 0 } end
local available, found = countUnder(semaphore)
if not available then return { 'wrong-type', found, now, 0 } end
if redis.call('EXISTS', marker) == 1 then return { 'taken', '', now, available } end
if found == 'none' then return { 'not-set', '', now, 0 } end
if available < permits then return { 'too-few', '', now, available } end
redis.call('SET', marker, permits, 'PX', keep)
return { 'taken', '', now, redis.call('DECRBY', semaphore, permits) }`,
      ].join('\n'),
    }),
    /** Returns the permits of a request whose reply was lost, if it took any, and notifies waiters. */
    undo: script<
      { semaphore: string; marker: string },
      { channel: string; publish: string },
      [outcome: 'undone' | 'nothing', now: number]
    >({
      name: 'semaphore/undo',
      keyNames: ['semaphore', 'marker'],
      argumentNames: ['channel', 'publish'],
      replies: [[{ holds: ['undone', 'nothing'] }, { holds: 'time' }]],
      text: [
        `local semaphore = KEYS[1]
local marker = KEYS[2]
local channel = ARGV[1]
local publish = ARGV[2]`,
        serverNow,
        countUnder,
        `local now = serverNow()
local taken = redis.call('GET', marker)
if not taken then return { 'nothing', now } end
local available, found = countUnder(semaphore)
redis.call('DEL', marker)
if not available or found == 'none' then return { 'nothing', now } end
available = redis.call('INCRBY', semaphore, taken)
if available >= 0 then redis.pcall(publish, channel, available) end
return { 'undone', now }`,
      ].join('\n'),
    }),
  },
  singleFlight: {
    /** Returns the result of the last flight, while it is stored. */
    find: script<
      { result: string },
      Record<string, never>,
      [outcome: 'landed' | 'none' | 'wrong-type', detail: string, landedAt: number, now: number]
    >({
      name: 'single-flight/find',
      keyNames: ['result'],
      argumentNames: [],
      replies: [
        [{ holds: ['landed', 'none', 'wrong-type'] }, { holds: 'string' }, { holds: 'number' }, { holds: 'time' }],
      ],
      text: [
        `local result = KEYS[1]`,
        serverNow,
        `local now = serverNow()
local kept = redis.pcall('GET', result)
if not kept then return { 'none', '', 0, now } end
if type(kept) == 'table' then
  local found = redis.call('TYPE', result).ok
  if found == 'string' then redis.call('GET', result) end
  return { 'wrong-type', found, 0, now }
end
local landedAt, text = string.match(kept, '^(%d+):(.*)$')
if not landedAt then return { 'wrong-type', 'string', 0, now } end
return { 'landed', text, tonumber(landedAt), now }`,
      ].join('\n'),
    }),
    /** Stores the result of a flight for other callers, while its owner has the lock. */
    land: script<
      { lock: string; result: string },
      { owner: string; keep: number; notAfter: number; text: string },
      [outcome: 'kept' | 'lost' | 'late' | 'wrong-type', detail: string, now: number]
    >({
      name: 'single-flight/land',
      keyNames: ['lock', 'result'],
      argumentNames: ['owner', 'keep', 'notAfter', 'text'],
      replies: [[{ holds: ['kept', 'lost', 'late', 'wrong-type'] }, { holds: 'string' }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local result = KEYS[2]
local owner = ARGV[1]
local keep = tonumber(ARGV[2])
if not keep then return redis.error_reply('ERR argument keep is not a number') end
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local text = ARGV[4]`,
        serverNow,
        foreignType,
        holdCount,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now } end
if holdCount(lock, owner) == 0 then return { 'lost', '', now } end
local found = redis.call('TYPE', result).ok
if found ~= 'none' and found ~= 'string' then return { 'wrong-type', found, now } end
redis.call('SET', result, string.format('%.0f', now) .. ':' .. text, 'PX', keep)
return { 'kept', '', now }`,
      ].join('\n'),
    }),
  },
  writeLock: {
    /** Acquires the write half for a new owner; if the lock is held, records the waiting writer, which goes before new readers. */
    acquire: script<
      { lock: string },
      { stem: string; owner: string; lease: number; waiter: string; slot: number; notAfter: number },
      [outcome: 'acquired' | 'busy' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
    >({
      name: 'write-lock/acquire',
      keyNames: ['lock'],
      argumentNames: ['stem', 'owner', 'lease', 'waiter', 'slot', 'notAfter'],
      grants: true,
      replies: [
        [
          { holds: ['acquired', 'busy', 'late', 'wrong-type'] },
          { holds: 'number' },
          { holds: 'string' },
          { holds: 'time' },
        ],
      ],
      text: [
        `local lock = KEYS[1]
local stem = ARGV[1]
local owner = ARGV[2]
local lease = tonumber(ARGV[3])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local waiter = ARGV[4]
local slot = tonumber(ARGV[5])
if not slot then return redis.error_reply('ERR argument slot is not a number') end
local notAfter = tonumber(ARGV[6])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        readWriteMode,
        writeCount,
        owners,
        readWriteState,
        elsewhere,
        waitingWriters,
        `local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end
local mode, holder = modeOf(lock)
if not mode then return { 'wrong-type', 0, holder, now } end
if mode == '' then
  redis.call('HSET', lock, 'mode', 'write', owner .. ':write', 1)
  local limited = redis.pcall('PEXPIRE', lock, lease)
  if type(limited) == 'table' then
    redis.call('DEL', lock)
    return limited
  end
  return { 'acquired', lease, '', now }
end
if writeCount(lock, owner) > 0 then
  redis.call('PEXPIRE', lock, lease)
  return { 'acquired', lease, '', now }
end
if waiter ~= '' then announceWriter(lock, stem, waiter, now, slot) end
return { 'busy', redis.call('PTTL', lock), holder, now }`,
      ].join('\n'),
    }),
    /** Lets a waiting writer count as waiting for `slot` ms from now. */
    announce: script<
      { lock: string },
      { stem: string; waiter: string; slot: number; notAfter: number },
      [outcome: 'announced' | 'late', now: number]
    >({
      name: 'write-lock/announce',
      keyNames: ['lock'],
      argumentNames: ['stem', 'waiter', 'slot', 'notAfter'],
      replies: [[{ holds: ['announced', 'late'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local stem = ARGV[1]
local waiter = ARGV[2]
local slot = tonumber(ARGV[3])
if not slot then return redis.error_reply('ERR argument slot is not a number') end
local notAfter = tonumber(ARGV[4])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        elsewhere,
        waitingWriters,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
announceWriter(lock, stem, waiter, now, slot)
return { 'announced', now }`,
      ].join('\n'),
    }),
    /** Makes the writer a reader, under another owner id, and wakes the waiting readers. If the writer also reads, those reads stay as they are. */
    downgrade: script<
      { lock: string },
      { stem: string; from: string; to: string; lease: number; channel: string; publish: string; notAfter: number },
      [outcome: 'held' | 'torn' | 'lost' | 'late', now: number]
    >({
      name: 'write-lock/downgrade',
      keyNames: ['lock'],
      argumentNames: ['stem', 'from', 'to', 'lease', 'channel', 'publish', 'notAfter'],
      replies: [[{ holds: ['held', 'torn', 'lost', 'late'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local stem = ARGV[1]
local from = ARGV[2]
local to = ARGV[3]
local lease = tonumber(ARGV[4])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local channel = ARGV[5]
local publish = ARGV[6]
local notAfter = tonumber(ARGV[7])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        readWriteMode,
        readCount,
        writeCount,
        elsewhere,
        owners,
        readTimeouts,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local writes = writeCount(lock, from) > 0
local isReading = modeField(lock) == 'read' and readCount(lock, to) > 0
if not writes and not isReading then return { 'lost', now } end
local kept = isReading and math.max(lease, longestRead(lock, stem, to, 1)) or lease
redis.call('PEXPIRE', lock, math.max(redis.call('PTTL', lock), kept))
if writes then
  redis.call('HDEL', lock, from .. ':write')
  redis.call('HSET', lock, 'mode', 'read', to, 1)
end
local isTorn = not keepRead(lock, stem, to, 1, kept, writes)
redis.call('PEXPIRE', lock, longestOfAll(lock, stem))
if writes then redis.pcall(publish, channel, '1') end
return { isTorn and 'torn' or 'held', now }`,
      ].join('\n'),
    }),
    /** Ends the hold of the writer, including its reads, and wakes the waiters. */
    forceRelease: script<
      { lock: string },
      { channel: string; publish: string; notAfter: number },
      [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
    >({
      name: 'write-lock/force-release',
      keyNames: ['lock'],
      argumentNames: ['channel', 'publish', 'notAfter'],
      replies: [[{ holds: ['released', 'not-held', 'late', 'wrong-type'] }, { holds: 'string' }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local channel = ARGV[1]
local publish = ARGV[2]
local notAfter = tonumber(ARGV[3])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        readWriteMode,
        owners,
        readWriteState,
        freeReadWrite,
        `local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local mode, found = modeOf(lock)
if not mode then return { 'wrong-type', found, now } end
if mode ~= 'write' then return { 'not-held', '', now } end
freeReadWrite(lock)
redis.pcall(publish, channel, '1')
return { 'released', '', now }`,
      ].join('\n'),
    }),
    /** Sets the hold count of an owner that writes, and the time that the lock lasts from now: to re-enter, to release a hold that is not the last, to extend. */
    hold: script<
      { lock: string },
      { stem: string; owner: string; count: number; lease: number; channel: string; publish: string; notAfter: number },
      [outcome: 'held' | 'lost' | 'late', now: number]
    >({
      name: 'write-lock/hold',
      keyNames: ['lock'],
      argumentNames: ['stem', 'owner', 'count', 'lease', 'channel', 'publish', 'notAfter'],
      replies: [[{ holds: ['held', 'lost', 'late'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local stem = ARGV[1]
local owner = ARGV[2]
local count = tonumber(ARGV[3])
if not count then return redis.error_reply('ERR argument count is not a number') end
local lease = tonumber(ARGV[4])
if not lease then return redis.error_reply('ERR argument lease is not a number') end
local channel = ARGV[5]
local publish = ARGV[6]
local notAfter = tonumber(ARGV[7])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end`,
        serverNow,
        foreignType,
        readWriteMode,
        writeCount,
        elsewhere,
        owners,
        readTimeouts,
        keepWriting,
        tellShorter,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local held = writeCount(lock, owner)
if held == 0 then return { 'lost', now } end
local left = redis.call('PTTL', lock)
local kept = keepWriting(lock, stem, owner, lease)
tellShorter(left, kept, channel, publish, serverNow() - now)
if held ~= count then redis.call('HINCRBY', lock, owner .. ':write', count - held) end
return { 'held', now }`,
      ].join('\n'),
    }),
    /** Returns whether there is a writer, the hold count of the given owner, and the time until the lock ends. */
    inspect: script<
      { lock: string },
      { owner: string },
      [outcome: 'locked' | 'free' | 'wrong-type', detail: string, count: number, remaining: number]
    >({
      name: 'write-lock/inspect',
      keyNames: ['lock'],
      argumentNames: ['owner'],
      replies: [
        [{ holds: ['locked', 'free', 'wrong-type'] }, { holds: 'string' }, { holds: 'number' }, { holds: 'number' }],
      ],
      text: [
        `local lock = KEYS[1]
local owner = ARGV[1]`,
        foreignType,
        readWriteMode,
        owners,
        readWriteState,
        writeCount,
        `local mode, found = modeOf(lock)
if not mode then return { 'wrong-type', found, 0, 0 } end
return { mode == 'write' and 'locked' or 'free', '', writeCount(lock, owner), redis.call('PTTL', lock) }`,
      ].join('\n'),
    }),
    /** Releases all write holds of an owner, and wakes the waiters. If the owner also reads, it goes on reading, now beside other readers; otherwise the lock is free. */
    release: script<
      { lock: string },
      { stem: string; owner: string; channel: string; publish: string },
      [outcome: 'released' | 'not-held', now: number]
    >({
      name: 'write-lock/release',
      keyNames: ['lock'],
      argumentNames: ['stem', 'owner', 'channel', 'publish'],
      replies: [[{ holds: ['released', 'not-held'] }, { holds: 'time' }]],
      text: [
        `local lock = KEYS[1]
local stem = ARGV[1]
local owner = ARGV[2]
local channel = ARGV[3]
local publish = ARGV[4]`,
        serverNow,
        foreignType,
        readWriteMode,
        writeCount,
        readCount,
        elsewhere,
        owners,
        readTimeouts,
        readWriteState,
        freeReadWrite,
        `local now = serverNow()
local held = writeCount(lock, owner) > 0
local isFree = redis.call('EXISTS', lock) == 0
if held then
  redis.call('HDEL', lock, owner .. ':write')
  local longest = longestRead(lock, stem, owner, readCount(lock, owner))
  if longest > 0 then
    redis.call('HSET', lock, 'mode', 'read')
    redis.call('PEXPIRE', lock, longest)
  else
    freeReadWrite(lock)
  end
end
if held or isFree then redis.pcall(publish, channel, '1') end
return { held and 'released' or 'not-held', now }`,
      ].join('\n'),
    }),
    /** Renews each lock that its owner still writes, for its milliseconds from now. */
    renew: script<
      { locks: readonly string[] },
      { notAfter: number; holders: readonly string[] },
      [outcome: 'renewed' | 'late', now: number, ...held: number[]]
    >({
      name: 'write-lock/renew',
      keyNames: ['locks'],
      argumentNames: ['notAfter', 'holders'],
      replies: [[{ holds: ['renewed', 'late'] }, { holds: 'time' }, { holds: 'number', rest: true }]],
      text: [
        `local locks = KEYS
local notAfter = tonumber(ARGV[1])
if not notAfter then return redis.error_reply('ERR argument notAfter is not a number') end
local holders = {}
for i = 2, #ARGV do
  holders[i - 1] = ARGV[i]
end`,
        serverNow,
        foreignType,
        readWriteMode,
        writeCount,
        elsewhere,
        owners,
        readTimeouts,
        keepWriting,
        `local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
for i, lock in ipairs(locks) do
  local owner, lease, stem = holders[3 * i - 2], tonumber(holders[3 * i - 1]), holders[3 * i]
  local held = writeCount(lock, owner) > 0
  if held then keepWriting(lock, stem, owner, lease) end
  reply[i + 2] = held and 1 or 0
end
return reply`,
      ].join('\n'),
    }),
    /** Removes a waiting writer that has stopped waiting, and notifies the readers that it kept out. */
    withdraw: script<
      { writers: string },
      { lock: string; waiter: string; channel: string; publish: string },
      [outcome: 'withdrawn' | 'not-waiting', now: number]
    >({
      name: 'write-lock/withdraw',
      keyNames: ['writers'],
      argumentNames: ['lock', 'waiter', 'channel', 'publish'],
      replies: [[{ holds: ['withdrawn', 'not-waiting'] }, { holds: 'time' }]],
      text: [
        `local writers = KEYS[1]
local lock = ARGV[1]
local waiter = ARGV[2]
local channel = ARGV[3]
local publish = ARGV[4]`,
        serverNow,
        foreignType,
        readWriteMode,
        elsewhere,
        `local now = serverNow()
local isWritten = not isElsewhere(writers, lock) and modeField(lock) == 'write'
if redis.call('ZREM', writers, waiter) == 0 then return { 'not-waiting', now } end
if not isWritten then redis.pcall(publish, channel, '1') end
return { 'withdrawn', now }`,
      ].join('\n'),
    }),
  },
};
