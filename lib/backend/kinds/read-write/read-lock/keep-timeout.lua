--- Renews one read for its milliseconds from now. For a read whose time-out key may be on another server than its lock,
--- because their slot is moving: declared alone, the key is found on the server that has it, and created on the server
--- for new keys.
--- key timeout
--- arg lease: number
--- arg notAfter: number
--- reply [outcome: 'kept' | 'late', now: number]
--- invariant Call it for a read that the lock counts. A read that is not counted any more is not restored.
--- invariant Repeating the request has one effect; nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
redis.call('SET', timeout, '1', 'PX', lease)
return { 'kept', now }
