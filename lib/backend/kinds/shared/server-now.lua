-- Milliseconds on the server's clock: the only clock that server-side decisions use.
local function serverNow()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
