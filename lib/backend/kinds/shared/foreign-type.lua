-- Returns the type of a key for which a command for hashes failed; nil if it failed for another reason, such as a
-- missing right. The caller then calls the command again, so that the server reports that reason.
local function foreignType(key)
  local found = redis.call('TYPE', key).ok
  return found ~= 'hash' and found ~= 'none' and found or nil
end
