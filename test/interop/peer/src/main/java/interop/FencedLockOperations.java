package interop;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RedissonClient;

/** The operations that only the fenced lock has. */
final class FencedLockOperations {

    private final RedissonClient redisson;

    FencedLockOperations(RedissonClient redisson) {
        this.redisson = redisson;
    }

    Map<String, Operation> all() {
        return Map.of(
                "fenced.lockAndGetToken", request -> redisson.getFencedLock(request.text("name")).lockAndGetToken(),
                "fenced.tryLockAndGetToken", this::tryLockAndGetToken,
                "fenced.getToken", request -> redisson.getFencedLock(request.text("name")).getToken());
    }

    private Object tryLockAndGetToken(Request request) {
        return redisson.getFencedLock(request.text("name"))
                .tryLockAndGetToken(request.millis("waitMs"), request.millis("leaseMs"), TimeUnit.MILLISECONDS);
    }
}
