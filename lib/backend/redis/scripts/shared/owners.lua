-- What tells a lock from a hash in which an application keeps its data: the fields are owners as Redisson spells them,
-- `<id>:<n>`, with the id of the transaction behind it where one locks inside a transaction, and their values are whole
-- numbers.

local function isOwner(text)
  return string.find(text, '.:%-?%d+$') ~= nil or string.find(text, '.:%-?%d+:%x+$') ~= nil
end

-- How often an owner holds; nil where the text does not say so. No longer than what Lua and JavaScript count exactly.
local function countIn(text)
  return text and #text < 16 and string.find(text, '^%d+$') and tonumber(text) or nil
end
