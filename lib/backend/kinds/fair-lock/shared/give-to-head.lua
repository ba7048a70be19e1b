--- include kinds/shared/listeners.lua
--- include kinds/fair-lock/shared/take-turn.lua
--- include kinds/fair-lock/shared/tell-next.lua
-- Gives a lock that was released just now to the head of the queue, for its first lease, and sends its client the grant,
-- in that order: a client that got the message is the holder. Returns false if the head is to be told instead, because it
-- is not of ours, or its client does not listen.
local function giveToHead(lock, queue, deadlines, head, deadline, channel, publish, now)
  local own = head and waitsFor(head, lock) and clientChannel(channel, head) or nil
  local lease = own and firstLeaseIn(deadline) or 0
  -- While the slot of the lock moves, the server refuses to look for the key that was deleted.
  if lease == 0 or redis.pcall('EXISTS', lock) ~= 0 or (listeners(own, publish) or 0) == 0 then return false end
  -- No deadline is counted on top of that of our head, so the slot does not matter.
  if takeTurn(lock, queue, deadlines, head, lease, 0, now) then return false end
  redis.pcall(publish, own, head .. ' ' .. lease .. ' ' .. now)
  tellNext(lock, queue, deadlines, channel, publish, lease, now)
  return true
end
