package interop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * The measurements of the benchmark, the same as in Node. A loop is a thread here. Instants are nanoseconds of the
 * monotonic clock, which Node shares. Locks have no lease, so the watchdog renews them.
 */
final class BenchOperations {

    private static final double NANOS_PER_MICRO = 1e3;
    private static final double NANOS_PER_SECOND = 1e9;

    private final RedissonClient redisson;

    BenchOperations(RedissonClient redisson) {
        this.redisson = redisson;
    }

    Map<String, Operation> all() {
        return Map.of(
                "bench.pairs", this::pairs,
                "bench.distinct", this::distinct,
                "bench.contend", request -> new Contention(redisson, request).run(),
                "bench.take", this::take,
                "bench.giveBack", this::giveBack,
                "bench.queueUp", this::queueUp,
                "bench.hold", this::hold);
    }

    static RLock lock(RedissonClient redisson, Request request, String name) {
        return request.text("kind").equals("fair") ? redisson.getFairLock(name) : redisson.getLock(name);
    }

    private Object pairs(Request request) {
        RLock lock = lock(redisson, request, request.text("key"));
        long begin = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.number("warmUpMs"));
        long end = begin + TimeUnit.MILLISECONDS.toNanos(request.number("ms"));
        List<Long> took = new ArrayList<>();
        for (long start = System.nanoTime(); start < end;) {
            lock.lock();
            lock.unlock();
            long done = System.nanoTime();
            if (start >= begin) {
                took.add(done - start);
            }
            start = done;
        }
        long[] sorted = took.stream().mapToLong(Long::longValue).sorted().toArray();
        return Map.of("perSecond", sorted.length / (request.number("ms") / 1e3),
                "p50", percentile(sorted, 0.5) / NANOS_PER_MICRO, "p99", percentile(sorted, 0.99) / NANOS_PER_MICRO);
    }

    private static long percentile(long[] sorted, double share) {
        return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
    }

    private Object distinct(Request request) throws InterruptedException, ExecutionException {
        int loops = request.count("loops");
        long begin = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.number("warmUpMs"));
        long end = begin + TimeUnit.MILLISECONDS.toNanos(request.number("ms"));
        long[] counts = new long[loops];
        long[] last = new long[loops];
        ExecutorService threads = Executors.newFixedThreadPool(loops);
        List<Future<?>> running = new ArrayList<>();
        for (int each = 0; each < loops; each++) {
            int loop = each;
            running.add(threads.submit(() -> {
                RLock lock = lock(redisson, request, request.text("key") + ":" + loop);
                for (long start = System.nanoTime(); start < end;) {
                    lock.lock();
                    lock.unlock();
                    long done = System.nanoTime();
                    counts[loop] += start >= begin ? 1 : 0;
                    last[loop] = done;
                    start = done;
                }
            }));
        }
        for (Future<?> loop : running) {
            loop.get();
        }
        threads.shutdown();
        double seconds = (Arrays.stream(last).max().orElse(end) - begin) / NANOS_PER_SECOND;
        return Map.of("perSecond", Arrays.stream(counts).sum() / seconds);
    }

    private Object take(Request request) {
        lock(redisson, request, request.text("key")).lock();
        return System.nanoTime();
    }

    private Object giveBack(Request request) {
        long instant = System.nanoTime();
        lock(redisson, request, request.text("key")).unlock();
        return instant;
    }

    private Object queueUp(Request request) {
        for (int waiter = 0; waiter < request.count("count"); waiter++) {
            Thread thread = new Thread(() -> lock(redisson, request, request.text("key")).lock());
            thread.setDaemon(true);
            thread.start();
        }
        return null;
    }

    private Object hold(Request request) {
        long start = System.nanoTime();
        for (int each = 0; each < request.count("count"); each++) {
            lock(redisson, request, request.text("prefix") + ":" + each).lock();
        }
        return (System.nanoTime() - start) / 1e6;
    }
}
