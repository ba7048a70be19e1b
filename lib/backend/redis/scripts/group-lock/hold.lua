--- Sets how often an owner that has all the fields holds them, and for how long from now at least: to re-enter, to leave
--- but not as the last, to extend.
--- key group
--- arg owner: string
--- arg count: number
--- arg lease: number
--- arg notAfter: number
--- arg channel: string
--- arg publish: string
--- args fields: string
--- reply [outcome: 'held' | 'lost' | 'late', now: number]
--- invariant Executed any number of times it has one effect, whatever count it finds: owner ids are never shared.
--- invariant It never takes a field, and nothing happens after `notAfter` on the server's clock.
--- include shared/server-now.lua
--- include shared/group-fields.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
if not holdsAll(group, fields, owner, now) then return { 'lost', now } end

-- Its PEXPIRE goes first: it is allowed when memory is used up, and so allows the rest of the script.
keepGroup(group, lease)
keepFields(group, fields, owner, now + lease)
local before = 0
for _, field in ipairs(fields) do
  local name = countField(field, owner)
  before = math.max(before, tonumber(redis.call('HGET', group, name) or '') or 0)
  redis.call('HSET', group, name, count)
end
-- Peers announce a partial release of a group as well.
if count < before then redis.pcall(publish, channel, '0') end
return { 'held', now }
