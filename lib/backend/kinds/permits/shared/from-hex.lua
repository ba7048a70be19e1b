-- Returns the bytes written as `hex`: permits are raw bytes in Redis and hexadecimal everywhere else.
local function fromHex(hex)
  local bytes = hex:gsub('%x%x', function(byte) return string.char(tonumber(byte, 16)) end)
  return bytes
end
