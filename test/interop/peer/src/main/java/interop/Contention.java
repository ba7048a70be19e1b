package interop;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** Many threads on one lock until a certain instant. Their acquisitions are then in a file, four doubles each. */
final class Contention {

    private static final long PATIENCE_MS = 10_000;
    private static final long STUCK_AFTER_MS = PATIENCE_MS + 2000;

    private final Request request;
    private final RLock lock;
    private final RBucket<String> counter;
    private final long end;
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicReference<String> firstFailure = new AtomicReference<>("");

    Contention(RedissonClient redisson, Request request) {
        this.request = request;
        this.lock = BenchOperations.lock(redisson, request, request.text("key"));
        this.counter = request.has("counter")
                ? redisson.getBucket(request.text("counter"), StringCodec.INSTANCE) : null;
        this.end = request.node("end").longValue();
    }

    Object run() throws InterruptedException, IOException {
        TimeUnit.NANOSECONDS.sleep(request.node("start").longValue() - System.nanoTime());
        List<List<double[]>> acquired = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int loop = 0; loop < request.count("loops"); loop++) {
            List<double[]> own = new ArrayList<>();
            int number = loop;
            Thread thread = new Thread(() -> loop(number, own));
            thread.setDaemon(true);
            acquired.add(own);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
        int stuck = 0;
        List<double[]> finished = new ArrayList<>();
        for (int loop = 0; loop < threads.size(); loop++) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()) + STUCK_AFTER_MS;
            threads.get(loop).join(Math.max(1, left));
            if (threads.get(loop).isAlive()) {
                stuck++;
            } else {
                finished.addAll(acquired.get(loop));
            }
        }
        write(finished);
        return Map.of("failures", failures.get(), "firstFailure", firstFailure.get(), "stuck", stuck);
    }

    private void loop(int number, List<double[]> acquired) {
        while (System.nanoTime() < end) {
            try {
                pass(number, acquired);
            } catch (Exception error) {
                failures.incrementAndGet();
                firstFailure.compareAndSet("", error.toString());
            }
        }
    }

    private void pass(int number, List<double[]> acquired) throws InterruptedException {
        long asked = System.nanoTime();
        long wait = TimeUnit.NANOSECONDS.toMillis(end - asked) + PATIENCE_MS;
        if (!lock.tryLock(wait, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("not acquired in " + wait + " ms");
        }
        long granted = System.nanoTime();
        if (counter != null) {
            String value = counter.get();
            counter.set(Long.toString(value == null ? 1 : Long.parseLong(value) + 1));
        }
        long section = request.number("sectionMs");
        if (section > 0) {
            Thread.sleep(section);
        }
        long released = System.nanoTime();
        acquired.add(new double[] {number, asked, granted, released});
        lock.unlock();
    }

    private void write(List<double[]> acquired) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(acquired.size() * 4 * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (double[] numbers : acquired) {
            for (double number : numbers) {
                bytes.putDouble(number);
            }
        }
        Files.write(Path.of(request.text("file")), bytes.array());
    }
}
