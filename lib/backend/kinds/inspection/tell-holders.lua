--- Tells the processes that hold a lock that others have ended a hold of it.
--- key lock
--- arg channel: string
--- arg publish: string
--- reply [told: number]
--- invariant Changes nothing: the processes ask the server what they still have.
redis.pcall(publish, channel, 'ended ' .. lock)
return { 1 }
