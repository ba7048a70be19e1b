--- Writes the marker of a request once more, so that a WAIT after it counts the replicas that have the effect of the
--- request.
--- key marker
--- reply [outcome: 'held' | 'lost']
--- invariant Only the offset of the replication changes; a marker that is gone, for example with its server, is not
---   restored.
--- invariant The write is one that a server without free memory allows.
local left = redis.call('PTTL', marker)
if left < 0 then return { 'lost' } end
redis.call('PEXPIRE', marker, math.max(1, left))
return { 'held' }
