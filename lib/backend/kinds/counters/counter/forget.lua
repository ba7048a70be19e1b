--- Deletes the marker of an answered request, which would otherwise stay for as long as the answer might have been
--- lost.
--- key marker
--- reply [forgotten: number]
--- invariant Call it only when no copy of the request can still arrive.
return { redis.call('DEL', marker) }
