--- Returns the result of the last flight, while it is stored.
--- key result
--- reply [outcome: 'landed' | 'none' | 'wrong-type', detail: string, landedAt: number, now: number]
--- invariant Changes nothing. The stored value is the server's time when it was saved, a colon, and the text.
--- include kinds/shared/server-now.lua
local now = serverNow()
local kept = redis.pcall('GET', result)
if not kept then return { 'none', '', 0, now } end
if type(kept) == 'table' then
  local found = redis.call('TYPE', result).ok
  -- The type is right, so the command failed for another reason, such as a missing right. The server reports it again
  -- here.
  if found == 'string' then redis.call('GET', result) end
  return { 'wrong-type', found, 0, now }
end
local landedAt, text = string.match(kept, '^(%d+):(.*)$')
if not landedAt then return { 'wrong-type', 'string', 0, now } end
return { 'landed', text, tonumber(landedAt), now }
