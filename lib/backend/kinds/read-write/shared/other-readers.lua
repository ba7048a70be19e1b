--- include kinds/read-write/shared/read-timeouts.lua
-- Returns how many owners other than `owner` read, and the fields of those whose reads have all ended: dead readers,
-- which keep no other owner out.
local function otherReaders(lock, stem, owner)
  local alive, dead = 0, {}
  local fields = redis.call('HGETALL', lock)
  for i = 1, #fields, 2 do
    local reader = fields[i]
    -- The mode is not a reader, and neither are fields of an application.
    local reads = reader ~= owner and isOwner(reader) and countIn(fields[i + 1]) or 0
    if reads > 0 then
      if longestRead(lock, stem, reader, reads) > 0 then alive = alive + 1 else dead[#dead + 1] = reader end
    end
  end
  return alive, dead
end
