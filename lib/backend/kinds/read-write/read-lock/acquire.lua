--- Acquires the read half for a new owner.
--- key lock
--- arg stem: string
--- arg owner: string
--- arg lease: number
--- arg behindWriters: number
--- arg notAfter: number
--- reply [outcome: 'acquired' | 'torn' | 'busy' | 'kept-out' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
--- grants
--- invariant Repeating the request has one effect: an owner that reads gets the same answer, and is counted once.
--- invariant The lock lasts at least as long as each of its readers, and always has a time to live.
--- invariant If the time-out key may be on another server than the lock, the owner has the lock and the reply is
---   'torn': the caller creates the key by a command of its own.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/read-write-state.lua
--- include kinds/read-write/shared/read-timeouts.lua
--- include kinds/read-write/shared/waiting-writers.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end
local mode, holder = modeOf(lock)
if not mode then return { 'wrong-type', 0, holder, now } end
if mode == 'write' then return { 'busy', redis.call('PTTL', lock), holder, now } end

if behindWriters == 1 and not redis.call('HGET', lock, owner) then
  local writer, remaining = waitingWriter(lock, stem, now)
  if writer then return { 'kept-out', remaining, writer, now } end
end

local isTorn = not keepRead(lock, stem, owner, 1, lease, true)
redis.call('HSET', lock, 'mode', 'read', owner, 1)
-- A server that grants the right to HSET but not to PEXPIRE must not keep a lock without a time to live.
local limited = redis.pcall('PEXPIRE', lock, math.max(redis.call('PTTL', lock), lease))
if type(limited) == 'table' then
  redis.call('HDEL', lock, owner)
  if mode == '' then redis.call('DEL', lock) end
  dropRead(lock, stem, owner, 1)
  return limited
end
return { isTorn and 'torn' or 'acquired', lease, '', now }
