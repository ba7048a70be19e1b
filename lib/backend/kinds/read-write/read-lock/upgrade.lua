--- Makes a reader the writer, under another owner id, if no other owner reads.
--- key lock
--- arg stem: string
--- arg from: string
--- arg to: string
--- arg lease: number
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'held' | 'others' | 'writes' | 'lost' | 'late', readers: number, now: number]
--- grants
--- invariant Repeating the request has one effect, and never shortens what the new owner has extended.
--- invariant A writer has no other holder beside it: a reader whose time-out key may be on another server counts as one.
--- invariant If another owner reads, or the reader writes as well, nothing is changed.
--- invariant The lock always has a time to live, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/read-count.lua
--- include kinds/read-write/shared/write-count.lua
--- include kinds/read-write/shared/other-readers.lua
--- include kinds/shared/tell-shorter.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, now } end
if writeCount(lock, to) > 0 then
  if redis.call('PTTL', lock) < lease then redis.call('PEXPIRE', lock, lease) end
  return { 'held', 0, now }
end
local reads = readCount(lock, from)
if reads == 0 then return { 'lost', 0, now } end
-- Beside a writer, only the writer itself can read.
if modeField(lock) == 'write' then return { 'writes', 0, now } end
local others, dead = otherReaders(lock, stem, from)
if others > 0 then return { 'others', others, now } end
-- PEXPIRE comes first: a server without free memory allows it, and then allows the rest of the script. HDEL comes
-- before HSET: without the right to it, the owner goes on reading.
local left = redis.call('PTTL', lock)
redis.call('PEXPIRE', lock, lease)
redis.call('HDEL', lock, from)
for _, reader in ipairs(dead) do redis.call('HDEL', lock, reader) end
redis.call('HSET', lock, 'mode', 'write', to .. ':write', 1)
for n = 1, reads do dropRead(lock, stem, from, n) end
tellShorter(left, lease, channel, publish)
return { 'held', 0, now }
