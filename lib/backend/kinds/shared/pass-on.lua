--- include kinds/shared/elsewhere.lua
--- include kinds/shared/listeners.lua
--- include kinds/shared/take-lock.lua
--- include kinds/shared/waiting-entry.lua
-- A client whose entry is not older than this, ms, is given its lease at once: it was alive just now, as one is that
-- acquires a free lock. An older one gets the first lease, and sets the whole one before its caller acts under the lock.
local FRESH = 100
-- Other waiters look after this time, ms, at the latest: that of the default of `safetyPoll`.
local OTHERS_LOOK = 5000

-- Makes the owner of an entry the holder, and sends its client the grant, in that order: a client that got the message is
-- the holder. Returns false if the client does not listen, because it is dead. `arrived`: when the entry was added, µs.
local function grant(lock, entry, arrived, channel, publish, now)
  local owner, client, lease, first = partsOf(entry)
  local own = owner and ownChannel(lock, channel, client)
  if not owner or (listeners(own, publish) or 0) == 0 then return false end
  local granted = now - arrived / 1000 <= FRESH and lease or first
  if takeLock(lock, owner, granted) then return false end
  redis.pcall(publish, own, owner .. ' ' .. granted .. ' ' .. now)
  -- It may end without a release, sooner than the other waiters would look. Redisson ignores the number.
  if granted == first or tonumber(granted) < OTHERS_LOOK then redis.pcall(publish, channel, granted) end
  return true
end

-- Gives a lock that was released just now to the client that has waited longest. `again` is the entry with which the
-- releasing client goes on waiting, '' if it does not; if no other client waits, that gets the lock. Returns what became
-- of the lock; nil: it is free, also because others listen, such as clients of Redisson, which are to get their turn.
local function passOn(lock, waiters, channel, publish, again, now)
  if (others(lock, channel, publish) or 1) > 0 then return nil end
  for _ = 1, tonumber(redis.pcall('ZCARD', waiters)) or 0 do
    local first = redis.call('ZPOPMIN', waiters)
    if grant(lock, first[1], first[2], channel, publish, now) then
      if again ~= '' then addEntry(waiters, again) end
      return 'passed-on'
    end
  end
  -- Those that wait elsewhere ask when the lock is free.
  if again == '' or isElsewhere(lock, waiters) then return nil end
  local owner, _, lease = partsOf(again)
  return not takeLock(lock, owner, lease) and 'kept' or nil
end
