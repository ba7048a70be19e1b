-- Returns the token given last, as text since Lua's numbers are exact only up to 2^53; '0' if none was given. Returns
-- nil and the type found if no token can follow it.
local function lastToken(token)
  local found = redis.call('TYPE', token).ok
  if found == 'none' then return '0' end
  if found ~= 'string' then return nil, found end
  local last = redis.call('GET', token)
  local whole = last == '0' or string.find(last, '^[1-9]%d*$')
  -- The greatest number to which Redis and Java count.
  local countable = whole and (#last < 19 or (#last == 19 and last < '9223372036854775807'))
  if not countable then return nil, 'string that is no fencing token' end
  return last
end
