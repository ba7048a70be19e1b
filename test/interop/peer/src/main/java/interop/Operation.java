package interop;

/** What one {@code op} does, on the thread that the request names. The result is written as JSON. */
@FunctionalInterface
interface Operation {

    Object run(Request request) throws Exception;
}
