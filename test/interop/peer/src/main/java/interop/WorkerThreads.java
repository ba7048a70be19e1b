package interop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** One long-lived thread a name, because Redisson takes the thread for the owner. */
final class WorkerThreads {

    private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();

    void run(String name, Runnable task) {
        threads.computeIfAbsent(name, this::start).execute(task);
    }

    private ExecutorService start(String name) {
        return Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }
}
