--- A writer that was to go first waits no more: tells the readers that it kept out.
--- key lock
--- arg stem: string
--- arg waiter: string
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'withdrawn' | 'not-waiting']
--- invariant Executed any number of times it has one effect.
--- include shared/read-write-mode.lua
--- include shared/waiting-writers.lua
if redis.call('ZREM', writersKey(stem), waiter) == 0 then return { 'not-waiting' } end
-- Readers that a writer keeps out are told when it leaves.
if modeField(lock) ~= 'write' then redis.pcall(publish, channel, '1') end
return { 'withdrawn' }
