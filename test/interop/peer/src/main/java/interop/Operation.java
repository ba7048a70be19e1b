package interop;

/** The action of one {@code op}, on the thread of the request. The result is written as JSON. */
@FunctionalInterface
interface Operation {

    Object run(Request request) throws Exception;
}
