export { LockedCron, type LockedCronOptions } from './locked-cron.js';
