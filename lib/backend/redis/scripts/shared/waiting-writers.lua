--- include shared/elsewhere.lua
-- The writers that wait and are to go first, in a zset of our own beside Redisson's keys: each with the instant until
-- which it is believed to wait. It must not stand in anybody's way, so what cannot be done to it is left undone.
local function writersKey(stem) return stem .. 'rwlock_writers' end

-- Believes that `writer` waits for `patience` ms from now.
local function announceWriter(lock, stem, writer, now, patience)
  local key = writersKey(stem)
  if isElsewhere(lock, key) then return end
  redis.pcall('ZREMRANGEBYSCORE', key, '-inf', now)
  redis.pcall('ZADD', key, now + patience, writer)
  local left = redis.pcall('PTTL', key)
  redis.pcall('PEXPIRE', key, math.max(type(left) == 'number' and left or 0, patience))
end

-- The writer that is believed to wait longest, and for how many milliseconds; nil where none waits.
local function waitingWriter(stem, now)
  local last = redis.pcall('ZREVRANGE', writersKey(stem), 0, 0, 'WITHSCORES')
  local patience = last[1] and tonumber(last[2]) - now or 0
  if patience > 0 then return last[1], patience end
  return nil
end
