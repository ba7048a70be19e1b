--- include shared/read-timeouts.lua
-- Lets the lock of a writer last for `lease` ms from now, or longer where the writer also reads and does so for longer.
local function keepWriting(lock, stem, owner, lease)
  local reads = tonumber(redis.call('HGET', lock, owner) or '0')
  redis.call('PEXPIRE', lock, math.max(lease, longestRead(lock, stem, owner, reads)))
end
