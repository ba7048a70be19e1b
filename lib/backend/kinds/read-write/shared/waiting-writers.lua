--- include kinds/shared/elsewhere.lua
-- The waiting writers that go before new readers, in a sorted set of our own beside Redisson's keys: each with the
-- instant until which it counts as waiting. The set must not block the lock, so operations on it that fail are ignored.
local function writersKey(lock, stem)
  return stem .. (string.find(lock, '{', 1, true) and ':' or '') .. 'rwlock_writers'
end

-- Records that `writer` waits for `slot` ms from now.
local function announceWriter(lock, stem, writer, now, slot)
  local key = writersKey(lock, stem)
  if isElsewhere(lock, key) then return end
  redis.pcall('ZREMRANGEBYSCORE', key, '-inf', now)
  redis.pcall('ZADD', key, now + slot, writer)
  local left = redis.pcall('PTTL', key)
  redis.pcall('PEXPIRE', key, math.max(type(left) == 'number' and left or 0, slot))
end

-- Returns the writer that counts as waiting longest, and for how many milliseconds; nil if none waits.
local function waitingWriter(lock, stem, now)
  local last = redis.pcall('ZREVRANGE', writersKey(lock, stem), 0, 0, 'WITHSCORES')
  local remaining = last[1] and tonumber(last[2]) - now or 0
  if remaining > 0 then return last[1], remaining end
  return nil
end
