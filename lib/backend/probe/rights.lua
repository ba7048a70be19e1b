--- Tries every command that scripts use, in a way that changes nothing, and returns those that this user may not run.
--- arg lock: string
--- arg publish: string
--- arg keyCount: number
--- args names: string
--- reply [role: 'master' | 'replica', ...refused: string[]]
--- invariant Each refusal is a word and a name: 'command GET', 'unknown SPUBLISH', 'key name', 'channel name', and
---   'write NOREPLICAS', where writes are refused for now.
--- invariant Nothing stays under `lock` for longer than a second. It is not declared as a key, so that the server
---   checks the right to a command first: a refusal for the name would hide that right.
local reply = { 'master' }

local function problemOf(command, ...)
  local answer = redis.pcall(command, ...)
  return type(answer) == 'table' and answer.err or ''
end

local function says(problem, text)
  return string.find(problem, text, 1, true) ~= nil
end

-- Returns whether this user has the right to the command, whatever its outcome, and the error of the command.
local function try(command, ...)
  local problem = problemOf(command, ...)
  local isForbidden = says(problem, "can't run this command") or says(problem, 'permissions to run')
  if isForbidden then
    reply[#reply + 1] = 'command ' .. command
  elseif says(problem, 'Unknown') and says(problem, 'called from') then
    reply[#reply + 1] = 'unknown ' .. command
  elseif says(problem, 'READONLY') then
    reply[1] = 'replica'
  end
  return not isForbidden, problem
end

try('TIME')
try('PUBSUB', 'NUMSUB')
local canDelete = try('DEL', lock)
try('PERSIST', lock)
-- A command for a type other than strings is refused for the type, after the server has checked the right to it.
local canReplace, problem = try('SET', lock, '', 'PX', 1000)
for _, code in ipairs({ 'NOREPLICAS', 'MISCONF', 'OOM' }) do
  if says(problem, code) then reply[#reply + 1] = 'write ' .. code end
end
local canExpire = try('PEXPIRE', lock, 1000)
for _, command in ipairs({ 'GET', 'EXISTS', 'TYPE', 'PTTL', 'HGETALL', 'HKEYS', 'HLEN', 'LPOP', 'ZCARD', 'ZPOPMIN' }) do
  try(command, lock)
end
try('HRANDFIELD', lock, 1)
for _, command in ipairs({ 'HGET', 'HDEL', 'ZSCORE', 'ZREM' }) do try(command, lock, 'probe') end
for _, command in ipairs({ 'LRANGE', 'ZCOUNT', 'ZRANGEBYSCORE', 'ZREVRANGE', 'ZREMRANGEBYSCORE' }) do try(command, lock, 0, 0) end
try('LINDEX', lock, 0)
try('LREM', lock, 0, 'probe')
-- These arguments are refused for every type.
try('HSET', lock, 'probe', '', 'probe')
try('HINCRBY', lock, 'probe', 'probe')
try('INCRBY', lock, 'probe')
try('DECRBY', lock, 'probe')
try('ZADD', lock, 'probe', 'probe')
-- No arguments are refused for these: without the string they write. They are not tried if the user has none of the
-- commands that could remove the key, and are then reported as missing, as those commands are.
for _, call in ipairs({ { 'INCR', lock }, { 'DECR', lock }, { 'RPUSH', lock, 'probe' } }) do
  if canDelete or canReplace or canExpire then
    try(unpack(call))
  else
    reply[#reply + 1] = 'command ' .. call[1]
  end
end
redis.pcall('PEXPIRE', lock, 1)
redis.pcall('DEL', lock)

local function isDenied(problem)
  return says(problem, "can't access") or says(problem, "can't publish") or says(problem, 'permissions to access')
end

if isDenied(problemOf('EXISTS', lock)) then reply[#reply + 1] = 'key ' .. lock end
for i, name in ipairs(names) do
  if i > keyCount then
    local _, problem = try(publish, name, '0')
    if isDenied(problem) then reply[#reply + 1] = 'channel ' .. name end
  elseif isDenied(problemOf('EXISTS', name)) then
    reply[#reply + 1] = 'key ' .. name
  end
end
return reply
