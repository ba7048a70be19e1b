package interop;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The command line: {@code url lockWatchdogTimeout fairLockWaitTimeout}, times in milliseconds. */
record PeerOptions(String url, long lockWatchdogTimeout, long fairLockWaitTimeout) {

    static PeerOptions parse(String[] arguments) {
        if (arguments.length != 3) {
            throw new IllegalArgumentException("Expected: url lockWatchdogTimeout fairLockWaitTimeout");
        }
        return new PeerOptions(arguments[0], Long.parseLong(arguments[1]), Long.parseLong(arguments[2]));
    }

    RedissonClient connect() {
        Config config = new Config();
        config.setLockWatchdogTimeout(lockWatchdogTimeout);
        config.setFairLockWaitTimeout(fairLockWaitTimeout);
        // The default of 24 connections, opened one after the other, is most of the start-up time.
        config.useSingleServer().setAddress(url).setConnectionMinimumIdleSize(2);
        return Redisson.create(config);
    }
}
