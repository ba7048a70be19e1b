package interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RedissonClient;

/** Executes the requests on standard input with a real Redisson, until the input ends. */
public final class Main {

    private Main() {
    }

    public static void main(String[] arguments) {
        try {
            serve(arguments);
        } catch (Throwable error) {
            // Threads of Redisson would keep the process alive.
            error.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private static void serve(String[] arguments) throws IOException {
        PrintStream output = System.out;
        // The output of a library must not end up among the replies.
        System.setOut(System.err);

        RedissonClient redisson = PeerOptions.parse(arguments).connect();
        Replies replies = new Replies(output);
        Operations operations = new Operations(redisson);
        WorkerThreads threads = new WorkerThreads();
        replies.ready(redisson.getId());

        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Request request = Request.parse(line);
            threads.run(request.thread(), () -> replies.answer(request, operations));
        }
        // Threads may still be blocked in Redisson. They are daemons, and end with the process.
        redisson.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
