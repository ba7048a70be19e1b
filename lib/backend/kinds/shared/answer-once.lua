--- include kinds/shared/server-now.lua
--- include kinds/shared/count-under.lua
-- Returns the server's time, and the answer to a request that is to change nothing: it is late, the key has another type, or a
-- copy of it was answered before, as its marker tells. Else the number under `key` and what is found there follow.
local function answerOnce(key, marker, notAfter)
  local now = serverNow()
  if now > notAfter then return now, { 'late', '', now } end
  local count, found = countUnder(key)
  if not count then return now, { 'wrong-type', found, now } end
  local answered = redis.call('GET', marker)
  return now, answered and { answered, '', now }, count, found
end
