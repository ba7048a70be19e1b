--- include kinds/shared/tell-shorter.lua
-- Lets an exclusive lock last for `lease` ms from now. A silent lock, which has `entries`, tells only clients that wait in
-- turn, as its release does.
local function setLease(lock, lease, channel, publish, entries)
  local before = redis.call('PTTL', lock)
  redis.call('PEXPIRE', lock, lease)
  if entries ~= '' and redis.pcall('EXISTS', entries) ~= 1 then return end
  tellShorter(before, lease, channel, publish)
end
