-- The number under `key` and 'string', 0 and 'none' where there is none; or nil and what was found instead.
local function countUnder(key)
  local text = redis.pcall('GET', key)
  if type(text) == 'table' then
    local found = redis.call('TYPE', key).ok
    -- Not for its type: the user may lack the right to GET. Then that is what the server is to say.
    if found == 'string' or found == 'none' then redis.call('GET', key) end
    return nil, found
  end
  if not text then return 0, 'none' end
  local count = tonumber(text)
  -- Spelled as Redis counts, and no larger than what Lua and JavaScript count exactly.
  if count and math.abs(count) < 2 ^ 53 and text == string.format('%.0f', count) and text ~= '-0' then
    return count, 'string'
  end
  return nil, 'string that is not a count'
end
