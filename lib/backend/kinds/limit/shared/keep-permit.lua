-- Lets the permit of an owner, which it has, last `lease` ms from now, and the set as long as its longest permit. PEXPIRE
-- comes first: a server without free memory allows it, and then allows the rest of the script.
local function keepPermit(permits, owner, lease, now)
  redis.call('PEXPIRE', permits, math.max(redis.call('PTTL', permits), lease))
  redis.call('ZADD', permits, 'XX', now + lease, owner)
end
