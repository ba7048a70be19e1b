--- A writer that was to go first waits no more: tells the readers that it kept out.
--- key writers
--- arg lock: string
--- arg waiter: string
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'withdrawn' | 'not-waiting']
--- invariant Executed any number of times it has one effect.
--- invariant Only the set of those who wait is declared, so that it is found while its slot moves. Where the lock is then on
---   another server, readers are told although somebody may write.
--- include shared/read-write-mode.lua
--- include shared/elsewhere.lua
local isWritten = not isElsewhere(writers, lock) and modeField(lock) == 'write'
if redis.call('ZREM', writers, waiter) == 0 then return { 'not-waiting' } end
-- Readers that a writer keeps out are told when it leaves.
if not isWritten then redis.pcall(publish, channel, '1') end
return { 'withdrawn' }
