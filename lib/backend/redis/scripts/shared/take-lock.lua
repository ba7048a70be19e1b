-- Gives a free lock to its new owner, counted once. Returns the server's refusal where that fails: a server that grants
-- the right to HSET but not to PEXPIRE must not be left with a lock that never ends.
local function takeLock(lock, owner, lease)
  redis.call('HSET', lock, owner, '1')
  local limited = redis.pcall('PEXPIRE', lock, lease)
  if type(limited) ~= 'table' then return nil end
  redis.call('DEL', lock)
  return limited
end
