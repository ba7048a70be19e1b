--- Returns the token that was given last, to any owner.
--- key token
--- reply [outcome: 'token' | 'no-token', detail: string]
--- invariant Changes nothing.
--- include kinds/shared/last-token.lua
local last, found = lastToken(token)
if not last then return { 'no-token', found } end
return { 'token', last }
