--- include kinds/fair-lock/shared/our-waiters.lua

-- Milliseconds for which a queue outlives its last deadline, and by how much less the set of deadlines does. That
-- difference is the mark of a queue with only waiters of ours: Redisson's multi-lock gives all keys of a lock the same
-- end.
local QUEUE_GRACE = 60000
local MARK = 1000

-- Returns whether the queue has only waiters of ours, without reading it: it has our mark, and its last waiter is ours.
-- A Java waiter joins at the end and leaves the mark as it is; but then the last waiter is not ours, and the next
-- waiter of ours that joins behind it removes the mark. The last waiter is looked up by the number of deadlines: the
-- queue has as many places, or it is not found there. Returns false if the queue must be read to find out.
local function onlyOurs(queue, deadlines)
  local ends = redis.call('PTTL', deadlines)
  if ends <= 0 or redis.call('PTTL', queue) < ends + MARK / 2 then return false end
  local count = redis.call('ZCARD', deadlines)
  local last = redis.call('LINDEX', queue, count - 1)
  return last and isOurs(last) and not redis.call('LINDEX', queue, count)
end

-- Returns the same, by reading the queue.
local function areOurs(waiters)
  for _, waiter in ipairs(waiters) do
    if not isOurs(waiter) then return false end
  end
  return true
end

-- A queue with only waiters of ours ends by itself when the last of them must be dead. A queue with Java waiters has no
-- end, as Redisson expects.
local function limitQueue(queue, deadlines, hasEnd, now)
  if hasEnd then
    local last = tonumber(redis.call('ZREVRANGE', deadlines, 0, 0, 'WITHSCORES')[2])
    -- The fraction of a deadline may be a mark, which is no time.
    local ends = math.floor(math.max(last or now, now) - now + 0.5) + QUEUE_GRACE
    redis.call('PEXPIRE', queue, ends)
    redis.call('PEXPIRE', deadlines, ends - MARK)
  else
    redis.call('PERSIST', queue)
    redis.call('PERSIST', deadlines)
  end
end

-- Returns the waiters whose deadlines include the wait of the leaving waiter. In Redisson, a leaving waiter subtracts
-- its own wait from the deadlines behind it, which were counted on top of its own. No deadline is counted on top of
-- those of our waiters. Call it while the leaving waiter still has its place.
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
  -- A waiter without a deadline does not get one that has passed.
  for _, waiter in ipairs(waiters) do redis.call('ZADD', deadlines, 'XX', 'INCR', -slot, waiter) end
end

-- Milliseconds that a Java waiter subtracts from the deadlines behind it when it leaves: its wait, or Redisson's
-- default.
local REDISSON_WAIT = 300000

-- Returns the instant from which a place behind a Java waiter is counted, given the instant for the places before it:
-- even after every Java waiter ahead has left and subtracted its own wait, the deadline must not have passed. Our
-- waiters send heartbeats, so however many of them have died, they hold up those behind them for one slot.
local function behindJava(deadline, last)
  return math.max(last + REDISSON_WAIT, deadline or 0)
end

-- The fraction of a millisecond in a deadline of ours: half of one marks a deadline that includes the waits of Java
-- waiters ahead, and the rest is the first lease of a waiter that the lock may be given to. Java only adds whole numbers.
local BOOKED = 0.5
-- First leases are shorter than half of this, and multiples of 8, so that Redis stores the deadline exactly.
local FIRST_LEASES = 16384

-- Returns the first lease in a deadline of ours, ms; 0: the waiter is told and asks for the lock.
local function firstLeaseIn(deadline)
  return deadline and deadline % BOOKED * FIRST_LEASES or 0
end

-- Returns the deadline of a place of ours, given the instant from which it is counted: that of a Java waiter may itself
-- have a fraction, taken over from a place of ours ahead.
local function keptUntil(last, slot, now, firstLease)
  return math.ceil(last + slot) - (last > now and BOOKED or 0) + firstLease / FIRST_LEASES
end

-- Returns a lower deadline if this one includes too much time for Java waiters; else nil. They subtract less when they
-- leave than was added for them. A live process sets its deadlines again at its next `keep`; a dead one would block a
-- free lock for minutes.
local function withoutExcess(deadline, slot, now)
  if not deadline or deadline % 1 < BOOKED then return nil end
  local enough = keptUntil(now, slot, now, firstLeaseIn(deadline))
  return enough < deadline and enough or nil
end

-- Subtracts such an excess from the deadlines of our waiters at the front, and returns the deadline of the head. Reads
-- the queue only if the head has an excess.
local function endBookings(queue, deadlines, head, deadline, slot, now)
  local lowered = head and isOurs(head) and withoutExcess(deadline, slot, now)
  if not lowered then return deadline end
  local waiters = redis.call('LRANGE', queue, 0, -1)
  -- Comes first because a server without free memory allows it, and then allows the rest of the script.
  limitQueue(queue, deadlines, areOurs(waiters), now)
  for _, waiter in ipairs(waiters) do
    if not isOurs(waiter) then break end
    local enough = withoutExcess(tonumber(redis.call('ZSCORE', deadlines, waiter)), slot, now)
    if enough then redis.call('ZADD', deadlines, enough, waiter) end
  end
  -- Repeated with the new deadlines.
  limitQueue(queue, deadlines, areOurs(waiters), now)
  return lowered
end
