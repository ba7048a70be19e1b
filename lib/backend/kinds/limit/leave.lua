--- Ends the waits of owners: removes their places, and releases the permit of one that has acquired it. The next waiter is
--- told if that may be its turn.
--- key permits
--- arg channel: string
--- arg turns: string
--- arg publish: string
--- args owners: string
--- reply [outcome: 'left', now: number]
--- invariant Repeating the request has one effect, and it never touches the place or the permit of another owner.
--- invariant Every possible first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/limit/shared/stored-limit.lua
--- include kinds/limit/shared/holds-permit.lua
--- include kinds/limit/shared/permits-in-use.lua
--- include kinds/limit/shared/places.lua
local now = serverNow()
if (storedLimit(permits) or 0) == 0 then return { 'left', now } end
local before, _, isNext = headOf(permits, now)
for _, owner in ipairs(owners) do
  local held = holdsPermit(permits, owner, now)
  if held then redis.call('ZREM', permits, owner, 'number ' .. owner) end
  local wasHead = removePlace(permits, owner) and owner == before
  isNext = isNext or held or wasHead
end
local head = headOf(permits, now)
if isNext then tellNext(head, channel, turns, publish) end
-- Comes last: while the slot moves, the server refuses to look for a key that was deleted.
if not head and permitsInUse(permits, now) == 0 then redis.call('DEL', permits) end
return { 'left', now }
