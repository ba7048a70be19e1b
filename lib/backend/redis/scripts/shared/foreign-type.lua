-- The type of a key about which a command for hashes failed; nil where that was not for its type, but because the user
-- lacks the right to the command, for instance. Then that is what the server is to say: the command is called again.
local function foreignType(key)
  local found = redis.call('TYPE', key).ok
  return found ~= 'hash' and found ~= 'none' and found or nil
end
