--- include shared/foreign-type.lua
-- The mode that the hash of a lock says: `read` or `write`; nil where there is no such lock, also because something else
-- has taken the name.
local function modeField(lock)
  local mode = redis.pcall('HGET', lock, 'mode')
  if type(mode) == 'table' then mode = not foreignType(lock) and redis.call('HGET', lock, 'mode') end
  return (mode == 'read' or mode == 'write') and mode or nil
end
