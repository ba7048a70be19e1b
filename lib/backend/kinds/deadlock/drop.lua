--- Removes the record of a blocked hold.
--- key blocked
--- arg text: string
--- reply [outcome: 'dropped', now: number]
--- invariant Repeating the request has one effect.
--- include kinds/shared/server-now.lua
local now = serverNow()
redis.call('ZREMRANGEBYSCORE', blocked, '-inf', now)
redis.call('ZREM', blocked, text)
return { 'dropped', now }
