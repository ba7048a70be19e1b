--- Keeps the places of live waiters of one process for one limit.
--- key permits
--- arg slot: number
--- arg channel: string
--- arg turns: string
--- arg publish: string
--- args owners: string
--- reply [outcome: 'kept', now: number, ...kept: number[]]
--- invariant It gives no new place: an owner without a place is reported as 0.
--- invariant Every possible first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/limit/shared/stored-limit.lua
--- include kinds/limit/shared/places.lua
local now = serverNow()
local reply = { 'kept', now }
for i in ipairs(owners) do reply[i + 2] = 0 end
if (storedLimit(permits) or 0) == 0 then return reply end
local head, _, isNewHead = headOf(permits, now)
for i, owner in ipairs(owners) do
  if hasPlace(permits, owner) then
    keepPlace(permits, owner, slot, now)
    reply[i + 2] = 1
  end
end
if isNewHead then tellNext(head, channel, turns, publish) end
return reply
