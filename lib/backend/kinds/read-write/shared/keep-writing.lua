--- include kinds/read-write/shared/read-timeouts.lua
-- Sets the time to live of a writer's lock to `lease` ms, or to the rest of the writer's own reads if that is longer.
-- Returns it.
local function keepWriting(lock, stem, owner, lease)
  local reads = tonumber(redis.call('HGET', lock, owner) or '0')
  local kept = math.max(lease, longestRead(lock, stem, owner, reads))
  redis.call('PEXPIRE', lock, kept)
  return kept
end
