-- Differences between a lock and a hash of an application: fields are owners in Redisson's notation, `<id>:<n>`,
-- followed by the id of the transaction if the lock is part of one, and values are whole numbers.

local function isOwner(text)
  return string.find(text, '.:%-?%d+$') ~= nil or string.find(text, '.:%-?%d+:%x+$') ~= nil
end

-- Returns the hold count in a text; nil if the text is no count, or is too long to be counted exactly in Lua and
-- JavaScript.
local function countIn(text)
  return text and #text < 16 and string.find(text, '^%d+$') and tonumber(text) or nil
end
