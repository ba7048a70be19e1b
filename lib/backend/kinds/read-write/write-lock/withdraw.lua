--- Removes a waiting writer that has stopped waiting, and notifies the readers that it kept out.
--- key writers
--- arg lock: string
--- arg waiter: string
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'withdrawn' | 'not-waiting', now: number]
--- invariant Repeating the request has one effect.
--- invariant Only the set of waiting writers is declared, so that it is found while its slot moves. If the lock is then
---   on another server, readers are notified even if there is a writer.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/read-write-mode.lua
--- include kinds/shared/elsewhere.lua
local now = serverNow()
local isWritten = not isElsewhere(writers, lock) and modeField(lock) == 'write'
if redis.call('ZREM', writers, waiter) == 0 then return { 'not-waiting', now } end
-- Readers that a writer keeps out are notified when it releases.
if not isWritten then redis.pcall(publish, channel, '1') end
return { 'withdrawn', now }
