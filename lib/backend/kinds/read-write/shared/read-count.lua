--- include kinds/read-write/shared/read-write-mode.lua
-- Returns the number of reads of `owner`; 0 if it does not read, or if the key is no read-write lock.
local function readCount(lock, owner)
  if not modeField(lock) then return 0 end
  return tonumber(redis.call('HGET', lock, owner) or '0')
end
