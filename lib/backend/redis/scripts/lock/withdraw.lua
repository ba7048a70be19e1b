--- Ends the wait of a client: removes its entry, and passes the lock on if its owner was given it meanwhile.
--- key lock
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- arg waiters: string
--- arg entry: string
--- arg mayGrant: number
--- reply [outcome: 'withdrawn', now: number]
--- invariant With `mayGrant` 0, because the server may have forgotten a holder, it passes on nothing.
--- invariant Repeating the request has one effect, and it never touches the hold or entry of another owner.
--- include shared/server-now.lua
--- include shared/drop-hold.lua
--- include shared/waiters/pass-on.lua
local now = serverNow()
redis.pcall('ZREM', waiters, entry)
if dropHold(lock, owner) and redis.pcall('EXISTS', lock) == 0 then
  local outcome = mayGrant == 1 and passOn(lock, waiters, channel, publish, '', now)
  if not outcome then redis.pcall(publish, channel, '0') end
end
return { 'withdrawn', now }
