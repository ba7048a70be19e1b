--- include kinds/shared/tell-shorter.lua
-- Tells the process of the holder that a newer caller wants the lock.
local function askToEnd(holder, holders, publish) redis.pcall(publish, holders, 'replace ' .. holder) end

-- Ends the hold of the only holder, for a newer caller that takes the lock in the same script, and tells its process.
local function dropForNewer(lock, holder, remaining, lease, holders, channel, publish)
  redis.call('DEL', lock)
  redis.pcall(publish, holders, 'replaced ' .. holder)
  tellShorter(remaining, lease, channel, publish)
end
