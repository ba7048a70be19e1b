--- Renews each lock that its owner still writes, for its milliseconds from now.
--- keys locks
--- arg notAfter: number
--- args holders: string
--- reply [outcome: 'renewed' | 'late', now: number, ...held: number[]]
--- invariant A lock that its owner does not write is left alone and reported as 0.
--- invariant The lock lasts at least as long as the reads of its writer.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/write-count.lua
--- include kinds/read-write/shared/keep-writing.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
for i, lock in ipairs(locks) do
  -- For each lock: its owner, the milliseconds, and the prefix of the names of its companion keys.
  local owner, lease, stem = holders[3 * i - 2], tonumber(holders[3 * i - 1]), holders[3 * i]
  local held = writeCount(lock, owner) > 0
  if held then keepWriting(lock, stem, owner, lease) end
  reply[i + 2] = held and 1 or 0
end
return reply
