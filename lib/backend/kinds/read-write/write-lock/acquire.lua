--- Acquires the write half for a new owner; if the lock is held, records the waiting writer, which goes before new
--- readers.
--- key lock
--- arg stem: string
--- arg owner: string
--- arg lease: number
--- arg waiter: string
--- arg slot: number
--- arg notAfter: number
--- reply [outcome: 'acquired' | 'busy' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
--- grants
--- invariant Repeating the request has one effect: an owner that writes gets the same answer, and is counted once.
--- invariant A writer has no other holder beside it.
--- invariant A lock always has a time to live, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/write-count.lua
--- include kinds/read-write/shared/read-write-state.lua
--- include kinds/read-write/shared/waiting-writers.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end
local mode, holder = modeOf(lock)
if not mode then return { 'wrong-type', 0, holder, now } end

if mode == '' then
  redis.call('HSET', lock, 'mode', 'write', owner .. ':write', 1)
  -- A server that grants the right to HSET but not to PEXPIRE must not keep a lock without a time to live.
  local limited = redis.pcall('PEXPIRE', lock, lease)
  if type(limited) == 'table' then
    redis.call('DEL', lock)
    return limited
  end
  return { 'acquired', lease, '', now }
end

if writeCount(lock, owner) > 0 then
  redis.call('PEXPIRE', lock, lease)
  return { 'acquired', lease, '', now }
end
if waiter ~= '' then announceWriter(lock, stem, waiter, now, slot) end
return { 'busy', redis.call('PTTL', lock), holder, now }
