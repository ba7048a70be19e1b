--- Writes the number of permits once more, so that a WAIT after it counts the replicas that have a permit in use.
--- key permits
--- key deadlines
--- arg id: string
--- reply [outcome: 'held' | 'lost']
--- invariant Only the offset of the replication changes; a permit that is not in use any more is not restored.
--- invariant Without an id, it confirms the number of permits.
--- include kinds/permits/shared/from-hex.lua
if redis.call('EXISTS', permits) == 0 then return { 'lost' } end
if id ~= '' and not redis.call('ZSCORE', deadlines, fromHex(id)) then return { 'lost' } end
redis.call('INCRBY', permits, 0)
return { 'held' }
