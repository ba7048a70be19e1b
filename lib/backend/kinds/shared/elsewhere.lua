-- Returns whether a companion key of a lock on this server may be on another server, because their slot is moving. The
-- server that the slot leaves interrupts a script that asks for a key which has moved. The server that the slot moves
-- to calls a key missing that has not arrived yet. But each of them refuses a command on two keys of which it has only
-- one.
local function isElsewhere(lock, key)
  return type(redis.pcall('EXISTS', lock, key)) == 'table'
end
