-- Returns the text under a key; nil if there is none, and its type if the key is none.
local function textUnder(key)
  local text = redis.pcall('GET', key)
  if type(text) == 'string' then return { text = text } end
  if not text then return nil end
  local found = redis.pcall('TYPE', key)
  return found.ok and { type = found.ok } or nil
end

-- Returns the members of a sorted set with scores from `least`, the lowest first, and how many there are; its type if
-- the key is none.
local function membersOf(key, least, most)
  local count = redis.pcall('ZCOUNT', key, least, '+inf')
  if type(count) ~= 'number' then
    local found = redis.pcall('TYPE', key)
    return { type = found.ok, count = 0, members = {} }
  end
  return { count = count, members = redis.call('ZRANGEBYSCORE', key, least, '+inf', 'LIMIT', 0, most) }
end
