package interop;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;

/** The operations of the semaphore whose permits have ids and leases. Null stands for "nothing returned". */
final class PermitOperations {

    private final RedissonClient redisson;

    PermitOperations(RedissonClient redisson) {
        this.redisson = redisson;
    }

    Map<String, Operation> all() {
        return Map.ofEntries(
                Map.entry("permits.trySetPermits", request -> of(request).trySetPermits(request.count("permits"))),
                Map.entry("permits.setPermits", this::setPermits),
                Map.entry("permits.addPermits", this::addPermits),
                Map.entry("permits.acquire", this::acquire),
                Map.entry("permits.tryAcquire", this::tryAcquire),
                Map.entry("permits.release", this::release),
                Map.entry("permits.tryRelease", request -> of(request).tryRelease(request.text("permit"))),
                Map.entry("permits.tryReleaseAll", request -> of(request).tryRelease(request.texts("permits"))),
                Map.entry("permits.updateLeaseTime", this::updateLeaseTime),
                Map.entry("permits.getLeaseTime", request -> of(request).getLeaseTime(request.text("permit"))),
                Map.entry("permits.availablePermits", request -> of(request).availablePermits()),
                Map.entry("permits.acquiredPermits", request -> of(request).acquiredPermits()),
                Map.entry("permits.getPermits", request -> of(request).getPermits()));
    }

    private RPermitExpirableSemaphore of(Request request) {
        return redisson.getPermitExpirableSemaphore(request.text("name"));
    }

    private Object setPermits(Request request) {
        of(request).setPermits(request.count("permits"));
        return null;
    }

    private Object addPermits(Request request) {
        of(request).addPermits(request.count("permits"));
        return null;
    }

    private Object acquire(Request request) throws InterruptedException {
        return of(request).acquire(request.count("permits"), request.millis("leaseMs"), TimeUnit.MILLISECONDS);
    }

    private Object tryAcquire(Request request) throws InterruptedException {
        return of(request).tryAcquire(request.count("permits"), request.millis("waitMs"), request.millis("leaseMs"),
                TimeUnit.MILLISECONDS);
    }

    private Object release(Request request) {
        of(request).release(request.text("permit"));
        return null;
    }

    private Object updateLeaseTime(Request request) {
        return of(request).updateLeaseTime(request.text("permit"), request.millis("leaseMs"), TimeUnit.MILLISECONDS);
    }
}
