--- include shared/what-is-left.lua
-- The queue of a fair lock: who waits, first come first, in a list; and until when each keeps its place, in a sorted set.

-- Which of the two keys is something else, and what; nothing where both may be used.
local function foreignKey(queue, deadlines)
  local found = redis.call('TYPE', queue).ok
  if found ~= 'none' and found ~= 'list' then return queue, found end
  found = redis.call('TYPE', deadlines).ok
  if found ~= 'none' and found ~= 'zset' then return deadlines, found end
end

-- The first of those who wait, also where the script itself may have emptied the queue.
local function headOf(queue) return ofWhatIsLeft(redis.pcall('LINDEX', queue, 0)) end

-- Ends the places at the front whose time is over. Gives the head that is left, until when it keeps its place (nothing
-- where nobody said), and whether it has become the head just now.
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

-- Wakes the head. Without the right to publish it finds out at its next safety poll.
local function tellHead(head, channel, publish)
  if head then redis.pcall(publish, channel .. ':' .. head, '0') end
end
