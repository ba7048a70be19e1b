--- Records the fencing token of a write, unless the token of a later holder is recorded.
--- key fence
--- arg token: string
--- arg keep: number
--- reply [outcome: 'recorded' | 'stale' | 'no-token', last: string]
--- invariant The recorded token never decreases. Repeating the request records the same token.
--- include kinds/shared/last-token.lua
--- include kinds/shared/is-later.lua
local last, found = lastToken(fence)
if not last then return { 'no-token', found } end
if isLater(last, token) then return { 'stale', last } end
redis.call('SET', fence, token)
if tonumber(keep) > 0 then redis.call('PEXPIRE', fence, keep) end
return { 'recorded', token }
