--- Puts a record of a blocked hold beside its lock, or keeps the one that is there.
--- key blocked
--- arg text: string
--- arg ms: number
--- reply [outcome: 'kept', now: number]
--- invariant The key ends with the last of its records.
--- invariant Every possible first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
local now = serverNow()
redis.call('ZREMRANGEBYSCORE', blocked, '-inf', now)
redis.call('ZADD', blocked, now + ms, text)
redis.call('PEXPIRE', blocked, redis.call('ZREVRANGE', blocked, 0, 0, 'WITHSCORES')[2] - now)
return { 'kept', now }
