package interop;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.StreamSupport;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * The lock of a request, {@code {kind, name}} or {@code {kind: "multi", of: […]}}. A thread gets the same object each
 * time, as in a program that keeps it in a field. The object determines the lease after a partial release.
 */
final class Locks {

    private final RedissonClient redisson;
    private final Map<String, RLock> known = new ConcurrentHashMap<>();

    Locks(RedissonClient redisson) {
        this.redisson = redisson;
    }

    RLock of(Request request) {
        JsonNode wanted = request.node("lock");
        return known.computeIfAbsent(request.thread() + " " + wanted, key -> open(wanted));
    }

    private RLock open(JsonNode wanted) {
        String kind = wanted.required("kind").asText();
        if (kind.equals("multi")) {
            RLock[] members = StreamSupport.stream(wanted.required("of").spliterator(), false)
                    .map(this::open).toArray(RLock[]::new);
            return redisson.getMultiLock(members);
        }
        String name = wanted.required("name").asText();
        return switch (kind) {
            case "plain" -> redisson.getLock(name);
            case "fair" -> redisson.getFairLock(name);
            case "fenced" -> redisson.getFencedLock(name);
            case "spin" -> redisson.getSpinLock(name);
            case "nonReentrant" -> redisson.getNonReentrantLock(name);
            case "nonReentrantFair" -> redisson.getNonReentrantFairLock(name);
            case "read" -> redisson.getReadWriteLock(name).readLock();
            case "write" -> redisson.getReadWriteLock(name).writeLock();
            default -> throw new IllegalArgumentException("No kind of lock '" + kind + "'");
        };
    }
}
