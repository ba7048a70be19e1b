--- Writes the marker of a request once more, so that a WAIT behind it tells which replicas know what the request changed.
--- key marker
--- reply [outcome: 'held' | 'lost']
--- invariant Nothing changes but the offset of the replication; a marker that is gone, with its server for instance, stays so.
--- invariant The write is one that a server out of memory allows.
local left = redis.call('PTTL', marker)
if left < 0 then return { 'lost' } end
redis.call('PEXPIRE', marker, math.max(1, left))
return { 'held' }
