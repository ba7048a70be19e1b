--- Lets one read last for so long from now. For a read whose time-out key may be on another server than its lock, because
--- their slot is moving: declared alone, the key is found on whichever has it, and made where new keys belong.
--- key timeout
--- arg lease: number
--- arg notAfter: number
--- reply [outcome: 'kept' | 'late', now: number]
--- invariant To be called for a read that the lock counts. One that it does not count any more is not brought back.
--- invariant Executed any number of times it has one effect; nothing happens after `notAfter` on the server's clock.
--- include shared/server-now.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
redis.call('SET', timeout, '1', 'PX', lease)
return { 'kept', now }
