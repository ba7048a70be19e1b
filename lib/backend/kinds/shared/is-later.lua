-- Whether a fencing token is greater than another; both as text, since Lua's numbers are exact only up to 2^53.
local function isLater(token, other)
  if #token ~= #other then return #token > #other end
  return token > other
end
