--- Sets the hold count of an owner that writes, and the time that the lock lasts from now: to re-enter, to release a
--- hold that is not the last, to extend.
--- key lock
--- arg stem: string
--- arg owner: string
--- arg count: number
--- arg lease: number
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'held' | 'lost' | 'late', now: number]
--- invariant Repeating the request has one effect, whatever count it finds: owner ids are never shared.
--- invariant It never acquires a lock, and nothing happens after `notAfter` on the server's clock.
--- invariant The lock lasts at least as long as the reads of its writer.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/write-count.lua
--- include kinds/read-write/shared/keep-writing.lua
--- include kinds/shared/tell-shorter.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local held = writeCount(lock, owner)
if held == 0 then return { 'lost', now } end
-- PEXPIRE comes first: a server without free memory allows it, and then allows the rest of the script.
local left = redis.call('PTTL', lock)
local kept = keepWriting(lock, stem, owner, lease)
tellShorter(left, kept, channel, publish, serverNow() - now)
if held ~= count then redis.call('HINCRBY', lock, owner .. ':write', count - held) end
return { 'held', now }
