--- Removes the entry of a client from those that wait for a lock.
--- key waiters
--- arg entry: string
--- reply [removed: number]
--- invariant Repeating the request has one effect.
--- invariant Only the set is declared, so that it is found while its slot moves, wherever the lock is.
return { redis.call('ZREM', waiters, entry) }
