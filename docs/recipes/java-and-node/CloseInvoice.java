import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.codec.JsonJacksonCodec;
import org.redisson.config.Config;
import org.redisson.config.NameMapper;

/** Closes an invoice: java CloseInvoice.java redis://redis:6379 7 30000 */
public final class CloseInvoice {

    public static void main(String[] arguments) throws Exception {
        Config config = new Config();
        config.useSingleServer().setAddress(arguments[0]);
        config.setNameMapper(new Prefix("billing:"));
        config.setLockWatchdogTimeout(Long.parseLong(arguments[2]));
        config.setCodec(new JsonJacksonCodec()); // of your values; locks do not use it
        RedissonClient redisson = Redisson.create(config);
        RLock lock = redisson.getLock("invoice:" + arguments[1]);
        lock.lock();
        try {
            System.out.println("closing");
            System.in.read(); // stands for the work
        } finally {
            lock.unlock();
        }
        System.out.println("closed");
        redisson.shutdown();
    }

    private record Prefix(String prefix) implements NameMapper {
        @Override
        public String map(String name) {
            return prefix + name;
        }

        @Override
        public String unmap(String name) {
            return name.substring(prefix.length());
        }
    }
}
