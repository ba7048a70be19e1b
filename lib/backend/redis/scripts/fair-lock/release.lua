--- Releases the fair lock of an owner, whatever its hold count, and wakes the head of the queue.
--- key lock
--- key queue
--- key deadlines
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'released' | 'not-held', now: number]
--- invariant Repeating the request has one effect, and it never touches the hold of another owner or other fields of
---   the hash.
--- invariant Every possible first write is one that a server without free memory allows.
--- include shared/server-now.lua
--- include shared/drop-hold.lua
--- include shared/fair/fair-queue.lua
local now = serverNow()
-- Comes before the release: if a moving slot interrupts the script here, it can be executed again.
local head = not foreignKey(queue, deadlines) and purgeQueue(queue, deadlines, now)
local held = dropHold(lock, owner)
-- As in Redisson, a release that finds no lock notifies the head as well.
if held or redis.call('EXISTS', lock) == 0 then tellHead(head, channel, publish) end
return { held and 'released' or 'not-held', now }
