--- Takes the lock for an owner, or lets the owner re-enter: afterwards it holds `count` times.
--- key lock
--- arg owner: string
--- arg count: number
--- arg lease: number
--- arg notAfter: number
--- reply [outcome: 'acquired' | 'busy' | 'lost' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
--- invariant Executed any number of times it has one effect: a count that is already there is not raised again.
--- invariant A lock never stays without a time to live, and nothing happens after `notAfter` on the server's clock.
--- include shared/server-now.lua
--- include shared/hold-count.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end

if redis.call('EXISTS', lock) == 0 then
  if count > 1 then return { 'lost', 0, '', now } end
  redis.call('HSET', lock, owner, 1)
  -- A server that grants the right to HSET but not to PEXPIRE must not be left with a lock that never ends.
  local limited = redis.pcall('PEXPIRE', lock, lease)
  if type(limited) == 'table' then
    redis.call('DEL', lock)
    return limited
  end
  return { 'acquired', lease, '', now }
end

local held, found = holdCount(lock, owner)
if not held then return { 'wrong-type', 0, found, now } end
if held > 0 and (held == count or held == count - 1) then
  -- PEXPIRE goes first: it is allowed when memory is used up, and so allows the rest of the script.
  redis.call('PEXPIRE', lock, lease)
  if held < count then redis.call('HINCRBY', lock, owner, 1) end
  return { 'acquired', lease, '', now }
end
if count > 1 then return { 'lost', 0, '', now } end
return { 'busy', redis.call('PTTL', lock), redis.call('HKEYS', lock)[1], now }
