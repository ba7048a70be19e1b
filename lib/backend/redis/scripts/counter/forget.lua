--- Forgets a request that was answered, so that its marker does not stay for as long as the answer might have been lost.
--- key marker
--- reply [forgotten: number]
--- invariant To be called only where no copy of the request can still arrive.
return { redis.call('DEL', marker) }
