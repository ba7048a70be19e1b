--- include kinds/shared/take-lock.lua
--- include kinds/shared/last-token.lua
-- A week, ms.
local TOKEN_LASTS = 604800000

-- Gives the lock to an owner with a token above every earlier one, if it is free, or to the owner that has it with the same
-- token, for its longest lease. `last`: the last token. Returns the token; nil and the server's refusal if that fails.
local function takeFencedLock(lock, token, last, owner, lease, fencing, isFree)
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  -- An owner whose token was deleted meanwhile gets a new one.
  if isFree or last == '0' then
    -- The clock is far below 2^53, so the token compared with it is exact, or far above.
    if fencing == 'clock' and tonumber(last) < micros then
      redis.call('SET', token, string.format('%.0f', micros))
    else
      redis.call('INCR', token)
    end
    last = redis.call('GET', token)
  end

  if isFree then
    local refused = takeLock(lock, owner, lease)
    if refused then return nil, refused end
  elseif redis.call('PTTL', lock) < lease then
    redis.call('PEXPIRE', lock, lease)
  end
  if fencing == 'clock' and tonumber(last) <= micros then
    redis.call('PEXPIRE', token, lease + TOKEN_LASTS)
  elseif redis.call('PTTL', token) > 0 then
    redis.call('SET', token, last)
  end
  return last
end
