--- Removes what was written about a holder that has released its lock.
--- key record
--- reply [dropped: number]
--- invariant Repeating the request has one effect.
return { redis.call('DEL', record) }
