-- Redisson's deadline of permits without a lease.
local NO_DEADLINE = 922337203685477
