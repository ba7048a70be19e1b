package interop;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * The command line: {@code topology url lockWatchdogTimeout fairLockWaitTimeout}, times in milliseconds; the topology is
 * {@code single} or {@code cluster}.
 */
record PeerOptions(String topology, String url, long lockWatchdogTimeout, long fairLockWaitTimeout) {

    static PeerOptions parse(String[] arguments) {
        if (arguments.length != 4) {
            throw new IllegalArgumentException("Expected: topology url lockWatchdogTimeout fairLockWaitTimeout");
        }
        return new PeerOptions(arguments[0], arguments[1], Long.parseLong(arguments[2]), Long.parseLong(arguments[3]));
    }

    RedissonClient connect() {
        Config config = new Config();
        config.setLockWatchdogTimeout(lockWatchdogTimeout);
        config.setFairLockWaitTimeout(fairLockWaitTimeout);
        // By default 24 connections are opened one after the other, which is most of the start-up time.
        if (topology.equals("cluster")) {
            config.useClusterServers()
                    .addNodeAddress(url)
                    .setMasterConnectionMinimumIdleSize(2)
                    .setSlaveConnectionMinimumIdleSize(2);
        } else {
            config.useSingleServer().setAddress(url).setConnectionMinimumIdleSize(2);
        }
        return Redisson.create(config);
    }
}
