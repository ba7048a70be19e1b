/** @module nest-redis-lock/dashboard */
export { LockDashboardModule } from './lock-dashboard.module.js';
export type { DashboardGuard, LockDashboardOptions } from './lock-dashboard.options.js';
