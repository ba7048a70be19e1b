--- Sets a value and records the fencing token of its writer, unless the token of a later holder is recorded.
--- key value
--- key fence
--- arg token: string
--- arg keep: number
--- arg text: string
--- arg ttl: number
--- reply [outcome: 'recorded' | 'stale' | 'no-token' | 'wrong-type', last: string]
--- invariant The value is that of the latest token. Repeating the request sets the same value.
--- invariant The recorded token outlives the value, unless `keep` says otherwise: a late writer does not bring it back.
--- include kinds/shared/last-token.lua
--- include kinds/shared/is-later.lua
local found = redis.call('TYPE', value).ok
if found ~= 'none' and found ~= 'string' then return { 'wrong-type', found } end
local last, foreign = lastToken(fence)
if not last then return { 'no-token', foreign } end
if isLater(last, token) then return { 'stale', last } end
redis.call('SET', fence, token)
if tonumber(keep) > 0 then redis.call('PEXPIRE', fence, keep) end
redis.call('SET', value, text)
if tonumber(ttl) > 0 then redis.call('PEXPIRE', value, ttl) end
return { 'recorded', token }
