-- The mode of a read-write lock, '' where nobody holds it; or nil and what was found, where the key is no such lock.
local function modeOf(lock)
  local mode = redis.pcall('HGET', lock, 'mode')
  if type(mode) == 'table' then return nil, redis.call('TYPE', lock).ok end
  if mode then return mode end
  if redis.call('EXISTS', lock) == 1 then return nil, 'hash of another kind of lock' end
  return ''
end
