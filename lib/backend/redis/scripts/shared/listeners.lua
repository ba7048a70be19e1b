-- Returns how many clients listen to a channel on this server; nil without the right to count them. What PUBLISH counts
-- comes too late: those that listen to a replica get the message, too, and are not counted.
local function listeners(channel, publish)
  return tonumber(redis.pcall('PUBSUB', publish == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB', channel)[2])
end
