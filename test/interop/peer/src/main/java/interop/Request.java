package interop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.stream.StreamSupport;

/** One line of input: {@code {id, thread, op, …}}. The arguments of the operation come beside these three fields. */
record Request(long id, String thread, String op, JsonNode arguments) {

    private static final ObjectMapper JSON = new ObjectMapper();

    static Request parse(String line) throws JsonProcessingException {
        JsonNode request = JSON.readTree(line);
        return new Request(request.required("id").asLong(), request.required("thread").asText(),
                request.required("op").asText(), request);
    }

    JsonNode node(String argument) {
        return arguments.required(argument);
    }

    String text(String argument) {
        return node(argument).asText();
    }

    List<String> texts(String argument) {
        return StreamSupport.stream(node(argument).spliterator(), false).map(JsonNode::asText).toList();
    }

    int count(String argument) {
        return node(argument).intValue();
    }

    long number(String argument) {
        return node(argument).longValue();
    }

    boolean has(String argument) {
        return arguments.hasNonNull(argument);
    }

    /** A duration, ms, or Redisson's -1 for "none given". */
    long millis(String argument) {
        return has(argument) ? number(argument) : -1;
    }
}
