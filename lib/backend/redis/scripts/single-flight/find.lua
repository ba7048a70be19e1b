--- Tells what the last flight brought, while it is kept.
--- key result
--- reply [outcome: 'landed' | 'none' | 'wrong-type', detail: string, landedAt: number, now: number]
--- invariant Changes nothing. What is kept is the server's time at the landing, a colon, and the text.
--- include shared/server-now.lua
local now = serverNow()
local kept = redis.pcall('GET', result)
if not kept then return { 'none', '', 0, now } end
if type(kept) == 'table' then
  local found = redis.call('TYPE', result).ok
  -- Not for its type: the user may lack the right to GET. Then that is what the server is to say.
  if found == 'string' then redis.call('GET', result) end
  return { 'wrong-type', found, 0, now }
end
local landedAt, text = string.match(kept, '^(%d+):(.*)$')
if not landedAt then return { 'wrong-type', 'string', 0, now } end
return { 'landed', text, tonumber(landedAt), now }
