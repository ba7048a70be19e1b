package interop;

import java.time.Duration;
import java.util.Map;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** The operations of the semaphore. Null stands for "nothing returned". */
final class SemaphoreOperations {

    private final RedissonClient redisson;

    SemaphoreOperations(RedissonClient redisson) {
        this.redisson = redisson;
    }

    Map<String, Operation> all() {
        return Map.of(
                "semaphore.trySetPermits", request -> of(request).trySetPermits(request.count("permits")),
                "semaphore.addPermits", this::addPermits,
                "semaphore.acquire", this::acquire,
                "semaphore.tryAcquire", this::tryAcquire,
                "semaphore.release", this::release,
                "semaphore.releaseIfExists", request -> of(request).releaseIfExists(request.count("permits")),
                "semaphore.drainPermits", request -> of(request).drainPermits(),
                "semaphore.availablePermits", request -> of(request).availablePermits(),
                "semaphore.expire", request -> of(request).expire(Duration.ofMillis(request.millis("ttlMs"))),
                "semaphore.remainTimeToLive", request -> of(request).remainTimeToLive());
    }

    private RSemaphore of(Request request) {
        return redisson.getSemaphore(request.text("name"));
    }

    private Object addPermits(Request request) {
        of(request).addPermits(request.count("permits"));
        return null;
    }

    private Object acquire(Request request) throws InterruptedException {
        of(request).acquire(request.count("permits"));
        return null;
    }

    private Object tryAcquire(Request request) throws InterruptedException {
        int permits = request.count("permits");
        return request.has("waitMs")
                ? of(request).tryAcquire(permits, Duration.ofMillis(request.millis("waitMs")))
                : of(request).tryAcquire(permits);
    }

    private Object release(Request request) {
        of(request).release(request.count("permits"));
        return null;
    }
}
