--- Ends the wait of a client: removes its entry, and passes the lock on if its owner was given it meanwhile.
--- key lock
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- arg waiters: string
--- arg entry: string
--- arg mayGrant: number
--- reply [outcome: 'withdrawn' | 'elsewhere', now: number]
--- invariant With `mayGrant` 0, because the server may have forgotten a holder, it passes on nothing.
--- invariant Repeating the request has one effect, and it never touches the hold or entry of another owner.
--- invariant `elsewhere`: the set may be on another server, and still have the entry; the owner has no hold.
--- include kinds/shared/server-now.lua
--- include kinds/shared/drop-hold.lua
--- include kinds/shared/elsewhere.lua
--- include kinds/shared/pass-on.lua
local now = serverNow()
-- Asked while the lock is there: a server that the slot leaves refuses to look for a key that is gone.
local isRemoved = redis.pcall('ZREM', waiters, entry) == 1 or not isElsewhere(lock, waiters)
if dropHold(lock, owner) then
  local passes = mayGrant == 1 and redis.pcall('EXISTS', lock) == 0
  local outcome = passes and passOn(lock, waiters, channel, publish, '', now)
  if not outcome then redis.pcall(publish, channel, '0') end
end
return { isRemoved and 'withdrawn' or 'elsewhere', now }
