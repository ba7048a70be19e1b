-- What PUBLISH counts comes too late: those that listen to a replica get the message, too, and are not counted.
local function countCommand(publish)
  return publish == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB'
end

-- Returns how many clients listen to a channel on this server; nil without the right to count them.
local function listeners(channel, publish)
  return tonumber(redis.pcall('PUBSUB', countCommand(publish), channel)[2])
end

-- A channel of ours beside that of a lock. Redisson lets `job` and `{job}` share one.
local function ownChannel(lock, channel, part)
  return channel .. (string.find(lock, '{', 1, true) and '::' or ':') .. part
end

-- Returns how many of those that listen to the channel of a lock cannot be given it, because they are no clients of this
-- library, such as those of Redisson, or do not wait on the server; nil without the right to count.
local function others(lock, channel, publish)
  local clients = ownChannel(lock, channel, 'clients')
  local counts = redis.pcall('PUBSUB', countCommand(publish), channel, clients)
  return counts[4] and math.max(0, counts[2] - counts[4])
end
