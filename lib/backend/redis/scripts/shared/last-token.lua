-- The token given last, as text since Lua's numbers are exact up to 2^53 only; '0' where none was given. Or nil and what
-- was found, where no token can follow it.
local function lastToken(token)
  local found = redis.call('TYPE', token).ok
  if found == 'none' then return '0' end
  if found ~= 'string' then return nil, found end
  local last = redis.call('GET', token)
  local whole = last == '0' or string.find(last, '^[1-9]%d*$')
  -- The greatest number that Redis and Java count to.
  local countable = whole and (#last < 19 or (#last == 19 and last < '9223372036854775807'))
  if not countable then return nil, 'string that is no fencing token' end
  return last
end
