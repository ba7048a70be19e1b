--- Writes the hold of an owner once more, so that a WAIT after it counts the replicas that have the hold.
--- key lock
--- arg field: string
--- reply [outcome: 'held' | 'lost']
--- invariant Only the offset of the replication changes; a hold that is gone, for example with its server, is not
---   restored.
local count = redis.call('HGET', lock, field)
if not count then return { 'lost' } end
redis.call('HSET', lock, field, count)
return { 'held' }
