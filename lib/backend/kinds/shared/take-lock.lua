-- Gives a free lock to its new owner, with a count of one. Returns the server's refusal if that fails: a server that
-- grants the right to HSET but not to PEXPIRE must not keep a lock without a time to live.
local function takeLock(lock, owner, lease)
  redis.call('HSET', lock, owner, '1')
  local limited = redis.pcall('PEXPIRE', lock, lease)
  if type(limited) ~= 'table' then return nil end
  redis.call('DEL', lock)
  return limited
end
