--- Sets the hold count of an owner that has all the fields, and a minimum of the time that they last from now: to
--- re-enter, to release a hold that is not the last, to extend. With `left` 1 the owner has let go, and they last exactly as
--- long: those that wait are told if that is shorter than before.
--- key group
--- arg owner: string
--- arg count: number
--- arg lease: number
--- arg notAfter: number
--- arg left: number
--- arg channel: string
--- arg publish: string
--- args fields: string
--- reply [outcome: 'held' | 'lost' | 'late', now: number]
--- invariant Repeating the request has one effect, whatever count it finds: owner ids are never shared.
--- invariant It never acquires a field, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/group-fields.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
if not holdsAll(group, fields, owner, now) then return { 'lost', now } end

-- PEXPIRE comes first here: a server without free memory allows it, and then allows the rest of the script.
keepGroup(group, lease)
local isShorter = left == 1 and shortenFields(group, fields, owner, now + lease)
keepFields(group, fields, owner, now + lease)
local before = 0
for _, field in ipairs(fields) do
  local name = countField(field, owner)
  before = math.max(before, tonumber(redis.call('HGET', group, name) or '') or 0)
  redis.call('HSET', group, name, count)
end
-- Java clients announce a partial release of a group as well.
if count < before or isShorter then redis.pcall(publish, channel, '0') end
return { 'held', now }
