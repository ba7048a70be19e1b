-- What PUBLISH counts comes too late: those that listen to a replica get the message, too, and are not counted.
local function countCommand(publish)
  return publish == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB'
end

-- Returns how many clients listen to a channel on this server; nil without the right to count them.
local function listeners(channel, publish)
  return tonumber(redis.pcall('PUBSUB', countCommand(publish), channel)[2])
end

-- Returns how many of those that listen to the channel of a lock cannot be given it, because they are no clients of this
-- library, such as those of Redisson, or do not wait on the server; nil without the right to count.
local function others(channel, publish)
  local counts = redis.pcall('PUBSUB', countCommand(publish), channel, channel .. ':clients')
  return counts[4] and math.max(0, counts[2] - counts[4])
end
