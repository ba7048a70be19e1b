--- include kinds/fair-lock/shared/fair-queue.lua
-- Lets a fair lock last for `lease` ms from now. If that is sooner than before, tells the head of the queue, which sleeps
-- until the end that it knows.
local function setFairLease(lock, queue, deadlines, lease, channel, publish, now)
  local before = redis.call('PTTL', lock)
  redis.call('PEXPIRE', lock, lease)
  if before ~= -1 and lease >= before or foreignKey(queue, deadlines) then return end
  local head = purgeQueue(queue, deadlines, now)
  -- One that waits for the other lock of the queue asks when that ends.
  tellHead(head, channel, publish, head and waitsFor(head, lock) and math.max(2, lease) or '0')
end
