export { LockDashboardModule } from './lock-dashboard.module.js';
export type { DashboardGuard, LockDashboardOptions } from './lock-dashboard.options.js';
