import { driverNamed } from '../../lib/backend/driver/drivers.js';
import { describeDriver } from './contract.js';
import { socketDriver } from './socket-driver.js';

describeDriver('ioredis', driverNamed('ioredis'));
describeDriver('node-redis', driverNamed('node-redis'));
describeDriver('a bare socket', socketDriver);
