--- Writes a permit of a limit once more, so that a WAIT after it counts the replicas that have it.
--- key permits
--- arg owner: string
--- reply [outcome: 'held' | 'lost']
--- invariant Only the offset of the replication changes; a permit that is not in use any more is not restored.
local deadline = redis.call('ZSCORE', permits, owner)
if not deadline then return { 'lost' } end
-- A score that stays the same is not replicated, so the permit is removed and added within the script.
redis.call('ZREM', permits, owner)
redis.call('ZADD', permits, deadline, owner)
return { 'held' }
