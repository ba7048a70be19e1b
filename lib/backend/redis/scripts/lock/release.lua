--- Releases the lock of an owner, whatever its hold count, and wakes the waiters.
--- key lock
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- reply [heard: number, outcome: 'released']
--- reply [outcome: 'not-held', now: number]
--- invariant Repeating the request has one effect, and it never touches the hold of another owner or other fields of
---   the hash.
--- invariant Every possible first write is one that a server without free memory allows.
--- include shared/drop-hold.lua
if dropHold(lock, owner) then
  -- Without the right to publish, the lock is free nevertheless; waiters notice at their next safety poll.
  local heard = publish ~= '' and redis.pcall(publish, channel, '0') or 0
  return { tonumber(heard) or 0, 'released' }
end
--- include shared/server-now.lua
return { 'not-held', serverNow() }
