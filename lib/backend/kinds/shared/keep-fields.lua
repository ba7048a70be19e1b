-- Keeps the fields that an application has put into the hash of a lock that was released just now, without the time to
-- live that they had only for the lock. The key is usually gone, and while its slot moves the server refuses to look for
-- it. A read-write lock of Redisson, which may have such a hold in its hash, keeps its own time to live.
local function keepFields(lock)
  if redis.pcall('EXISTS', lock) == 1 and not redis.call('HGET', lock, 'mode') then redis.call('PERSIST', lock) end
end
