export { LockedCron, type LockedCronOptions } from './locked-cron.decorator.js';
