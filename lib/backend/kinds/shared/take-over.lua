--- include kinds/shared/hold-count.lua
-- Makes the owner `to` the holder of a lock that `from` holds. `setLease` lets the lock last as long as is wanted, and tells
-- those that wait if that is shorter. Returns 'held', also if it was done before, or 'lost'.
local function takeOver(lock, from, to, lease, setLease)
  local isTaken = holdCount(lock, to) > 0
  if not isTaken and holdCount(lock, from) == 0 then return 'lost' end
  -- PEXPIRE comes first: a server without free memory allows it, and then allows the rest of the script.
  if not isTaken or redis.call('PTTL', lock) < lease then setLease() end
  if not isTaken then
    redis.call('HSET', lock, to, 1)
    redis.call('HDEL', lock, from)
  end
  return 'held'
end
