package interop;

import java.util.HashMap;
import java.util.Map;
import org.redisson.api.RedissonClient;

/** All operations by name. */
final class Operations {

    private final Map<String, Operation> operations = new HashMap<>();

    Operations(RedissonClient redisson) {
        Locks locks = new Locks(redisson);
        operations.put("owner", request -> redisson.getId() + ":" + Thread.currentThread().getId());
        operations.putAll(new LockOperations(locks).all());
        operations.putAll(new FencedLockOperations(redisson).all());
        operations.putAll(new SemaphoreOperations(redisson).all());
        operations.putAll(new PermitOperations(redisson).all());
        operations.putAll(new LatchOperations(redisson).all());
        operations.putAll(new BenchOperations(redisson).all());
        operations.put("sections", new Sections(redisson, locks)::run);
    }

    Object run(Request request) throws Exception {
        Operation operation = operations.get(request.op());
        if (operation == null) {
            throw new IllegalArgumentException("No operation '" + request.op() + "'");
        }
        return operation.run(request);
    }
}
