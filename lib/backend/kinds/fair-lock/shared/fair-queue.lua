--- include kinds/shared/what-is-left.lua
--- include kinds/fair-lock/shared/our-waiters.lua
-- The queue of a fair lock: its waiters, in order of arrival, in a list; and the deadlines of their places in a sorted
-- set.

-- Returns the one of the two keys that has another type, and that type; nothing if both are usable.
local function foreignKey(queue, deadlines)
  local found = redis.call('TYPE', queue).ok
  if found ~= 'none' and found ~= 'list' then return queue, found end
  found = redis.call('TYPE', deadlines).ok
  if found ~= 'none' and found ~= 'zset' then return deadlines, found end
end

-- Returns the first waiter, even if the script itself has emptied the queue.
local function headOf(queue) return ofWhatIsLeft(redis.pcall('LINDEX', queue, 0)) end

-- Removes the places at the front whose deadlines have passed. Returns the remaining head, its deadline (nil if it has
-- none), and whether it has become the head just now.
local function purgeQueue(queue, deadlines, now)
  local purged = false
  local head = redis.call('LINDEX', queue, 0)
  while head do
    local deadline = tonumber(redis.call('ZSCORE', deadlines, head))
    if not deadline or deadline > now then return head, deadline, purged end
    redis.call('ZREM', deadlines, head)
    redis.call('LPOP', queue)
    purged = true
    head = headOf(queue)
  end
end

-- Wakes the head: on its own channel, as Redisson does, and on that of its client, which may not listen to the first.
-- With a `lease`, tells a head of ours that the lock ends in so many ms; one of Redisson asks. Without the right to
-- publish, the head notices at its next safety poll.
local function tellHead(head, channel, publish, lease)
  if not head then return end
  local client = clientChannel(channel, head)
  local message = client and lease or '0'
  redis.pcall(publish, channel .. ':' .. head, message)
  if client then redis.pcall(publish, client, message) end
end
