--- Releases the fair lock of an owner, whatever its hold count, and gives it to the head of the queue, or wakes the head.
--- key lock
--- key queue
--- key deadlines
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- arg mayGrant: number
--- reply [outcome: 'released' | 'passed-on' | 'not-held', now: number]
--- invariant Repeating the request has one effect, and it never touches the hold of another owner or other fields of
---   the hash.
--- invariant With `mayGrant` 0, because the server may have forgotten a holder, it gives the lock to no one.
--- invariant Every possible first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/shared/drop-hold.lua
--- include kinds/fair-lock/shared/fair-queue.lua
--- include kinds/fair-lock/shared/give-to-head.lua
local now = serverNow()
local head, deadline
-- Comes before the release: if a moving slot interrupts the script here, it can be executed again.
if not foreignKey(queue, deadlines) then head, deadline = purgeQueue(queue, deadlines, now) end
local held = dropHold(lock, owner)
if held and mayGrant == 1 and giveToHead(lock, queue, deadlines, head, deadline, channel, publish, now) then
  return { 'passed-on', now }
end
-- As in Redisson, a release that finds no lock notifies the head as well.
if held or redis.call('EXISTS', lock) == 0 then tellHead(head, channel, publish) end
return { held and 'released' or 'not-held', now }
