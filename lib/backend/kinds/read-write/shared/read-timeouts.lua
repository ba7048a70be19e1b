--- include kinds/shared/elsewhere.lua
--- include kinds/shared/owners.lua
-- The key that lives as long as the n-th read of an owner. Only this key tells whether a reader is alive: the hash
-- lasts as long as its longest hold, and keeps the field of a dead reader.
local function timeoutKey(stem, owner, n) return stem .. owner .. ':rwlock_timeout:' .. n end

-- Renews the n-th read for `lease` ms from now; `isNew`: it has no time-out key yet. Returns false if its time-out key
-- may be on another server: a second one here would keep the first from moving.
local function keepRead(lock, stem, owner, n, lease, isNew)
  local key = timeoutKey(stem, owner, n)
  if not isNew then
    if redis.pcall('PEXPIRE', key, lease) == 1 then return true end
    if isElsewhere(lock, key) then return false end
  end
  -- The key may have expired while the lock lived on; no writer has had the lock since.
  local kept = redis.pcall('SET', key, '1', 'PX', lease)
  if not kept.err then return true end
  if isElsewhere(lock, key) then return false end
  return redis.call('SET', key, '1', 'PX', lease)
end

-- Ends the n-th read. A time-out key on another server is left to expire: for a read that is not counted any more it
-- has no meaning.
local function dropRead(lock, stem, owner, n)
  local key = timeoutKey(stem, owner, n)
  local dropped = redis.pcall('DEL', key)
  if type(dropped) == 'table' and not isElsewhere(lock, key) then redis.call('DEL', key) end
end

-- Returns the milliseconds until the last read of an owner ends; below 0 if none is alive. A read whose time-out key
-- may be on another server counts as alive for as long as the lock.
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

-- Returns the milliseconds until the last read of any owner ends; below 0 if none is alive.
local function longestOfAll(lock, stem)
  local longest = -2
  local fields = redis.call('HGETALL', lock)
  for i = 1, #fields, 2 do
    -- The mode is not a reader, and neither are fields of an application.
    local reads = isOwner(fields[i]) and countIn(fields[i + 1]) or 0
    longest = math.max(longest, longestRead(lock, stem, fields[i], reads))
  end
  return longest
end
