package interop;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;

/** The operations of every kind of lock. Null stands for "nothing returned". */
final class LockOperations {

    private final Locks locks;

    LockOperations(Locks locks) {
        this.locks = locks;
    }

    Map<String, Operation> all() {
        return Map.of(
                "lock.lock", this::lock,
                "lock.tryLock", this::tryLock,
                "lock.unlock", this::unlock,
                "lock.forceUnlock", request -> locks.of(request).forceUnlock(),
                "lock.isLocked", request -> locks.of(request).isLocked(),
                "lock.isHeldByCurrentThread", request -> locks.of(request).isHeldByCurrentThread(),
                "lock.holdCount", request -> locks.of(request).getHoldCount(),
                "lock.remainTimeToLive", request -> locks.of(request).remainTimeToLive());
    }

    private Object lock(Request request) {
        RLock lock = locks.of(request);
        if (request.has("leaseMs")) {
            lock.lock(request.millis("leaseMs"), TimeUnit.MILLISECONDS);
        } else {
            lock.lock();
        }
        return null;
    }

    private Object tryLock(Request request) throws InterruptedException {
        RLock lock = locks.of(request);
        if (!request.has("waitMs") && !request.has("leaseMs")) {
            return lock.tryLock();
        }
        return lock.tryLock(request.millis("waitMs"), request.millis("leaseMs"), TimeUnit.MILLISECONDS);
    }

    private Object unlock(Request request) {
        locks.of(request).unlock();
        return null;
    }
}
