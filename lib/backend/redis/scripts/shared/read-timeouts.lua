-- The key that lives as long as the n-th read of an owner. It alone tells whether a reader is alive: the hash lasts as
-- long as anybody in it, and its field stays behind.
local function timeoutKey(stem, owner, n) return stem .. owner .. ':rwlock_timeout:' .. n end

-- Milliseconds until the last of an owner's reads ends; below 0 where none is alive.
local function longestRead(stem, owner, count)
  local longest = -2
  for n = 1, count do longest = math.max(longest, redis.call('PTTL', timeoutKey(stem, owner, n))) end
  return longest
end

-- Milliseconds until the last of everybody's reads ends; below 0 where none is alive.
local function longestOfAll(lock, stem)
  local longest = -2
  local fields = redis.call('HGETALL', lock)
  for i = 1, #fields, 2 do
    -- The mode is no number.
    longest = math.max(longest, longestRead(stem, fields[i], tonumber(fields[i + 1]) or 0))
  end
  return longest
end
