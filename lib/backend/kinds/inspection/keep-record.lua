--- Writes who holds a lock into a key beside it, for some milliseconds from now.
--- key record
--- arg text: string
--- arg lease: number
--- reply [outcome: 'kept']
--- invariant Repeating the request has one effect.
redis.call('SET', record, text, 'PX', lease)
return { 'kept' }
