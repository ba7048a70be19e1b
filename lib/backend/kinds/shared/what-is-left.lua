-- Returns the answer to a command on a key that the script itself may have emptied. The key is then gone, and while its
-- slot is moving Redis refuses the command; that refusal becomes false, the answer for a missing key.
local function ofWhatIsLeft(answer)
  if type(answer) ~= 'table' or not answer.err then return answer end
  if string.find(answer.err, 'non local key', 1, true) then return false end
  error(answer.err, 0)
end
