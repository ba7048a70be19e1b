-- One of those who hold a read-write lock.
local function holderOf(lock)
  for _, field in ipairs(redis.call('HKEYS', lock)) do
    if field ~= 'mode' then return (field:gsub(':write$', '')) end
  end
  return ''
end
