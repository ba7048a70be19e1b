-- Returns the number under `key` and 'string', 0 and 'none' if there is none; or nil and the type found instead.
local function countUnder(key)
  local text = redis.pcall('GET', key)
  if type(text) == 'table' then
    local found = redis.call('TYPE', key).ok
    -- The type is right, so the command failed for another reason, such as a missing right. The server reports it again
    -- here.
    if found == 'string' or found == 'none' then redis.call('GET', key) end
    return nil, found
  end
  if not text then return 0, 'none' end
  local count = tonumber(text)
  -- The number is written as Redis writes it, and within the range that Lua and JavaScript count exactly.
  if count and math.abs(count) < 2 ^ 53 and text == string.format('%.0f', count) and text ~= '-0' then
    return count, 'string'
  end
  return nil, 'string that is not a count'
end
