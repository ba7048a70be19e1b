--- include kinds/read-write/shared/read-write-mode.lua
-- Returns the number of write holds of `owner`; 0 if it does not write, or if the key is no read-write lock.
local function writeCount(lock, owner)
  if modeField(lock) ~= 'write' then return 0 end
  return tonumber(redis.call('HGET', lock, owner .. ':write') or '0')
end
