-- Runs a command on a key that the script itself may have emptied. Then the key is gone, and where its slot is moving Redis
-- would break the script off for asking; false instead, as of nothing.
local function ofWhatIsLeft(command, key, ...)
  local answer = redis.pcall(command, key, ...)
  if type(answer) ~= 'table' or not answer.err then return answer end
  if string.find(answer.err, 'non local key', 1, true) then return false end
  return redis.call(command, key, ...)
end
