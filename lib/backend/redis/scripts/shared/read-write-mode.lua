-- `read` or `write`, '' where nobody holds the lock; or nil and what was found, where the key is no read-write lock.
local function modeOf(lock)
  local mode = redis.pcall('HGET', lock, 'mode')
  if type(mode) == 'table' then return nil, redis.call('TYPE', lock).ok end
  if mode == 'read' or mode == 'write' then return mode end
  -- Also where an application's hash happens to have a mode.
  if redis.call('EXISTS', lock) == 1 then return nil, 'hash of another kind of lock' end
  return ''
end
