--- include kinds/read-write/shared/read-write-state.lua
-- Frees a read-write lock with all its holds. Fields that an application has put into the hash meanwhile stay, without
-- the time to live that they had only for the lock.
local function freeReadWrite(lock)
  local ours, theirs = { 'mode' }, 0
  for _, field in ipairs(redis.call('HKEYS', lock)) do
    if ownerIn(field) then ours[#ours + 1] = field elseif field ~= 'mode' then theirs = theirs + 1 end
  end
  if theirs == 0 then
    redis.call('DEL', lock)
    return
  end
  for _, field in ipairs(ours) do redis.call('HDEL', lock, field) end
  redis.call('PERSIST', lock)
end
