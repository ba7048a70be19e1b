-- An entry of a client that waits: `<owner> <lease> <first lease>`. The owner id that the client will have, the lease that
-- it wants, ms, and the one that it gets first, which it extends itself. Clients wait in order of arrival.

-- How long the entries last without a sign of life from any client, ms.
local ENTRIES_LAST = 60000

-- Returns owner, client id, lease and first lease, all as texts; nil if the text is no entry.
local function partsOf(entry)
  return string.match(entry, '^((.+):%d+) (%d+) (%d+)$')
end

-- Adds an entry, which keeps its place if it is there already. Without the right to do that, its client finds the lock
-- free when it asks again.
local function addEntry(waiters, entry)
  local time = redis.call('TIME')
  redis.pcall('ZADD', waiters, 'NX', time[1] .. string.format('%06d', time[2]), entry)
  redis.pcall('PEXPIRE', waiters, ENTRIES_LAST)
end
