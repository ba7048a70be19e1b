package interop;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RedissonClient;

/** The operations of the count-down latch. Null stands for "nothing returned". */
final class LatchOperations {

    private final RedissonClient redisson;

    LatchOperations(RedissonClient redisson) {
        this.redisson = redisson;
    }

    Map<String, Operation> all() {
        return Map.of(
                "latch.trySetCount", request -> of(request).trySetCount(request.number("count")),
                "latch.countDown", this::countDown,
                "latch.await", this::await,
                "latch.getCount", request -> of(request).getCount(),
                "latch.delete", request -> of(request).delete());
    }

    private RCountDownLatch of(Request request) {
        return redisson.getCountDownLatch(request.text("name"));
    }

    private Object countDown(Request request) {
        of(request).countDown();
        return null;
    }

    /** Whether the latch opened before the wait was over. */
    private Object await(Request request) throws InterruptedException {
        if (request.has("waitMs")) {
            return of(request).await(request.millis("waitMs"), TimeUnit.MILLISECONDS);
        }
        of(request).await();
        return true;
    }
}
