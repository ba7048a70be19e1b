-- The waiters of a limit that have an order, in the set of its permits. Each has two members: `place <owner>`, with the
-- number of its place, and `until <owner>`, with the negated instant until which the place is kept. Numbers of places are
-- below all such instants, and these are below 0, so that neither is taken for a permit. A set with places always has
-- the member 'limit'.
local FIRST_PLACE = -9000000000000
local LAST_PLACE = -5000000000000

local function hasPlace(permits, owner) return redis.call('ZSCORE', permits, 'place ' .. owner) and true or false end

local function removePlace(permits, owner)
  return redis.call('ZREM', permits, 'place ' .. owner, 'until ' .. owner) > 0
end

-- Keeps the place of an owner, which has one, for `slot` ms from now. PEXPIRE comes first: a server without free memory
-- allows it, and then allows the rest of the script.
local function keepPlace(permits, owner, slot, now)
  redis.call('PEXPIRE', permits, math.max(redis.call('PTTL', permits), slot))
  redis.call('ZADD', permits, -(now + slot), 'until ' .. owner)
end

-- Gives an owner a place behind all others.
local function addPlace(permits, owner, slot, now)
  local places = redis.call('ZCOUNT', permits, '-inf', LAST_PLACE)
  local place = FIRST_PLACE
  if places > 0 then
    local last = redis.call('ZCARD', permits) - places
    place = tonumber(redis.call('ZREVRANGE', permits, last, last, 'WITHSCORES')[2]) + 1
  end
  -- Comes first so that a server without free memory refuses it.
  redis.call('ZADD', permits, place, 'place ' .. owner)
  keepPlace(permits, owner, slot, now)
end

-- Removes the places at the front that have ended. Returns the remaining head, the milliseconds for which its place is
-- kept, and whether it has become the head just now; nil if no place is left, and whether the last has ended just now.
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

-- Tells the head that it may ask for a permit; without a head, the waiters that have no place. Without the right to
-- publish, they notice at their next safety poll.
local function tellNext(head, channel, turns, publish)
  redis.pcall(publish, head and turns .. ':' .. head or channel, '0')
end
