-- Whether a companion key of a lock that is here may be on another server, because their slot is moving. The server that
-- keys leave breaks off a script that asks for one which has left. The server that they go to calls a key missing that has
-- not come yet; but either refuses a command on two keys of which it has only one.
local function isElsewhere(lock, key)
  return type(redis.pcall('EXISTS', lock, key)) == 'table'
end
