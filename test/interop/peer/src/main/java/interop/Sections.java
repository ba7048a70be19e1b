package interop;

import java.util.List;
import java.util.Map;
import org.redisson.api.BatchResult;
import org.redisson.api.RBatch;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Critical sections, one after the other, until all participants together have done the wanted number. The Node side does
 * the same, so the keys have the same meaning there.
 *
 * <p>Two holders at the same time show in two ways. A participant that enters counts {@code insideKey} up to more than 1.
 * And {@code counterKey} is read on entry and written on leaving, in two round trips, so that an overlap loses a count
 * while {@code logKey} still has an entry for each section.
 */
final class Sections {

    private final RedissonClient redisson;
    private final Locks locks;

    Sections(RedissonClient redisson, Locks locks) {
        this.redisson = redisson;
        this.locks = locks;
    }

    Object run(Request request) throws InterruptedException {
        RLock lock = locks.of(request);
        long total = request.number("total");
        int sections = 0;
        int overlaps = 0;
        boolean goOn = true;
        while (goOn) {
            lock.lock();
            try {
                Entry entry = enter(request);
                overlaps += entry.inside() == 1 ? 0 : 1;
                goOn = entry.done() < total;
                sections += goOn ? 1 : 0;
                leave(request, goOn ? entry.done() + 1 : entry.done(), goOn);
            } finally {
                lock.unlock();
            }
            Thread.sleep(request.millis("restMs"));
        }
        return Map.of("sections", sections, "overlaps", overlaps);
    }

    private record Entry(long inside, long done) {
    }

    private Entry enter(Request request) {
        RBatch batch = redisson.createBatch();
        batch.getAtomicLong(request.text("insideKey")).incrementAndGetAsync();
        batch.getBucket(request.text("counterKey"), StringCodec.INSTANCE).getAsync();
        BatchResult<?> results = batch.execute();
        List<?> values = results.getResponses();
        long done = values.get(1) == null ? 0 : Long.parseLong((String) values.get(1));
        return new Entry((Long) values.get(0), done);
    }

    private void leave(Request request, long done, boolean counts) {
        RBatch batch = redisson.createBatch();
        if (counts) {
            batch.getBucket(request.text("counterKey"), StringCodec.INSTANCE).setAsync(Long.toString(done));
            batch.getList(request.text("logKey"), StringCodec.INSTANCE).addAsync(request.text("who"));
        }
        batch.getAtomicLong(request.text("insideKey")).decrementAndGetAsync();
        batch.execute();
    }
}
