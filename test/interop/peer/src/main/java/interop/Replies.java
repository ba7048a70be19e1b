package interop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes {@code {id, ok}} or {@code {id, error: {type, message, cause}}}, one line each, in the order in which the operations
 * end. The first line is {@code {ready: clientId}}.
 */
final class Replies {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final PrintStream output;

    Replies(PrintStream output) {
        this.output = output;
    }

    void ready(String clientId) {
        write(Map.of("ready", clientId));
    }

    void answer(Request request, Operations operations) {
        Map<String, Object> reply = new HashMap<>();
        reply.put("id", request.id());
        try {
            reply.put("ok", operations.run(request));
        } catch (Throwable error) {
            reply.put("error", describe(error));
        }
        write(reply);
    }

    /** An error in one of Redisson's own threads arrives as the cause of a RedisException. */
    private static Map<String, String> describe(Throwable error) {
        Throwable cause = error.getCause();
        return Map.of("type", error.getClass().getSimpleName(), "message", String.valueOf(error.getMessage()),
                "cause", cause == null ? "" : cause.toString());
    }

    private synchronized void write(Map<String, Object> line) {
        try {
            output.write((JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8));
            output.flush();
        } catch (JsonProcessingException error) {
            throw new IllegalStateException(error);
        } catch (IOException error) {
            // The reader has gone, so the end of the input follows.
        }
    }
}
