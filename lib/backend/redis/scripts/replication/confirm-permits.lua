--- Writes the number of permits once more, so that a WAIT behind it tells which replicas know of a permit that is out.
--- key permits
--- key deadlines
--- arg id: string
--- reply [outcome: 'held' | 'lost']
--- invariant Nothing changes but the offset of the replication; a permit that is not out any more stays so.
--- invariant Without an id, it is about the number of permits.
--- include shared/from-hex.lua
if redis.call('EXISTS', permits) == 0 then return { 'lost' } end
if id ~= '' and not redis.call('ZSCORE', deadlines, fromHex(id)) then return { 'lost' } end
redis.call('INCRBY', permits, 0)
return { 'held' }
