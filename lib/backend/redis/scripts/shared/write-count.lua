--- include shared/read-write-mode.lua
-- How often `owner` writes; 0 where it does not, or where the key is no read-write lock.
local function writeCount(lock, owner)
  if modeField(lock) ~= 'write' then return 0 end
  return tonumber(redis.call('HGET', lock, owner .. ':write') or '0')
end
