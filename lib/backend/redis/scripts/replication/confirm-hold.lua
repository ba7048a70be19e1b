--- Writes once more that an owner holds, so that a WAIT behind it tells which replicas know of the hold.
--- key lock
--- arg field: string
--- reply [outcome: 'held' | 'lost']
--- invariant Nothing changes but the offset of the replication; a hold that is gone, with its server for instance, stays so.
local count = redis.call('HGET', lock, field)
if not count then return { 'lost' } end
redis.call('HSET', lock, field, count)
return { 'held' }
