--- Returns the records of blocked holds beside their lock, each with the time of its end.
--- key blocked
--- arg most: number
--- reply [outcome: 'found', now: number, ...textsAndEnds: string[]]
--- invariant Changes nothing.
--- include kinds/shared/server-now.lua
local now = serverNow()
local reply = redis.call('ZRANGEBYSCORE', blocked, '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, most)
table.insert(reply, 1, now)
table.insert(reply, 1, 'found')
return reply
