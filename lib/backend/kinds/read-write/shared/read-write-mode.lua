--- include kinds/shared/foreign-type.lua
-- Returns the mode in the hash of a lock: `read` or `write`; nil if there is no such lock, also because a key of
-- another type has taken the name.
local function modeField(lock)
  local mode = redis.pcall('HGET', lock, 'mode')
  if type(mode) == 'table' then mode = not foreignType(lock) and redis.call('HGET', lock, 'mode') end
  return (mode == 'read' or mode == 'write') and mode or nil
end
