/** @module nest-redis-lock/schedule */
export { LockedCron, type LockedCronOptions } from './locked-cron.decorator.js';
